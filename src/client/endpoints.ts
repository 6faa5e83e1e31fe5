import type { Endpoint, Endpoints } from "../wire/product/routes.ts";

/** How a good answer is told from any other JSON: it is a list, a record of this resource, or whatever passes a check. */
type FormOf<Result> = Result extends readonly unknown[]
  ? "list"
  : (Result extends { resource: infer Name } ? Name : never) | ((body: Readonly<Record<string, unknown>>) => boolean);

interface EndpointLine<E extends Endpoint> {
  /** What a program calls, for errors about its arguments. */
  readonly method: Endpoints[E]["method"];
  /** The minimum. The rest is left to the types, so that new fields break no program. */
  readonly answer: FormOf<Endpoints[E]["result"]>;
}

/** What the client knows of each endpoint while it runs: the table of routes itself is schemas, of which it has the types alone. */
export const ENDPOINTS: { readonly [E in Endpoint]: EndpointLine<E> } = {
  "GET /.well-known/openid-configuration": {
    method: "discovery",
    answer: ({ issuer }) => typeof issuer === "string",
  },
  "POST /api/v1/tokens/verify": {
    method: "tokens.verify",
    answer: (body) => isRecord("token", body) && (body["data"] as { valid?: unknown }).valid === true,
  },
  "GET /api/v1/instances/search": { method: "instances.resolve", answer: "instance" },
  "GET /api/v1/sessions": { method: "sessions.list", answer: "list" },
  "GET /api/v1/sessions/search": { method: "sessions.search", answer: "list" },
  "GET /api/v1/sessions/:id": { method: "sessions.get", answer: "session" },
  "GET /api/v1/users": { method: "users.list", answer: "list" },
  "GET /api/v1/users/search": { method: "users.search", answer: "list" },
  "GET /api/v1/users/:id": { method: "users.get", answer: "user" },
  "DELETE /api/v1/users/:id": { method: "users.delete", answer: ({ deleted }) => deleted === true },
};

/** Whether the body of a response has the form of the endpoint's answer. */
export function isAnswer(route: Endpoint, body: unknown): boolean {
  const { answer } = ENDPOINTS[route];
  if (answer === "list") return Array.isArray(body);
  if (!isObject(body)) return false;
  return typeof answer === "string" ? isRecord(answer, body) : answer(body);
}

function isRecord(resource: string, body: Readonly<Record<string, unknown>>): boolean {
  return body["resource"] === resource && typeof body["id"] === "string" && isObject(body["data"]);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}

/** Undefined if nothing has this path. */
type PartAt<Whole, Path> = Path extends `${infer Name}.${infer Rest}`
  ? PartAt<PartAt<Whole, Name>, Rest>
  : Path extends keyof Whole
    ? Whole[Path]
    : undefined;

/** The endpoints that a client has no method for that returns their result. */
type Unreachable<Client> = {
  [E in Endpoint]: PartAt<Client, Endpoints[E]["method"]> extends (
    ...input: never
  ) => PromiseLike<Endpoints[E]["result"]>
    ? never
    : E;
}[Endpoint];

/** A client that has every method of the table of routes. */
export type Complete<Client> = [Unreachable<Client>] extends [never] ? Client : { lacks: Unreachable<Client> };
