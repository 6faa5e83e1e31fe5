import type * as z from "zod/mini";
import type { ErrorCode } from "./errors.ts";

export const MAX_BODY_BYTES = 65_536;

/** A host that serves routes: the front door, an instance's own address, or `{api_url}`. */
export type Host = "front" | "instance" | "api";

/**
 * Whose key a request must have: `secret`, an instance's; `either`, its secret or publishable key; `control`, the control
 * API's; `none`.
 */
export type Key = "secret" | "either" | "control" | "none";

/** A row of a table of routes. The server's checks, the clients' types, the OpenAPI document and the reference follow from it. */
export interface RouteDefinition {
  /** A sentence for the reference. */
  readonly does: string;
  /** Default: that of its table. */
  readonly key?: Key;
  /** The error for a request without a key. Default: `unauthorized`. */
  readonly missingKey?: ErrorCode;
  /** The hosts that serve it. Default: those of its table. */
  readonly on?: readonly Host[];
  /** Whether a GET saves or uses up something. Then HEAD, which must not change anything, is refused. */
  readonly hasEffect?: true;
  /** Whether a page of any site may read the answer. */
  readonly isPublic?: true;
  /** Whether only a browser that navigates to it is answered: with a redirect, or with a page. */
  readonly isNavigation?: true;
  /** Default: the path's parameters, as they are. */
  readonly params?: z.ZodMiniType;
  /** Default: no parameters. */
  readonly query?: z.ZodMiniType;
  readonly body?: z.ZodMiniType;
  /** Whether the body may be left out, which means `{}`. */
  readonly isBodyOptional?: boolean;
  /** Maximum size of the body in bytes. Default: `MAX_BODY_BYTES`. */
  readonly maxBytes?: number;
  /** The body of a good answer. Only a route for navigation has none. */
  readonly answer?: z.ZodMiniType;
  /** Default 200. */
  readonly status?: number;
  /** The errors beside those of every route of its table. */
  readonly errors?: readonly ErrorCode[];
  /** The client's method, such as `users.get`. */
  readonly method?: string;
}

/** The routes of an API, by method and path below `base`, and what holds for those that say nothing else. */
export interface RouteTable {
  readonly base: string;
  readonly key: Key;
  readonly on: readonly Host[];
  readonly routes: Readonly<Record<string, RouteDefinition>>;
}

/** What is sent to a route, before defaults are filled in, and what its handler gets. Undefined if the row has no such part. */
export type InputOf<Row, Part extends "query" | "body"> =
  Row extends Readonly<Record<Part, infer Schema extends z.ZodMiniType>> ? z.input<Schema> : undefined;
export type ParsedOf<Row, Part extends "params" | "query" | "body"> =
  Row extends Readonly<Record<Part, infer Schema extends z.ZodMiniType>> ? z.output<Schema> : undefined;
export type ResultOf<Row> = Row extends { readonly answer: infer Schema extends z.ZodMiniType }
  ? z.output<Schema>
  : never;

type Plain<Type> = Type extends object
  ? Type extends infer Known
    ? { [Name in keyof Known]: Plain<Known[Name]> }
    : never
  : Type;

/**
 * For what follows from a schema: the type of its result names no validator in the published declarations, so a program
 * needs none to read them. There is no value.
 */
export function plain<Type>(): Plain<Type> {
  return undefined as never;
}
