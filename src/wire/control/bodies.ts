/** The request bodies of the control API. The client's types and the OpenAPI document follow from these schemas. */
import * as z from "zod/mini";
import { MAX_PROFILE_LENGTH } from "../outcomes.ts";
import { PROVIDERS } from "../providers.ts";
import * as seed from "./seed.ts";
import { TOKEN_KINDS } from "../claims.ts";
import * as v from "./values.ts";

/** The body of a route that takes no parameters. */
export const Nothing = z.strictObject({});

export const NewInstance = seed.instance;
export const InstancePatch = z.strictObject({
  app_id: z.optional(v.text),
  name: z.optional(v.text),
  subdomain: z.optional(v.subdomain),
  active: z.optional(z.boolean()),
  default_provider: z.optional(v.provider),
  redirect_uris: z.optional(z.array(z.string()).check(z.maxLength(1000))),
  preview: z.optional(v.preview),
});
export const RotateKeys = z.strictObject({
  secret_key: z._default(z.boolean(), true),
  publishable_key: z._default(z.boolean(), false),
  keep_old: v.optional(
    v.duration,
    "How long the old secret key goes on verifying, such as 1h; 30 days at most. Default: not at all",
  ),
});
export const NewConnection = seed.connection;
export const NewClient = seed.client;
export const ClientPatch = z.partial(z.pick(seed.client, { client_secret: true, redirect_uris: true }));

export const NewUser = z.strictObject({
  instance: z.optional(v.instanceName),
  ...seed.seedUser.shape,
});
export const UserPatch = z.strictObject({
  email: z.optional(v.email),
  name: z.optional(v.text),
  avatar_url: z.optional(z.nullable(v.picture)),
  email_verified_at: z.optional(z.nullable(v.time)),
  password_digest: z.optional(z.nullable(z.string())),
});

export const PruneSessions = z.strictObject({
  instance: z.optional(v.instanceName),
  before: v.moment.check(
    z.describe("Sessions with neither a sign-in nor a revocation since then: a date and time, or an age such as 90d"),
  ),
  snapshot: z.optional(z.boolean()).check(z.describe("Whether all records are saved before, so that it can be undone")),
});

export const NewPersona = seed.persona;
export const PersonaPatch = z.strictObject({
  name: z.optional(z.nullable(v.text)),
  email: z.optional(v.providerEmail),
  avatar_url: z.optional(z.nullable(z.url())),
  // null removes the account at a provider.
  ...v.perProvider(z.optional(z.nullable(v.jsonObject))),
});

const names = z.array(z.string().check(z.minLength(1), z.maxLength(64))).check(z.maxLength(20));
/** A code, which is part of an address, takes the changes to the exchange. */
const profileEdit = {
  profile: v.optional(
    v.jsonObject.check(
      z.refine(
        (profile) => JSON.stringify(profile).length <= MAX_PROFILE_LENGTH,
        `must have at most ${MAX_PROFILE_LENGTH} characters as JSON`,
      ),
    ),
    "Fields to add to the provider's profile or to replace in it, with values of any type. At GitHub, emails is the list of addresses; at Twitter, all names but data, includes and errors are fields of data",
  ),
  omit: v.optional(names, "Fields to leave out of the provider's profile, by name; data.name is a field of data"),
};

export const NewToken = z.strictObject({
  user: v.optional(
    z.string().check(z.minLength(1), z.maxLength(254)),
    "A user's id or e-mail address; default: the newest user",
  ),
  instance: z.optional(v.instanceName),
  provider: v.optional(
    z.enum([...PROVIDERS, "email"]),
    `Default: the user's first, or ${PROVIDERS[0]} for a user without one`,
  ),
  kind: z._default(z.enum(TOKEN_KINDS), "valid"),
  expires_in: v.optional(
    z.int().check(z.minimum(-1_000_000_000), z.maximum(3600)),
    "Seconds until the token expires, for the kinds valid (1 to 3600) and expired (0 or less)",
  ),
  claims: v.optional(v.jsonObject, "Claims to add or to replace before the token is signed, with values of any type"),
  omit: v.optional(names, "Claims to leave out, by name"),
});
export const TokenToExplain = z.strictObject({
  token: z.string().check(z.maxLength(65_536)),
  instance: z.optional(v.instanceName),
});

export const NewSignIn = z.strictObject({
  provider: z._default(v.provider, PROVIDERS[0]),
  as: v.optional(
    v.account,
    "A persona's id or e-mail address; default: the first persona with an account at the provider",
  ),
  instance: z.optional(v.instanceName),
  redirect_uri: v.optional(
    z.string().check(z.minLength(1), z.maxLength(2048)),
    "Default: svc's own page, which shows the token",
  ),
  outcome: v.optional(
    v.outcome,
    "How it ends, whatever scenarios say. Default: what a scenario decides, otherwise success",
  ),
  browser: v.optional(v.text, "The id or label of a browser created by POST /browsers: its scenarios apply, too"),
  ...profileEdit,
});

export const NewScenario = z.strictObject({
  match: z._default(
    z.strictObject({
      provider: z.optional(v.provider),
      instance: z.optional(v.instanceName),
      browser: v.optional(v.text, "The id or label of a browser created by POST /browsers"),
      login_hint: z.optional(v.text),
    }),
    {},
  ),
  as: z.optional(v.account),
  outcome: z._default(v.outcome, "success"),
  times: z
    ._default(z.nullable(z.int().check(z.minimum(1), z.maximum(100_000))), 1)
    .check(z.describe("Number of sign-ins to apply to; null: all until it is deleted")),
  delay_ms: z._default(v.delay, 0),
  label: z.optional(v.text),
  ...profileEdit,
});
export const NewBrowser = z.strictObject({
  label: z.optional(z.string().check(z.minLength(1), z.maxLength(128))),
});

export const ClockTime = z.strictObject({ at: v.time });
export const FreezeClock = z.strictObject({ at: z.optional(v.time) });
export const AdvanceClock = z.union([z.strictObject({ by: v.duration }), z.strictObject({ to: v.time })], {
  error: 'must be { "by": "61m" } or { "to": "2026-01-31T12:00:00Z" }',
});

export const SNAPSHOT_NAME = /^[a-z0-9][a-z0-9._-]{0,63}$/;
/** The server saves these itself, before it replaces records. */
export const PREVIOUS_NAME = /^previous(?:-([1-9]\d{0,8}))?$/;
export const NewSnapshot = z.strictObject({
  name: z.string().check(
    z.regex(SNAPSHOT_NAME, "must be 1 to 64 of a-z, 0-9, dot, underscore and hyphen, e.g. before-import"),
    z.refine((name) => !PREVIOUS_NAME.test(name), "must not be previous, which svc keeps for itself to undo a reset"),
  ),
});
export const RestoreSnapshot = z.strictObject({
  instance: v.optional(v.instanceName, "Only this instance's users and sessions are restored"),
});
export const Reset = z.union([z.strictObject({ all: z.literal(true) }), z.strictObject({ instance: v.instanceName })], {
  error: 'must be { "all": true } or { "instance": "acme" }',
});
const generate = z.strictObject({
  users: z.int().check(z.minimum(1), z.maximum(100_000)),
  seed: z
    ._default(z.int().check(z.minimum(0), z.maximum(2 ** 32 - 1)), 1)
    .check(z.describe("The same seed generates the same users in the same version of svc")),
  instance: z.optional(v.instanceName),
});
/** A seed document to add, or users to generate. */
export const Seeding = z.strictObject({
  $schema: z.optional(z.string()),
  instances: z._default(z.array(seed.instance), []),
  personas: z._default(z.array(seed.persona), []),
  generate: z.optional(generate),
});

export const Replay = z.strictObject({
  outcome: z.optional(v.outcome),
  as: z.optional(v.account),
  provider: z.optional(v.provider),
});
export const RedeemCode = z.strictObject({ code: z.string().check(z.minLength(1), z.maxLength(256)) });
