import { shellQuoted } from "../../../wire/text/shell-quote.ts";
import type { RequestEntry } from "../../api/records.ts";

type Asked = Pick<RequestEntry["data"], "method" | "path">;

/** A command that repeats a request. The key stays in the environment, so that the command can be shared. */
export function asCurl({ method, path }: Asked, origin: string): string {
  const parts = ["curl", ...(method === "GET" ? [] : ["-X", method]), shellQuoted(origin + path)];
  if (path.startsWith("/api/")) parts.push('-H "X-Service-Secret-Key: $SVC_SECRET_KEY"');
  if (path.startsWith("/__svc/v1/")) parts.push('-H "Authorization: Bearer $SVC_CONTROL_KEY"');
  if (path.startsWith("/api/v1/tokens/verify"))
    parts.push("-H 'Content-Type: application/json'", '-d "{\\"token\\": \\"$TOKEN\\"}"');
  return parts.join(" ");
}

/** The same with the typed client; undefined if the client has no method for it. */
export function asClientCode({ method, path }: Asked, origin: string): string | undefined {
  const url = new URL(path, origin);
  const call = METHODS.find(([wanted, pattern]) => wanted === method && pattern.test(url.pathname));
  if (!call) return undefined;
  const [, pattern, write] = call;
  return `import { createClient } from "svc-identity";

const svc = createClient({ secretKey: process.env.SVC_SECRET_KEY, baseUrl: ${JSON.stringify(origin)} });
console.log(await ${write(decodeURIComponent(pattern.exec(url.pathname)![1] ?? ""), url.searchParams)});`;
}

const METHODS: readonly (readonly [string, RegExp, (id: string, query: URLSearchParams) => string])[] = [
  [
    "GET",
    /^\/api\/v1\/(users|sessions)\/search$/,
    (noun, query) => `svc.${noun}.search(${JSON.stringify(query.get("query") ?? "")})`,
  ],
  ["GET", /^\/api\/v1\/(users|sessions)$/, (noun) => `svc.${noun}.list()`],
  ["GET", /^\/api\/v1\/users\/([^/]+)$/, (id) => `svc.users.get(${JSON.stringify(id)})`],
  ["GET", /^\/api\/v1\/sessions\/([^/]+)$/, (id) => `svc.sessions.get(${JSON.stringify(id)})`],
  ["DELETE", /^\/api\/v1\/users\/([^/]+)$/, (id) => `svc.users.delete(${JSON.stringify(id)})`],
  ["POST", /^\/api\/v1\/tokens\/verify$/, () => "svc.tokens.verify(process.env.TOKEN)"],
  ["GET", /^\/\.well-known\/openid-configuration$/, () => "svc.discovery()"],
];
