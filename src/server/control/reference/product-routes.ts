import * as z from "zod";
import { Session } from "../../../wire/control/answers.ts";
import { AFTER } from "../../../wire/control/values.ts";
import type { Route } from "../../../wire/endpoints.ts";
import { ERRORS, type ErrorCode } from "../../../wire/errors.ts";
import { MAX_PAGE_SIZE, PROVIDERS } from "../../../wire/names.ts";
import type * as resources from "../../../wire/resources.ts";

/** How a route of the product API is described. The specification decides what it does. */
export interface ProductRoute {
  readonly does: string;
  readonly key?: "secret" | "either";
  readonly query?: z.ZodType;
  readonly body?: z.ZodType;
  /** Undefined if the route redirects. */
  readonly answer?: z.ZodType;
  /** The errors besides `COMMON_ERRORS`. */
  readonly errors: readonly ErrorCode[];
}

const text = z.string();
const provider = z.enum(PROVIDERS);
const user: z.ZodType<resources.User> = z.object({
  id: z.uuid(),
  resource: z.literal("user"),
  data: z.object({
    email: text,
    name: text,
    avatar_url: text.nullable(),
    email_verified: z.boolean(),
    providers: z.array(provider),
    created_at: text,
  }),
});
const session: z.ZodType<resources.Session> = z.object({
  id: z.uuid(),
  resource: z.literal("session"),
  data: Session.shape.data.omit({ instance: true }).extend({ user_id: z.uuid() }),
});
const instance: z.ZodType<resources.Instance> = z.object({
  id: z.uuid(),
  resource: z.literal("instance"),
  data: z.object({ publishable_key: text, url: text.nullable(), subdomain: text.nullable() }),
});
const token: z.ZodType<resources.VerifiedToken> = z.object({
  id: z.uuid(),
  resource: z.literal("token"),
  data: z.object({
    valid: z.literal(true),
    email: text,
    name: text,
    avatar_url: text,
    provider: z.enum([...PROVIDERS, "email"]),
  }),
});
const discovery = z.object({
  issuer: text,
  authorization_endpoint: text,
  token_endpoint: text,
  userinfo_endpoint: text,
  response_types_supported: z.array(text),
  subject_types_supported: z.array(text),
  id_token_signing_alg_values_supported: z.array(text),
});
const page = z.object({ limit: z.int().min(1).max(MAX_PAGE_SIZE).optional(), after: text.optional().describe(AFTER) });
const search = page.extend({ query: text });
const redirect = z.object({
  redirect_uri: text,
  login_hint: text.optional(),
  instance: text.optional().describe("A subdomain or id; default: the instance of the address"),
  publishable_key: text.optional().describe("Names the instance in place of instance"),
});

/** The errors that every route can return. */
const COMMON_ERRORS = ["bad_request", "not_found", "unknown_host", "internal", "storage_unavailable"] as const;
const SIGN_IN_ERRORS = [
  "unknown_provider",
  "provider_not_configured",
  "invalid_redirect_uri",
  "instance_not_found",
  "too_many_sign_ins",
] as const;
const LIST = { key: "secret", query: page, errors: ["unauthorized"] } as const;
const SEARCH = {
  key: "secret",
  query: search,
  errors: ["query_required", "invalid_query", "search_too_slow", "unauthorized"],
} as const;

/** Every route of the specification. */
export const PRODUCT_ROUTES: Readonly<Record<Route, ProductRoute>> = {
  "GET /sign-in": {
    does: "Starts a sign-in with the instance's default provider, unless the query names another.",
    query: redirect.extend({ provider: provider.optional() }),
    errors: SIGN_IN_ERRORS,
  },
  "GET /oauth/authorize": {
    does: "Starts a sign-in with a provider.",
    query: redirect.extend({ provider }),
    errors: SIGN_IN_ERRORS,
  },
  "GET /oauth/:provider/callback": {
    does: "Completes a sign-in: redirects to the application, with token or error in the query.",
    query: z.object({ state: text, code: text.optional(), error: text.optional() }),
    errors: ["invalid_state", "unknown_provider"],
  },
  "GET /.well-known/openid-configuration": {
    does: "Retrieves the discovery document.",
    answer: discovery,
    errors: ["instance_not_found"],
  },
  "POST /api/v1/tokens/verify": {
    does: "Verifies a token.",
    key: "secret",
    body: z.object({ token: text }),
    answer: token,
    errors: [
      "missing_token",
      "invalid_json",
      "missing_secret_key",
      "unauthorized",
      "token_invalid_signature",
      "token_wrong_instance",
      "token_expired",
      "token_invalid",
      "user_not_found",
      "body_too_large",
      "unsupported_media_type",
    ],
  },
  "GET /api/v1/instances/search": {
    does: "Resolves an instance by its publishable key.",
    key: "either",
    query: z.object({ query: text.describe("publishable_key:pk_…") }),
    answer: instance,
    errors: ["publishable_key_required", "unauthorized", "instance_not_found"],
  },
  "GET /api/v1/users": { ...LIST, does: "Lists users.", answer: z.array(user) },
  "GET /api/v1/users/search": { ...SEARCH, does: "Searches users.", answer: z.array(user) },
  "GET /api/v1/users/:id": {
    does: "Retrieves a user.",
    key: "secret",
    answer: user,
    errors: ["missing_secret_key", "unauthorized", "user_not_found"],
  },
  "DELETE /api/v1/users/:id": {
    does: "Permanently deletes a user, with its identities and sessions.",
    key: "secret",
    answer: z.object({ deleted: z.literal(true), id: z.uuid() }),
    errors: ["missing_secret_key", "unauthorized", "user_not_found"],
  },
  "GET /api/v1/sessions": { ...LIST, does: "Lists sessions, the most recent sign-in first.", answer: z.array(session) },
  "GET /api/v1/sessions/search": { ...SEARCH, does: "Searches sessions.", answer: z.array(session) },
  "GET /api/v1/sessions/:id": {
    does: "Retrieves a session.",
    key: "secret",
    answer: session,
    errors: ["unauthorized", "session_not_found"],
  },
};

/** The statuses of a route's errors, with their sentences. */
export function errorsOf({ key, errors }: ProductRoute): Map<number, string> {
  const statuses = new Map<number, string>();
  for (const code of [...errors, ...(key ? (["cross_origin"] as const) : []), ...COMMON_ERRORS]) {
    const { status, error } = ERRORS[code];
    statuses.set(status, [statuses.get(status), error].filter(Boolean).join("; "));
  }
  return statuses;
}
