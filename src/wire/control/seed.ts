import * as z from "zod/mini";
import { PUBLISHABLE_KEY, SECRET_KEY, SESSION_ID_PREFIX, UUID } from "../ids.ts";
import { PROVIDERS, SESSION_PROVIDERS } from "../providers.ts";
import * as v from "./values.ts";

export const connection = z.strictObject({
  client_id: v.text,
  client_secret: v.text,
  endpoints: v.optional(z.record(z.string(), z.url()), "Replaces the provider's own addresses; https, or loopback"),
});

/** An application's own client at a simulated provider, for an application that does not sign in through this service. */
export const client = z.strictObject({
  provider: v.provider,
  client_id: z.string().check(z.regex(/^[\w.~-]{1,128}$/, "must be 1 to 128 of letters, digits, _, ., ~ and -")),
  client_secret: v.optional(
    // RFC 6749, A.2.
    z.string().check(z.regex(/^[\x20-\x7e]{1,256}$/, "must be 1 to 256 printable ASCII characters")),
    "Left out for a public client, at a provider that has those",
  ),
  redirect_uris: z.array(z.string()).check(z.minLength(1, "must have at least one address")),
});

export const identity = z.strictObject({
  id: z.optional(v.uuid),
  provider: v.provider,
  uid: v.text.check(z.describe("The user's id at the provider")),
  email: v.optional(v.email, "Default: the user's e-mail address"),
  email_verified: v.optional(z.boolean(), "Default: true, as after a sign-in, unless the provider has no addresses"),
});

const seedSession = z.strictObject({
  id: z.optional(v.uuid),
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
  logged_in_at: z.optional(v.writtenTime),
  last_signin_at: z.optional(v.writtenTime),
  revoked_at: z._default(z.nullable(v.writtenTime), null),
});

export const seedUser = z.strictObject({
  id: v.optional(v.userId, "A UUID, or <service>:<id> of the user elsewhere; docs/import.md"),
  email: v.email,
  name: v.optional(z.nullable(v.text), "Default: the part of the e-mail address before the @"),
  avatar_url: z._default(z.nullable(v.picture), null),
  email_verified_at: z._default(z.nullable(v.writtenTime), null),
  created_at: z.optional(v.writtenTime),
  password_digest: z._default(z.nullable(z.string()), null),
  identities: z._default(z.array(identity), []),
  sessions: z._default(z.array(seedSession), []),
});

export const instance = z.strictObject({
  id: z.optional(v.uuid),
  app_id: z.optional(v.text),
  name: v.text,
  subdomain: v.subdomain,
  active: z._default(z.boolean(), true),
  publishable_key: z.optional(
    z.string().check(z.regex(PUBLISHABLE_KEY, "must be pk_ and at least 8 letters or digits")),
  ),
  secret_key: z.optional(z.string().check(z.regex(SECRET_KEY, "must be sk_ and at least 32 letters or digits"))),
  default_provider: z
    ._default(v.provider, PROVIDERS[0])
    .check(z.describe("The provider of a sign-in that names none. Beyond loopback it must have credentials")),
  redirect_uris: z._default(z.array(z.string()), []),
  preview: z._default(v.preview, false),
  connections: z._default(z.partialRecord(v.provider, connection), {}),
  clients: z._default(z.array(client), []),
  users: z._default(z.array(seedUser), []),
});

/** A persona's account at each provider. Its form is the simulated provider's own, and checked by the server. */
export const accounts = v.perProvider(z.optional(z.record(z.string(), z.unknown())));

export const persona = z.strictObject({
  id: z.optional(z.string().check(z.regex(/^[\w-]{1,64}$/, "must be letters, digits, _ or -"))),
  name: z.nullable(v.text),
  email: v.providerEmail,
  avatar_url: z._default(z.nullable(z.url()), null),
  ...accounts,
});

export const Seed = z.strictObject({
  $schema: z.optional(z.string()),
  instances: z.array(instance).check(z.minLength(1, "must have at least one instance")),
  personas: z._default(z.array(persona), []),
});
export type Seed = z.infer<typeof Seed>;
