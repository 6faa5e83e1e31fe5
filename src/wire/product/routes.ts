import * as z from "zod/mini";
import type { ErrorCode } from "../errors.ts";
import { SESSION_FIELDS, USER_FIELDS } from "../search/fields.ts";
import type { ParamsIn } from "../../http/request.ts";
import type { InputOf, ResultOf, RouteDefinition, RouteTable } from "../route.ts";
import * as i from "./inputs.ts";
import * as r from "./resources.ts";

/** A row has an answer and the client's method, or is for browsers. */
type ProductRoute = RouteDefinition & { readonly errors: readonly ErrorCode[] } & (
    | { readonly answer: z.ZodMiniType; readonly method: string; readonly isNavigation?: never }
    | { readonly answer?: never; readonly method?: never; readonly isNavigation: true; readonly key: "none" }
  );

/** The browser's side of a sign-in. Each step saves or uses up a state. */
const NAVIGATION = { isNavigation: true, hasEffect: true, key: "none" } as const;
const SIGN_IN_ERRORS = [
  "unknown_provider",
  "provider_not_configured",
  "invalid_redirect_uri",
  "instance_not_found",
  "too_many_sign_ins",
] as const;
const SEARCH_ERRORS = ["query_required", "invalid_query", "search_too_slow", "unauthorized"] as const;

/** Every route of the specification. It decides what they do, and with which errors. */
export const PRODUCT_ROUTES = {
  "GET /sign-in": {
    ...NAVIGATION,
    does: "Starts a sign-in with the instance's default provider, unless the query names another.",
    query: i.SignInQuery,
    errors: SIGN_IN_ERRORS,
  },
  "GET /oauth/authorize": {
    ...NAVIGATION,
    does: "Starts a sign-in with a provider.",
    query: i.Authorize,
    errors: SIGN_IN_ERRORS,
  },
  "GET /oauth/:provider/callback": {
    ...NAVIGATION,
    does: "Completes a sign-in: redirects to the application, with token or error in the query.",
    on: ["front"],
    params: i.ProviderName,
    query: i.Callback,
    errors: ["invalid_state", "unknown_provider"],
  },
  "GET /.well-known/openid-configuration": {
    does: "Retrieves the discovery document.",
    method: "discovery",
    key: "none",
    isPublic: true,
    answer: r.Discovery,
    errors: ["instance_not_found"],
  },
  "POST /api/v1/tokens/verify": {
    does: "Verifies a token.",
    method: "tokens.verify",
    missingKey: "missing_secret_key",
    body: i.TokenToVerify,
    answer: r.VerifiedToken,
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
    method: "instances.resolve",
    key: "either",
    isPublic: true,
    on: ["front", "api", "instance"],
    query: i.InstanceSearch,
    answer: r.Instance,
    errors: ["publishable_key_required", "unauthorized", "instance_not_found"],
  },
  "GET /api/v1/users": {
    does: "Lists users.",
    method: "users.list",
    query: i.listQuery("/api/v1/users"),
    answer: z.array(r.User),
    errors: ["unauthorized"],
  },
  "GET /api/v1/users/search": {
    does: "Searches users.",
    method: "users.search",
    query: i.searchQuery(USER_FIELDS),
    answer: z.array(r.User),
    errors: SEARCH_ERRORS,
  },
  "GET /api/v1/users/:id": {
    does: "Retrieves a user.",
    method: "users.get",
    missingKey: "missing_secret_key",
    params: i.Id,
    answer: r.User,
    errors: ["missing_secret_key", "unauthorized", "user_not_found"],
  },
  "DELETE /api/v1/users/:id": {
    does: "Permanently deletes a user, with its identities and sessions.",
    method: "users.delete",
    missingKey: "missing_secret_key",
    params: i.Id,
    answer: r.DeletedUser,
    errors: ["missing_secret_key", "unauthorized", "user_not_found"],
  },
  "GET /api/v1/sessions": {
    does: "Lists sessions, the most recent sign-in first.",
    method: "sessions.list",
    query: i.listQuery("/api/v1/sessions"),
    answer: z.array(r.Session),
    errors: ["unauthorized"],
  },
  "GET /api/v1/sessions/search": {
    does: "Searches sessions.",
    method: "sessions.search",
    query: i.searchQuery(SESSION_FIELDS),
    answer: z.array(r.Session),
    errors: SEARCH_ERRORS,
  },
  "GET /api/v1/sessions/:id": {
    does: "Retrieves a session.",
    method: "sessions.get",
    params: i.Id,
    answer: r.Session,
    errors: ["unauthorized", "session_not_found"],
  },
} as const satisfies Readonly<Record<string, ProductRoute>>;

export const PRODUCT_API = {
  base: "",
  key: "secret",
  on: ["front", "instance"],
  routes: PRODUCT_ROUTES,
} as const satisfies RouteTable;

type Rows = typeof PRODUCT_ROUTES;
export type Route = keyof Rows;
/** A route that answers with JSON. The client has a method for each. */
export type Endpoint = { [R in Route]: Rows[R] extends { answer: unknown } ? R : never }[Route];

type Input<R extends Route> = ([ParamsIn<R>] extends [never] ? unknown : { params: Record<ParamsIn<R>, string> }) &
  (Rows[R] extends { query: unknown } ? { query: InputOf<Rows[R], "query"> } : unknown) &
  (Rows[R] extends { body: unknown } ? { body: InputOf<Rows[R], "body"> } : unknown);

/** What the client sends to each endpoint, what it gets, and with which method. */
export type Endpoints = {
  [E in Endpoint]: { input: Input<E>; result: ResultOf<Rows[E]>; method: Rows[E]["method"] };
};
