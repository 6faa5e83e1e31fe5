/** The names of the parameters in a path. */
export type ParamsIn<Path extends string> = Path extends `${string}/:${infer Name}/${infer Rest}`
  ? Name | ParamsIn<`/${Rest}`>
  : Path extends `${string}/:${infer Name}`
    ? Name
    : never;

/** The path and query that a request of a route has: `GET /users/:id`. What is undefined in the query is left out. */
export function requestPath(route: string, params: Readonly<Record<string, string>> = {}, query: object = {}): string {
  const path = route
    .slice(route.indexOf("/"))
    .replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(params[name] ?? ""));
  const pairs = Object.entries(query).filter(([, value]) => value !== undefined);
  return pairs.length === 0 ? path : `${path}?${pairs.map(encodePair).join("&")}`;
}

/** `name=value`, with a space as `%20`: a strict reader takes `+` for itself. */
export function encodePair([name, value]: readonly [name: string, value: unknown]): string {
  return `${encodeURIComponent(name)}=${encodeURIComponent(String(value))}`;
}

/** An address without slashes at its end, so that a path can follow. */
export function trimSlash(url: string): string {
  return url.replace(/\/+$/, "");
}
