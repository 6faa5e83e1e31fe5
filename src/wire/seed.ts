import * as z from "zod";
import { EMAIL, isEmail, MAX_EMAIL_LENGTH } from "./email.ts";
import {
  PROVIDERS,
  SESSION_PROVIDERS,
  PUBLISHABLE_KEY_PREFIX,
  SECRET_KEY_PREFIX,
  SESSION_ID_PREFIX,
  UUID,
  type Provider,
} from "./names.ts";
import { hasFourDigitYear } from "./query.ts";

/** Bytes of a secret key behind its prefix: it signs tokens with HMAC-SHA-256 (RFC 8725, 3.5). */
const SECRET_KEY_BYTES = 32;

export const text = z.string().min(1).max(256);
export const uuid = z.string().regex(UUID, "must be a UUID in lower case");
export const time = z.iso
  .datetime({ offset: true, error: "must be a date and time such as 2026-01-31T12:00:00Z", abort: true })
  .refine((value) => hasFourDigitYear(new Date(value)), "must lie within the years 0000 to 9999");
/** A user's e-mail address, as a sign-in stores it: in NFKC. */
export const email = z
  .string()
  .normalize("NFKC")
  .max(MAX_EMAIL_LENGTH, { error: `must have at most ${MAX_EMAIL_LENGTH} characters`, abort: true })
  .regex(EMAIL, { error: "must be an e-mail address with an ASCII domain", abort: true })
  .refine(isEmail, "must not contain invisible characters");
/** An account's e-mail address as a provider sends it. A sign-in may refuse it. */
export const providerEmail = z
  .string()
  .max(MAX_EMAIL_LENGTH)
  .regex(/^[^\s@]+@[^\s@]+$/, "must be an e-mail address");
export const provider = z.enum(PROVIDERS);
/** A user's picture. An account's may have any address: a sign-in keeps only those of this form. */
export const picture = z.url({ protocol: /^https?$/, error: "must be an http or https address" });

export const connection = z.strictObject({
  client_id: text,
  client_secret: text,
  endpoints: z
    .record(z.string(), z.url())
    .optional()
    .describe("Replaces the provider's own addresses; https, or loopback"),
});

export const identity = z.strictObject({
  id: uuid.optional(),
  provider,
  uid: text.describe("The user's id at the provider"),
  email: email.optional().describe("Default: the user's e-mail address"),
  email_verified: z.boolean().default(false),
});

export const session = z.strictObject({
  id: uuid.optional(),
  session_id: z
    .string()
    .regex(new RegExp(`^${SESSION_ID_PREFIX}${UUID.source.slice(1)}`), `must be ${SESSION_ID_PREFIX} and a UUID`)
    .optional(),
  provider: z.enum(SESSION_PROVIDERS),
  ip_address: z.union([z.ipv4(), z.ipv6()]).default("127.0.0.1"),
  geo_data: z.record(z.string(), z.unknown()).default({}),
  logged_in_at: time.optional(),
  last_signin_at: time.optional(),
  revoked_at: time.nullable().default(null),
});

export const user = z.strictObject({
  id: uuid.optional(),
  email,
  name: text,
  avatar_url: picture.nullable().default(null),
  email_verified_at: time.nullable().default(null),
  created_at: time.optional(),
  password_digest: z.string().nullable().default(null),
  identities: z.array(identity).default([]),
  sessions: z.array(session).default([]),
});

export const subdomain = z
  .string()
  .regex(/^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/, "must be a host name label: a-z, 0-9 and -");

export const instance = z.strictObject({
  id: uuid.optional(),
  app_id: text.optional(),
  name: text,
  subdomain,
  active: z.boolean().default(true),
  publishable_key: z
    .string()
    .regex(
      new RegExp(`^${PUBLISHABLE_KEY_PREFIX}[\\w-]{8,}$`),
      `must be ${PUBLISHABLE_KEY_PREFIX} and at least 8 letters or digits`,
    )
    .optional(),
  secret_key: z
    .string()
    .regex(
      new RegExp(`^${SECRET_KEY_PREFIX}[\\w-]{${SECRET_KEY_BYTES},}$`),
      `must be ${SECRET_KEY_PREFIX} and at least ${SECRET_KEY_BYTES} letters or digits`,
    )
    .optional(),
  default_provider: provider
    .default(PROVIDERS[0])
    .describe("The provider of a sign-in that names none. Beyond loopback it must have credentials"),
  redirect_uris: z.array(z.string()).default([]),
  connections: z.partialRecord(provider, connection).default({}),
  users: z.array(user).default([]),
});

/** A persona's account at each provider. Its form is the simulated provider's own, and checked by the server. */
const account = z.record(z.string(), z.unknown()).optional();
export const accounts = Object.fromEntries(PROVIDERS.map((name) => [name, account])) as Record<
  Provider,
  typeof account
>;

export const persona = z.strictObject({
  id: z
    .string()
    .regex(/^[\w-]{1,64}$/, "must be letters, digits, _ or -")
    .optional(),
  name: text.nullable(),
  email: providerEmail,
  avatar_url: z.url().nullable().default(null),
  ...accounts,
});

/** A seed file. */
export const Seed = z.strictObject({
  $schema: z.string().optional(),
  instances: z.array(instance).min(1, "must have at least one instance"),
  personas: z.array(persona).default([]),
});
export type Seed = z.infer<typeof Seed>;
