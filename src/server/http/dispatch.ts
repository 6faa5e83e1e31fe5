import { HTTPResponse, type H3, type H3Event, type HTTPMethod } from "h3";
import type * as z from "zod/mini";
import type { ParamsIn } from "../../wire/http/request.ts";
import type { ParsedOf, ResultOf, RouteDefinition, RouteTable } from "../../wire/route.ts";
import { ApiError } from "../errors.ts";
import { readBody } from "./body.ts";
import { admitted, type Admitted } from "./context.ts";
import { json, type Sent } from "./respond.ts";

/** A request to a route, whose path, query and body have been checked. */
export interface Call<Row = unknown, Owner = unknown, Name = string> {
  readonly event: H3Event;
  readonly request: Admitted;
  readonly params: Row extends { readonly params: unknown }
    ? ParsedOf<Row, "params">
    : Readonly<Record<ParamsIn<Name & string>, string>>;
  readonly query: ParsedOf<Row, "query">;
  readonly body: ParsedOf<Row, "body">;
  /** The owner of the key. */
  readonly owner: Row extends { readonly key: "none" } ? undefined : Owner;
}

/** What is sent as JSON, or an answer of h3. */
export type Answer<Row> = ResultOf<Row> | Sent | Promise<ResultOf<Row> | Sent>;

export type HandlersOf<Rows, Owner = unknown> = {
  readonly [Name in keyof Rows]: (call: Call<Rows[Name], Owner, Name>) => Answer<Rows[Name]>;
};

export interface Service<Owner> {
  /** Checks the key. @param row undefined if the path has no such method @throws {ApiError} */
  admit(event: H3Event, row: RouteDefinition | undefined): Owner | undefined | Promise<Owner | undefined>;
  /** What a schema makes of input. @param whole names the input in an error @throws {ApiError} */
  check(schema: z.ZodMiniType | undefined, input: unknown, whole: string): unknown;
}

/** For pages, which need no key and read their queries themselves. */
const OPEN: Service<never> = { admit: () => undefined, check: () => undefined };

/** A table whose rows may be undocumented. */
export type Table<Rows> = Omit<RouteTable, "routes" | "key"> & { readonly routes: Rows };
type TableRow = Partial<RouteDefinition>;

/** Adds the routes of a table to an application, and for each of their paths the refusal of other methods. */
export function addRoutes<Rows extends Readonly<Record<string, TableRow>>, Owner>(
  app: H3,
  { base, on, routes }: Table<Rows>,
  handlers: HandlersOf<Rows, Owner>,
  { admit, check }: Service<Owner> = OPEN,
): void {
  const allowed = new Map<string, HTTPMethod[]>();
  for (const name of Object.keys(routes)) {
    const [method, path] = name.split(" ") as [HTTPMethod, string];
    const row = routes[name] as RouteDefinition;
    const handle = handlers[name] as (call: Call) => unknown;
    const route = base + path;
    // GET implies HEAD (RFC 9110, 9.3.2).
    const methods: HTTPMethod[] = method === "GET" && !row.hasEffect ? ["GET", "HEAD"] : [method];
    allowed.set(route, [...(allowed.get(route) ?? []), ...methods]);
    const answer = async (event: H3Event): Promise<unknown> => {
      const request = begin(event, route, row.on ?? on);
      const owner = await admit(event, row);
      const params = event.context.params ?? {};
      const result = await handle({
        event,
        request,
        owner,
        params: row.params ? check(row.params, params, "the path") : params,
        query: check(row.query, Object.fromEntries(request.query), "the query"),
        body: row.body && check(row.body, await readBody(event, row), "the body"),
      } as Call);
      return isAnswer(result) ? result : json(event, result, event.res.status ?? row.status);
    };
    for (const each of methods) app.on(each, route, answer);
  }
  for (const [route, methods] of allowed)
    app.all(route, async (event) => {
      begin(event, route, on);
      await admit(event, undefined);
      throw new ApiError("method_not_allowed", undefined, { allow: methods.join(", ") });
    });
}

function begin(event: H3Event, route: string, on: RouteTable["on"]): Admitted {
  const request = admitted(event);
  request.route = route;
  if (!on.includes(request.scope.kind)) throw new ApiError("not_found");
  return request;
}

function isAnswer(result: unknown): result is Sent {
  return result instanceof HTTPResponse || typeof result === "string" || result instanceof Uint8Array;
}
