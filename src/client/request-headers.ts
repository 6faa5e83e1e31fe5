import { ConfigError } from "./errors.ts";

/**
 * A request of fetch (`Request`, a `Headers` inside), of Node (`IncomingMessage`, an object inside), or an event of a gateway,
 * whose names may have capitals.
 */
export interface RequestLike {
  readonly headers:
    | { get(name: string): string | null }
    | Readonly<Record<string, string | readonly string[] | undefined>>;
}

/** @param name in lower case @throws {ConfigError} for what has no headers */
export function headerOf(request: RequestLike, name: string): string | undefined {
  // A program without types may pass anything, such as Hono's context. Some gateways have null for no headers.
  const headers = request?.headers;
  if (typeof headers !== "object")
    throw new ConfigError("The request has no headers. Pass a Request or Node's own, such as c.req.raw in Hono");
  if (typeof headers?.get === "function") return headers.get(name) ?? undefined;
  const fields = (headers ?? {}) as Readonly<Record<string, string | readonly string[] | undefined>>;
  const value = fields[name] ?? fields[Object.keys(fields).find((key) => key.toLowerCase() === name) ?? name];
  return typeof value === "object" ? value.join("; ") : value;
}
