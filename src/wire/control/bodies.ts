/** The request bodies of the control API. The client's types and the OpenAPI document follow from these schemas. */
import * as z from "zod";
import { PROVIDERS, type Provider } from "../names.ts";
import * as seed from "../seed.ts";
import { TOKEN_KINDS } from "../token-kinds.ts";
import { account, duration, instanceName, outcome, provider, text } from "./values.ts";

/** The body of a route that takes no parameters. */
export const Nothing = z.strictObject({});

export const NewInstance = seed.instance;
export const InstancePatch = z.strictObject({
  app_id: text.optional(),
  name: text.optional(),
  subdomain: seed.subdomain.optional(),
  active: z.boolean().optional(),
  default_provider: provider.optional(),
  redirect_uris: z.array(z.string()).max(1000).optional(),
});
export const RotateKeys = z.strictObject({
  secret_key: z.boolean().default(true),
  publishable_key: z.boolean().default(false),
});
export const NewConnection = seed.connection;

export const NewUser = z.strictObject({
  instance: instanceName.optional(),
  ...seed.user.shape,
  name: text.optional().describe("Default: the part of the e-mail address before the @"),
});
export const UserPatch = z.strictObject({
  email: seed.email.optional(),
  name: text.optional(),
  avatar_url: seed.picture.nullable().optional(),
  email_verified_at: seed.time.nullable().optional(),
  password_digest: z.string().nullable().optional(),
});

export const NewPersona = seed.persona;
const accountPatch = z.record(z.string(), z.unknown()).nullable().optional();
/** null removes the account at a provider. */
const accountPatches = Object.fromEntries(PROVIDERS.map((name) => [name, accountPatch])) as Record<
  Provider,
  typeof accountPatch
>;
export const PersonaPatch = z.strictObject({
  name: text.nullable().optional(),
  email: seed.providerEmail.optional(),
  avatar_url: z.url().nullable().optional(),
  ...accountPatches,
});

export const NewToken = z.strictObject({
  user: z.string().min(1).max(254).optional().describe("A user's id or e-mail address; default: the newest user"),
  instance: instanceName.optional(),
  provider: z
    .enum([...provider.options, "email"])
    .optional()
    .describe(`Default: the user's first, or ${PROVIDERS[0]} for a user without one`),
  kind: z.enum(TOKEN_KINDS).default("valid"),
  expires_in: z
    .int()
    .min(-1_000_000_000)
    .max(3600)
    .optional()
    .describe("Seconds until the token expires, for the kinds valid (1 to 3600) and expired (0 or less)"),
});
export const TokenToVerify = z.strictObject({ token: z.string().max(65_536), instance: instanceName.optional() });

export const NewSignIn = z.strictObject({
  provider: provider.default(PROVIDERS[0]),
  as: account
    .optional()
    .describe("A persona's id or e-mail address; default: the first persona with an account at the provider"),
  instance: instanceName.optional(),
  redirect_uri: z.string().min(1).max(2048).optional().describe("Default: svc's own page, which shows the token"),
  outcome: outcome.default("success"),
});

export const NewScenario = z.strictObject({
  match: z
    .strictObject({
      provider: provider.optional(),
      instance: instanceName.optional(),
      browser: text.optional().describe("The id or label of a browser created by POST /browsers"),
      login_hint: text.optional(),
    })
    .default({}),
  as: account.optional(),
  outcome: outcome.default("success"),
  times: z
    .int()
    .min(1)
    .max(1_000_000)
    .nullable()
    .default(1)
    .describe("Number of sign-ins to apply to; null: all until it is deleted"),
  delay_ms: z.int().min(0).max(25_000).default(0),
  label: text.optional(),
});
export const NewBrowser = z.strictObject({ label: z.string().min(1).max(128).optional() });

export const ClockTime = z.strictObject({ at: seed.time });
export const FreezeClock = z.strictObject({ at: seed.time.optional() });
export const AdvanceClock = z.union([z.strictObject({ by: duration }), z.strictObject({ to: seed.time })], {
  error: 'must be { "by": "61m" } or { "to": "2026-01-31T12:00:00Z" }',
});

export const SNAPSHOT_NAME = /^[a-z0-9][a-z0-9._-]{0,63}$/;
export const NewSnapshot = z.strictObject({
  name: z.string().regex(SNAPSHOT_NAME, "must be 1 to 64 of a-z, 0-9, dot, underscore and hyphen, e.g. before-import"),
});
export const Reset = z.union([z.strictObject({ all: z.literal(true) }), z.strictObject({ instance: instanceName })], {
  error: 'must be { "all": true } or { "instance": "acme" }',
});
const generate = z.strictObject({
  users: z.int().min(1).max(1_000_000),
  seed: z
    .int()
    .min(0)
    .max(2 ** 32 - 1)
    .default(1)
    .describe("The same seed generates the same users in the same version of svc"),
  instance: instanceName.optional(),
});
/** A seed document to add, or users to generate. */
export const Seeding = z.strictObject({
  $schema: z.string().optional(),
  instances: z.array(seed.instance).default([]),
  personas: z.array(seed.persona).default([]),
  generate: generate.optional(),
});

export const Replay = z.strictObject({
  outcome: outcome.optional(),
  as: account.optional(),
  provider: provider.optional(),
});
export const RedeemCode = z.strictObject({ code: z.string().min(1).max(256) });
