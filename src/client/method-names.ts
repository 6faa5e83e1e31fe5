import type { Endpoint } from "../wire/endpoints.ts";

/** What a program calls to reach an endpoint, for errors about its arguments. */
export const METHOD_NAMES: Readonly<Record<Endpoint, string>> = {
  "GET /.well-known/openid-configuration": "discovery",
  "POST /api/v1/tokens/verify": "tokens.verify",
  "GET /api/v1/instances/search": "instances.resolve",
  "GET /api/v1/sessions": "sessions.list",
  "GET /api/v1/sessions/search": "sessions.search",
  "GET /api/v1/sessions/:id": "sessions.get",
  "GET /api/v1/users": "users.list",
  "GET /api/v1/users/search": "users.search",
  "GET /api/v1/users/:id": "users.get",
  "DELETE /api/v1/users/:id": "users.delete",
};
