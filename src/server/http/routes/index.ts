import type { Route } from "../../../wire/endpoints.ts";
import type { SIGNED_IN_PATH } from "../../../wire/try-target.ts";
import type { RouteDefinition } from "./route.ts";
import { discovery } from "./discovery.ts";
import { home, signedIn } from "./home.ts";
import { identity } from "./identity.ts";
import { preflightInstances, searchInstances } from "./instances.ts";
import { authorize, beginAtFront, callback, signIn } from "./oauth.ts";
import { getSession, listSessions, searchSessions } from "./sessions.ts";
import { avatar, simulatedAccounts, simulatedAuthorize } from "./simulator.ts";
import { verifyToken } from "./tokens.ts";
import { deleteUser, getUser, listUsers, searchUsers } from "./users.ts";

/** Pages and steps of svc itself, which the specification does not name. */
type OwnRoute =
  | "GET /"
  | "GET /__svc/begin"
  | "GET /__svc/identity"
  | `GET ${typeof SIGNED_IN_PATH}`
  | "GET /__svc/simulator/:provider/authorize"
  | "GET /__svc/simulator/:provider/accounts"
  | "GET /__svc/simulator/avatars/:file";
type Preflight = "OPTIONS /api/v1/instances/search";

export const ROUTES: Readonly<Record<Route | Preflight | OwnRoute, RouteDefinition>> = {
  "GET /sign-in": signIn,
  "GET /oauth/authorize": authorize,
  "GET /oauth/:provider/callback": callback,
  "GET /.well-known/openid-configuration": discovery,
  "POST /api/v1/tokens/verify": verifyToken,
  "GET /api/v1/instances/search": searchInstances,
  "OPTIONS /api/v1/instances/search": preflightInstances,
  "GET /api/v1/sessions": listSessions,
  "GET /api/v1/sessions/search": searchSessions,
  "GET /api/v1/sessions/:id": getSession,
  "GET /api/v1/users": listUsers,
  "GET /api/v1/users/search": searchUsers,
  "GET /api/v1/users/:id": getUser,
  "DELETE /api/v1/users/:id": deleteUser,

  "GET /": home,
  "GET /__svc/begin": beginAtFront,
  "GET /__svc/identity": identity,
  "GET /__svc/signed-in": signedIn,
  "GET /__svc/simulator/:provider/authorize": simulatedAuthorize,
  "GET /__svc/simulator/:provider/accounts": simulatedAccounts,
  "GET /__svc/simulator/avatars/:file": avatar,
};
