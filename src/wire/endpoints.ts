import type { DeletedUser, Discovery, Instance, Session, User, VerifiedToken } from "./resources.ts";

/**
 * Optional paging of a list: at most `limit` (1 to 1000) records, those after the user `after` (an id) or session `after` (a
 * `session_id`), or after the position that a `Link` header has in its place.
 */
export interface Page {
  limit?: number | undefined;
  after?: string | undefined;
}

/** Every JSON endpoint, with its input and result. The types of server and client follow from this table. */
export interface Endpoints {
  "GET /.well-known/openid-configuration": { result: Discovery };
  "POST /api/v1/tokens/verify": { body: { token: string }; result: VerifiedToken };
  "GET /api/v1/instances/search": { query: { query: string }; result: Instance };
  "GET /api/v1/sessions": { query: Page; result: Session[] };
  "GET /api/v1/sessions/search": { query: Page & { query: string }; result: Session[] };
  "GET /api/v1/sessions/:id": { params: { id: string }; result: Session };
  "GET /api/v1/users": { query: Page; result: User[] };
  "GET /api/v1/users/search": { query: Page & { query: string }; result: User[] };
  "GET /api/v1/users/:id": { params: { id: string }; result: User };
  "DELETE /api/v1/users/:id": { params: { id: string }; result: DeletedUser };
}
export type Endpoint = keyof Endpoints;

/** The browser's side of a sign-in: these answer with redirects, or with a page. */
export type BrowserRoute = "GET /sign-in" | "GET /oauth/authorize" | "GET /oauth/:provider/callback";
export type Route = Endpoint | BrowserRoute;
