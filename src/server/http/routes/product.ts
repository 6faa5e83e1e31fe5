import type { H3 } from "h3";
import { PUBLISHABLE_KEY_HEADER, isUuid } from "../../../wire/ids.ts";
import { Authorize, refusalOfInput } from "../../../wire/product/inputs.ts";
import { PRODUCT_API, PRODUCT_ROUTES } from "../../../wire/product/routes.ts";
import type { VerifiedToken } from "../../../wire/resources.ts";
import type { RouteDefinition } from "../../../wire/route.ts";
import { Refusal } from "../../errors.ts";
import { requireActive } from "../../sign-in/begin.ts";
import type { InstanceRecord, SessionRecord } from "../../store/records.ts";
import type { Store, UserView } from "../../store/store.ts";
import { callerIn } from "../context.ts";
import { addRoutes, type HandlersOf, type Gate } from "../dispatch.ts";
import { toInstance, toSession, toUser, toVerifiedToken } from "../resources.ts";
import { json } from "../respond.ts";
import { requireEitherKey, requireNavigation, requireSecretKey, type ApiDeps } from "./access.ts";
import { list, lowerCaseId, type ListOptions } from "./list.ts";
import { oauthRoutes, type SignInRouteDeps } from "./oauth.ts";

/** The routes of the specification, and steps of its sign-in that it does not name. */
const ROWS = {
  ...PRODUCT_ROUTES,
  /** The second hop of a browser that asked another host to sign it in at a real provider. */
  "GET /__svc/begin": { on: ["front"], key: "none", isNavigation: true, hasEffect: true, query: Authorize },
  /** The CORS preflight for the key's header. */
  "OPTIONS /api/v1/instances/search": { on: ["front", "api", "instance"], key: "none", isPublic: true },
} as const satisfies Readonly<Record<string, Partial<RouteDefinition>>>;

export function addProductRoutes(app: H3, deps: ApiDeps & SignInRouteDeps): void {
  const { store, addresses, audit } = deps;
  const oauth = oauthRoutes(deps);
  const handlers: HandlersOf<typeof ROWS, InstanceRecord> = {
    ...oauth,
    "GET /__svc/begin": oauth["GET /oauth/authorize"],

    "GET /.well-known/openid-configuration": ({ request }) => {
      // At the front door, the first one.
      const instance = requireActive(deps.instances.at(request.scope));
      // The address that was asked: a strict client compares the issuer with it (OpenID Connect Discovery, 4.3).
      const base = request.scope.kind === "front" ? addresses.front : addresses.instanceUrl(instance);
      const document = {
        issuer: base,
        authorization_endpoint: `${base}/oauth/authorize`,
        token_endpoint: `${base}/api/v1/tokens/verify`,
        userinfo_endpoint: `${base}/api/v1/users`,
        response_types_supported: ["code"],
        subject_types_supported: ["public"],
        id_token_signing_alg_values_supported: ["HS256"],
      };
      return json(document, { noted: { instance } });
    },

    "POST /api/v1/tokens/verify": ({ owner, body: { token } }) => verifiedToken(deps, owner, token),

    "GET /api/v1/instances/search": ({ owner, query: { query: wanted } }) => {
      // For a key, instances other than its own do not exist.
      if (wanted !== owner.publishable_key) throw new Refusal("instance_not_found");
      return toInstance(owner, addresses);
    },

    "OPTIONS /api/v1/instances/search": () => {
      const headers = {
        "access-control-allow-methods": "GET",
        "access-control-allow-headers": PUBLISHABLE_KEY_HEADER,
        "access-control-max-age": "600",
      };
      return json({}, { headers });
    },

    "GET /api/v1/users": (call) => list(call, deps, userList(store, call.owner, toUser)),

    "GET /api/v1/users/search": (call) => list(call, deps, userList(store, call.owner, toUser), call.query.query),

    "GET /api/v1/users/:id": async ({ owner, params }) => {
      const found = await store.findUser(owner.id, params.id);
      if (!found) throw new Refusal("user_not_found");
      return toUser(found);
    },

    "DELETE /api/v1/users/:id": async ({ event, owner, params: { id } }) => {
      if (!(await store.deleteUser(owner.id, id))) throw new Refusal("user_not_found");
      audit(event, { action: "user_deleted", instance_id: owner.id, id });
      return { deleted: true, id };
    },

    "GET /api/v1/sessions": (call) => list(call, deps, sessionList(store, call.owner, toSession)),

    "GET /api/v1/sessions/search": (call) =>
      list(call, deps, sessionList(store, call.owner, toSession), call.query.query),

    "GET /api/v1/sessions/:id": async ({ owner, params }) => {
      const session = await store.find("sessions", { instance_id: owner.id, id: params.id });
      if (!session) throw new Refusal("session_not_found");
      return toSession(session);
    },
  };
  addRoutes(app, { ...PRODUCT_API, routes: ROWS }, handlers, productService(deps));
}

function productService(deps: ApiDeps): Gate<InstanceRecord> {
  return {
    accessOf(event, row) {
      if (row?.isNavigation) requireNavigation(callerIn(event, deps.addresses.isHttps));
      if (row === undefined || row.key === "none") return {};
      if (row.key === "either") return requireEitherKey(event, deps);
      return requireSecretKey(event, deps, row.missingKey ?? "unauthorized");
    },
    check(schema, input) {
      if (!schema) return undefined;
      const result = schema.safeParse(input);
      if (result.success) return result.data;
      const { code, detail } = refusalOfInput(schema, result.error);
      throw new Refusal(code, detail);
    },
  };
}

/** Whose token it is. @throws {Refusal} one of the `token_…` codes, or `user_not_found` */
export async function verifiedToken(
  { store, tokens, now }: Pick<ApiDeps, "store" | "tokens" | "now">,
  instance: InstanceRecord,
  token: string,
): Promise<VerifiedToken> {
  const claims = await tokens.verify(instance, token, now());
  const found = isUuid(claims.sub) ? await store.findUser(instance.id, claims.sub) : undefined;
  if (!found) throw new Refusal("user_not_found");
  return toVerifiedToken(claims, found);
}

export function userList<Shown>(
  store: Store,
  { id: instance_id }: InstanceRecord,
  present: (view: UserView) => Shown,
): ListOptions<UserView, Shown> {
  return {
    name: `users ${instance_id}`,
    find: (page) => store.users(instance_id, page),
    findById: (id) => store.findUser(instance_id, lowerCaseId(id)),
    positionOf: ({ user }) => ({ time: user.created_at, id: user.id }),
    present,
  };
}

export function sessionList<Shown>(
  store: Store,
  { id: instance_id }: InstanceRecord,
  present: (session: SessionRecord) => Shown,
): ListOptions<SessionRecord, Shown> {
  return {
    name: `sessions ${instance_id}`,
    find: (page) => store.sessions(instance_id, page),
    findById: (id) => store.find("sessions", { instance_id, id: lowerCaseId(id) }),
    positionOf: ({ last_signin_at, id }) => ({ time: last_signin_at, id }),
    present,
  };
}
