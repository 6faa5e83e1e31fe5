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

/** The cookies of a request in their order. A name may come twice: another site of the same domain may have set one of them. */
export function cookiesOf(request: RequestLike): [name: string, value: string][] {
  return (headerOf(request, "cookie") ?? "")
    .split(";")
    .map(withoutSpace)
    .filter((pair) => pair.includes("="))
    .map((pair) => [pair.slice(0, pair.indexOf("=")), pair.slice(pair.indexOf("=") + 1)]);
}

/** Not by a regular expression: one that looks for the last space takes quadratic time for spaces in the middle. */
function withoutSpace(text: string): string {
  let [start, end] = [0, text.length];
  while (isSpace(text[start])) start++;
  while (end > start && isSpace(text[end - 1])) end--;
  return text.slice(start, end);
}

function isSpace(character: string | undefined): boolean {
  return character === " " || character === "\t";
}
