/** What the control API answers with. */
import * as z from "zod";
import { OUTCOME_IDS } from "../outcomes.ts";
import * as seed from "../seed.ts";
import { TOKEN_KINDS } from "../token-kinds.ts";
import { jsonObject, outcome, provider, record } from "./values.ts";

const text = z.string();
const count = z.int();
const nullable = text.nullable();

export const Deleted = z.object({ deleted: z.literal(true), id: text });
export const DeletedAll = z.object({ deleted: z.literal(true), ids: z.array(text) });

export const Clock = z.object({
  now: text,
  mode: z.enum(["real", "running", "frozen"]),
  offset_ms: z.int().describe("Offset from real time, in milliseconds"),
});
export const State = z.object({
  version: text,
  now: text,
  clock: Clock,
  store: text,
  providers: z.record(provider, z.enum(["real", "simulated", "off", "by instance"])),
  instances: count,
  users: count,
  sessions: count,
});

const publicConnection = z.object({ client_id: text, endpoints: z.record(text, text).optional() });
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
    providers: z.array(provider).describe("The providers that its users can sign in with"),
    redirect_uris: z.array(text),
    connections: z.partialRecord(provider, publicConnection),
    created_at: text,
  }),
);
export const Keys = z.object({ secret_key: text, publishable_key: text });
export const Connection = record(
  "connection",
  z.object({
    provider,
    in_force: z.enum(["own", "global", "simulated", "off"]),
    why: text,
    client_id: nullable.describe("null if the provider is off"),
    endpoints: z.record(text, text),
    callback_url: text.describe("Register this address at the provider"),
  }),
);
export const ConnectionTest = z.object({ ok: z.boolean(), message: text });

export const User = record(
  "user",
  z.object({
    instance: text,
    email: text,
    name: text,
    avatar_url: nullable,
    email_verified: z.boolean(),
    email_verified_at: nullable,
    has_password: z.boolean(),
    providers: z.array(provider),
    identities: z
      .array(z.object({ id: text, provider, uid: text, email: text, email_verified: z.boolean() }))
      .optional()
      .describe("Only when a single user is retrieved"),
    created_at: text,
    updated_at: text,
  }),
);
export const Session = record(
  "session",
  z.object({
    instance: text,
    session_id: text,
    user_id: text,
    provider: z.enum([...provider.options, "password"]),
    name: text,
    email: text,
    ip_address: text,
    geo_data: jsonObject,
    logged_in_at: text,
    last_signin_at: text,
    revoked_at: nullable,
    active: z.boolean(),
  }),
);
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
  expect: z.object({ status: count, error: nullable }).describe("The response of POST /api/v1/tokens/verify"),
});
export const TokenReport = z.object({
  status: count,
  answer: jsonObject.describe("The response body of POST /api/v1/tokens/verify"),
  header: jsonObject.nullable(),
  claims: jsonObject.nullable(),
  reason: text,
});
export const SignIn = z.object({
  location: nullable.describe("Where the browser is redirected at the end; null if svc shows the error itself"),
  token: text.optional(),
  error: text.optional(),
  error_description: text.optional(),
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
      provider: provider.optional(),
      instance: text.optional(),
      browser: text.optional(),
      login_hint: text.optional(),
    }),
    as: nullable,
    outcome,
    times: z.int().nullable(),
    delay_ms: count,
    label: nullable,
    used: count,
    remaining: z.int().nullable().describe("null if it applies until it is deleted"),
    created_at: text,
  }),
);
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
  z.object({ name: text, created_at: text, records: z.record(text, count).describe("Number of records, by kind") }),
);
export const Reset = z.object({ reset: z.literal(true), instances: count, users: count, sessions: count });
export const Seeded = z.object({ instances: count, users: count, identities: count, sessions: count, personas: count });
export const Job = z.object({
  id: text,
  status: z.enum(["running", "done", "failed"]),
  done: count,
  total: count,
  error: text.optional(),
});

export const DashboardLink = z.object({ url: text });
export const DashboardKey = z.object({ key: text, expires_at: text });

export { Flow, FlowSummary, Har, Request } from "./flow-answers.ts";
