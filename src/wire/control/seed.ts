import * as z from "zod/mini";
import { EMAIL, isEmail, MAX_EMAIL_LENGTH } from "../text/fold.ts";
import { PROVIDERS, SESSION_PROVIDERS, type Provider } from "../providers.ts";
import { PUBLISHABLE_KEY, SECRET_KEY, SESSION_ID_PREFIX, SUBDOMAIN, UUID } from "../ids.ts";
import { hasFourDigitYear } from "../search/query.ts";

export const text = z.string().check(z.minLength(1), z.maxLength(256));
export const uuid = z.string().check(z.regex(UUID, "must be a UUID in lower case"));
export const time = z.iso
  .datetime({ offset: true, error: "must be a date and time such as 2026-01-31T12:00:00Z", abort: true })
  .check(z.refine((value) => hasFourDigitYear(new Date(value)), "must lie within the years 0000 to 9999"));
/** A user's e-mail address, as a sign-in stores it: in NFKC. */
export const email = z
  .string()
  .check(
    z.normalize("NFKC"),
    z.maxLength(MAX_EMAIL_LENGTH, { error: `must have at most ${MAX_EMAIL_LENGTH} characters`, abort: true }),
    z.regex(EMAIL, { error: "must be an e-mail address with an ASCII domain", abort: true }),
    z.refine(isEmail, "must not contain invisible characters"),
  );
/** An account's e-mail address as a provider sends it. A sign-in may refuse it. */
export const providerEmail = z
  .string()
  .check(z.maxLength(MAX_EMAIL_LENGTH), z.regex(/^[^\s@]+@[^\s@]+$/, "must be an e-mail address"));
export const provider = z.enum(PROVIDERS);
/** A user's picture. An account's may have any address: a sign-in keeps only those of this form. */
export const picture = z.url({ protocol: /^https?$/, error: "must be an http or https address" });

export const connection = z.strictObject({
  client_id: text,
  client_secret: text,
  endpoints: z
    .optional(z.record(z.string(), z.url()))
    .check(z.describe("Replaces the provider's own addresses; https, or loopback")),
});

export const identity = z.strictObject({
  id: z.optional(uuid),
  provider,
  uid: text.check(z.describe("The user's id at the provider")),
  email: z.optional(email).check(z.describe("Default: the user's e-mail address")),
  email_verified: z
    .optional(z.boolean())
    .check(z.describe("Default: true, as after a sign-in, unless the provider has no addresses")),
});

export const session = z.strictObject({
  id: z.optional(uuid),
  session_id: z.optional(
    z
      .string()
      .check(
        z.regex(new RegExp(`^${SESSION_ID_PREFIX}${UUID.source.slice(1)}`), `must be ${SESSION_ID_PREFIX} and a UUID`),
      ),
  ),
  provider: z.enum(SESSION_PROVIDERS),
  ip_address: z._default(z.union([z.ipv4(), z.ipv6()]), "127.0.0.1"),
  geo_data: z._default(z.record(z.string(), z.unknown()), {}),
  logged_in_at: z.optional(time),
  last_signin_at: z.optional(time),
  revoked_at: z._default(z.nullable(time), null),
});

export const user = z.strictObject({
  id: z.optional(uuid),
  email,
  name: text,
  avatar_url: z._default(z.nullable(picture), null),
  email_verified_at: z._default(z.nullable(time), null),
  created_at: z.optional(time),
  password_digest: z._default(z.nullable(z.string()), null),
  identities: z._default(z.array(identity), []),
  sessions: z._default(z.array(session), []),
});

export const subdomain = z.string().check(z.regex(SUBDOMAIN, "must be a host name label: a-z, 0-9 and -"));

/** Whether an instance is for previews. */
export const preview = z
  .boolean()
  .check(z.describe("Whether an entry of redirect_uris may have one * in one label of its host: docs/previews.md"));

export const instance = z.strictObject({
  id: z.optional(uuid),
  app_id: z.optional(text),
  name: text,
  subdomain,
  active: z._default(z.boolean(), true),
  publishable_key: z.optional(
    z.string().check(z.regex(PUBLISHABLE_KEY, "must be pk_ and at least 8 letters or digits")),
  ),
  secret_key: z.optional(z.string().check(z.regex(SECRET_KEY, "must be sk_ and at least 32 letters or digits"))),
  default_provider: z
    ._default(provider, PROVIDERS[0])
    .check(z.describe("The provider of a sign-in that names none. Beyond loopback it must have credentials")),
  redirect_uris: z._default(z.array(z.string()), []),
  preview: z._default(preview, false),
  connections: z._default(z.partialRecord(provider, connection), {}),
  users: z._default(z.array(user), []),
});

/** A persona's account at each provider. Its form is the simulated provider's own, and checked by the server. */
const account = z.optional(z.record(z.string(), z.unknown()));
export const accounts = Object.fromEntries(PROVIDERS.map((name) => [name, account])) as Record<
  Provider,
  typeof account
>;

export const persona = z.strictObject({
  id: z.optional(z.string().check(z.regex(/^[\w-]{1,64}$/, "must be letters, digits, _ or -"))),
  name: z.nullable(text),
  email: providerEmail,
  avatar_url: z._default(z.nullable(z.url()), null),
  ...accounts,
});

/** A seed file. */
export const Seed = z.strictObject({
  $schema: z.optional(z.string()),
  instances: z.array(instance).check(z.minLength(1, "must have at least one instance")),
  personas: z._default(z.array(persona), []),
});
export type Seed = z.infer<typeof Seed>;
