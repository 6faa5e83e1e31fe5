import type { H3, H3Event, HTTPMethod } from "h3";
import type * as z from "zod/mini";
import type { ParamsIn } from "../../http/request.ts";
import type { ParsedOf, ResultOf, RouteDefinition, RouteTable } from "../../wire/route.ts";
import { SECRET_KEY_HEADER } from "../../wire/ids.ts";
import { Refusal } from "../errors.ts";
import type { InstanceRecord } from "../store/records.ts";
import { readBody } from "./body.ts";
import { admitted, headerIn, type Admitted } from "./context.ts";
import { ANY_ORIGIN, json, Reply, type AnswerHeaders } from "./respond.ts";

/** A request to a route, whose path, query and body have been checked. */
export interface RouteCall<Row = unknown, Owner = unknown, Name = string> {
  readonly event: H3Event;
  readonly request: Admitted;
  readonly params: Row extends { readonly params: unknown }
    ? ParsedOf<Row, "params">
    : Readonly<Record<ParamsIn<Name & string>, string>>;
  readonly query: ParsedOf<Row, "query">;
  readonly body: ParsedOf<Row, "body">;
  readonly owner: Row extends { readonly key: "none" } ? undefined : Owner;
}

/** What is sent as JSON, or a reply of another kind. */
export type RouteAnswer<Row> = ResultOf<Row> | Reply | Promise<ResultOf<Row> | Reply>;

export type HandlersOf<Rows, Owner = unknown> = {
  readonly [Name in keyof Rows]: (call: RouteCall<Rows[Name], Owner, Name>) => RouteAnswer<Rows[Name]>;
};

/** Whose key a request has, and what every answer to it says then. */
export interface Access<Owner> {
  readonly owner?: Owner;
  readonly instance?: InstanceRecord;
  readonly headers?: AnswerHeaders;
}

export interface Gate<Owner> {
  /** Checks the key. @param row undefined if the path has no such method @throws {Refusal} */
  accessOf(event: H3Event, row: RouteDefinition | undefined): Access<Owner> | Promise<Access<Owner>>;
  /** What a schema makes of input. @param whole names the input in an error @throws {Refusal} */
  check(schema: z.ZodMiniType | undefined, input: unknown, whole: string): unknown;
}

/** For pages, which need no key and read their queries themselves. */
const OPEN: Gate<never> = { accessOf: () => ({}), check: () => undefined };

/** A table whose rows may be undocumented. */
export type AnyTable<Rows> = Omit<RouteTable, "routes" | "key"> & { readonly routes: Rows };
type TableRow = Partial<RouteDefinition>;

/** Adds the routes of a table to an application, and for each of their paths the refusal of other methods. */
export function addRoutes<Rows extends Readonly<Record<string, TableRow>>, Owner>(
  app: H3,
  { base, on, routes }: AnyTable<Rows>,
  handlers: HandlersOf<Rows, Owner>,
  { accessOf, check }: Gate<Owner> = OPEN,
): void {
  const allowed = new Map<string, HTTPMethod[]>();
  for (const name of Object.keys(routes)) {
    const [method, path] = name.split(" ") as [HTTPMethod, string];
    const row = routes[name] as RouteDefinition;
    const handle = handlers[name] as (call: RouteCall) => unknown;
    const route = base + path;
    // GET implies HEAD (RFC 9110, 9.3.2).
    const methods: HTTPMethod[] = method === "GET" && !row.hasEffect ? ["GET", "HEAD"] : [method];
    allowed.set(route, [...(allowed.get(route) ?? []), ...methods]);
    const answer = async (event: H3Event): Promise<Reply> => {
      const request = begin(event, route, row.on ?? on);
      // A page must not have a secret key, so none may read what one is answered.
      if (row.isPublic && !headerIn(event, SECRET_KEY_HEADER)) Object.assign(request.headers, ANY_ORIGIN);
      const access = accessOf(event, row);
      const { owner, instance = request.instance, headers } = access instanceof Promise ? await access : access;
      request.instance = instance;
      Object.assign(request.headers, headers);
      const given = event.context.params ?? {};
      const params = row.params ? check(row.params, given, "the path") : given;
      const query = check(row.query, Object.fromEntries(request.query), "the query");
      const body = row.body && check(row.body, await bodyOf(event, row), "the body");
      const result = await handle({ event, request, owner, params, query, body } as RouteCall);
      return result instanceof Reply ? result : json(result, { status: row.status });
    };
    for (const each of methods) app.on(each, route, answer);
  }
  for (const [route, methods] of allowed)
    app.all(route, async (event) => {
      begin(event, route, on);
      await accessOf(event, undefined);
      throw new Refusal("method_not_allowed", undefined, { allow: methods.join(", ") });
    });
}

function begin(event: H3Event, route: string, on: RouteTable["on"]): Admitted {
  const request = admitted(event);
  request.route = route;
  if (!on.includes(request.scope.kind)) throw new Refusal("not_found");
  return request;
}

/** An empty one is `{}` if it may be left out. The log has the body that was sent, although it may be refused. */
async function bodyOf(event: H3Event, { maxBytes, isBodyOptional }: RouteDefinition): Promise<unknown> {
  const body = await readBody(event, maxBytes);
  event.context.request.body = body;
  return body === undefined && isBodyOptional ? {} : body;
}
