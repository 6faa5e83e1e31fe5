import * as z from "zod/mini";
import { OUTCOME_IDS } from "../outcomes.ts";
import { session, user } from "../product/resources.ts";
import * as seed from "./seed.ts";
import { TOKEN_KINDS, TOKEN_PROBLEMS } from "../claims.ts";
import { delay, jsonObject, optional, outcome, provider, record } from "./values.ts";

const text = z.string();
const count = z.int();
const nullable = z.nullable(text);

export const Deleted = z.object({ deleted: z.literal(true), id: text });
export const DeletedAll = z.object({ deleted: z.literal(true), ids: z.array(text) });

export const PrunedSessions = z.object({
  instance: text.check(z.describe("The instance's id")),
  before: text,
  deleted: count,
  more: z.boolean().check(z.describe("Whether others are left: repeat the request")),
  snapshot: z.nullable(text).check(z.describe("The snapshot that undoes it, if one was asked for")),
});

export const Clock = z.object({
  now: text,
  mode: z.enum(["real", "running", "frozen"]),
  offset_ms: z.int().check(z.describe("Offset from real time, in milliseconds")),
});
export const ClockProof = z.object({
  now: text,
  proof: text.check(
    z.describe("The HMAC-SHA-256, in base64url, by the instance's secret key, of: svc clock <nonce> <now>"),
  ),
});
const oldKeys = z
  .array(z.object({ expires_at: text }))
  .check(z.describe("The replaced secret keys that still verify, newest first"));
const publicConnection = z.object({ client_id: text, endpoints: z.optional(z.record(text, text)) });
export const Instance = record(
  "instance",
  z.object({
    app_id: text,
    name: text,
    subdomain: text,
    active: z.boolean(),
    url: text,
    publishable_key: text,
    default_provider: provider,
    providers: z.array(provider).check(z.describe("The providers that its users can sign in with")),
    redirect_uris: z.array(text),
    preview: z.boolean(),
    connections: z.partialRecord(provider, publicConnection),
    old_keys: oldKeys,
    created_at: text,
  }),
);
export const Keys = z.object({ secret_key: text, publishable_key: text, old_keys: oldKeys });
export const Connection = record(
  "connection",
  z.object({
    provider,
    in_force: z.enum(["own", "global", "simulated", "off"]),
    why: text,
    client_id: nullable.check(z.describe("null if the provider is off")),
    endpoints: z.record(text, text),
    callback_url: text.check(z.describe("Register this address at the provider")),
  }),
);
/** `issuer`: the simulated provider's address, and its name in OpenID Connect. */
export const Client = record("client", z.extend(seed.client, { issuer: text, endpoints: z.record(text, text) }));
export const ConnectionTest = z.object({ ok: z.boolean(), message: text });

export const Count = z.object({
  count,
  is_complete: z.boolean().check(z.describe("false if there are more: counting stops at 50,000")),
});
export const User = record(
  "user",
  z.object({
    instance: text,
    ...user,
    email_verified_at: nullable,
    has_password: z.boolean(),
    identities: optional(
      z.array(z.object({ id: text, provider, uid: text, email: text, email_verified: z.boolean() })),
      "Only when a single user is retrieved",
    ),
    updated_at: text,
  }),
);
export const Session = record("session", z.object({ instance: text, ...session }));
export const Persona = record(
  "persona",
  z.object({
    name: nullable,
    email: text,
    avatar_url: nullable,
    ...seed.accounts,
  }),
);

export const Token = z.object({
  token: text,
  kind: z.enum(TOKEN_KINDS),
  expect: z.object({ status: count, error: nullable }).check(z.describe("The response of POST /api/v1/tokens/verify")),
});
export const TokenReport = z.object({
  status: count,
  answer: jsonObject.check(z.describe("The response body of POST /api/v1/tokens/verify")),
  header: z.nullable(jsonObject),
  claims: z.nullable(jsonObject),
  problem: z
    .nullable(z.enum(TOKEN_PROBLEMS))
    .check(z.describe("Why the token is not valid, as the client's error names it; null if the token is valid")),
  reason: text.check(z.describe("The same in a sentence")),
});
export const SignIn = z.object({
  location: nullable.check(
    z.describe("Where the browser is redirected at the end; null if svc shows the error itself"),
  ),
  token: z.optional(text),
  error: z.optional(text),
  error_description: z.optional(text),
  user_id: nullable,
  flow_id: text,
});

export const Outcome = z.object({
  id: z.enum(OUTCOME_IDS),
  title: text,
  description: text,
  providers: z.array(provider),
  application_sees: text,
});
export const Scenario = record(
  "scenario",
  z.object({
    match: z.object({
      provider: z.optional(provider),
      instance: z.optional(text),
      browser: z.optional(text),
      login_hint: z.optional(text),
    }),
    as: nullable,
    outcome,
    times: z.nullable(z.int()),
    delay_ms: delay,
    label: nullable,
    profile: z.optional(jsonObject),
    omit: z.optional(z.array(text)),
    used: count,
    remaining: z.nullable(z.int()).check(z.describe("null if it applies until it is deleted")),
    created_at: text,
  }),
);
export const State = z.object({
  version: text,
  now: text,
  clock: Clock,
  store: text,
  providers: z.record(provider, z.enum(["real", "simulated", "off", "by instance"])),
  instances: count,
  users: count,
  sessions: count,
  scenarios: z.array(Scenario).check(z.describe("Those that wait for sign-ins of any browser, newest first")),
  estimated: z.boolean().check(z.describe("Whether users and sessions are estimates: in PostgreSQL beyond 100,000")),
});

export const Browser = z.object({
  id: text,
  cookies: z.array(
    z.object({
      name: text,
      value: text,
      domain: text,
      path: text,
      httpOnly: z.boolean(),
      secure: z.boolean(),
      sameSite: z.enum(["Lax", "Strict", "None"]),
    }),
  ),
});

export const Snapshot = record(
  "snapshot",
  z.object({
    name: text,
    created_at: text,
    records: z.record(text, count).check(z.describe("Number of records, by kind; of one instance, if it was named")),
    previous: optional(text, "After a restore: the snapshot of the records before it, which undoes it"),
  }),
);
export const Reset = z.object({
  reset: z.literal(true),
  instances: count,
  users: count,
  sessions: count,
  snapshot: text.check(z.describe("The snapshot of the records before it, which undoes it")),
});
export const Seeded = z.object({ instances: count, users: count, identities: count, sessions: count, personas: count });
export const DashboardLink = z.object({ url: text });
export const DashboardKey = z.object({ key: text, expires_at: text });
export const Revoked = z.object({ revoked: z.literal(true) });

export { Flow, FlowSummary, Request } from "./flow-answers.ts";
