import { hash } from "node:crypto";
import { readFile } from "node:fs/promises";
import type { H3Event } from "h3";
import { Refusal } from "../errors.ts";
import { headerIn } from "../http/context.ts";
import type { RouteCall } from "../http/dispatch.ts";
import { TOKENS } from "../http/pages/tokens.ts";
import { HTML, redirect, Reply } from "../http/respond.ts";

const SCRIPT = { "content-type": "text/javascript; charset=utf-8" };
const STYLE = { "content-type": "text/css; charset=utf-8" };
/** Scripts, styles and data from the dashboard's own origin only. */
const DASHBOARD = {
  "content-security-policy":
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
};
// A page that opens the dashboard gets no window to look into or steer. `same-origin` would also take from the dashboard
// the window in which it tries a sign-in, because the account picker may be a popup and sends none.
const POPUPS = { "cross-origin-opener-policy": "same-origin-allow-popups" };

type File = readonly [headers: Readonly<Record<string, string>>, read: (front: string) => Promise<string>];

const openApiOf = async (front: string) => (await import("./openapi.ts")).openApi(front);

/** The dashboard's files and the OpenAPI document. They need no key, because they contain no data. */
const FILES: Readonly<Record<string, File>> = {
  "index.html": [{ "content-type": HTML, ...DASHBOARD, ...POPUPS }, () => builtFile("index.html")],
  "dashboard.js": [{ ...SCRIPT, ...DASHBOARD }, () => builtFile("dashboard.js")],
  "dashboard.css": [{ ...STYLE, ...DASHBOARD }, async () => TOKENS + (await builtFile("dashboard.css"))],
  "openapi.json": [{ "content-type": "application/json" }, async (front) => JSON.stringify(await openApiOf(front))],
};

/** By method and path. Each is made when it is asked for, and does not change while the process runs. */
export function publicRoutes(front: string): Record<string, (call: RouteCall) => Reply | Promise<Reply>> {
  const made = new Map<string, Promise<string>>();
  const sendFile = async (event: H3Event, name: string): Promise<Reply> => {
    const [own, read] = FILES[name]!;
    const text = made.get(name) ?? read(front);
    made.set(name, text);
    const etag = `W/"${hash("sha256", await text).slice(0, 16)}"`;
    // A browser keeps it, and asks each time whether it has changed: another build may answer next (RFC 9110, 13.1.2).
    const headers = { ...own, etag, "cache-control": "no-cache" };
    const known = (headerIn(event, "if-none-match") ?? "").split(",").map((tag) => tag.trim());
    const isKnown = known.includes(etag) || known.includes("*");
    return isKnown ? new Reply(null, { status: 304, headers }) : new Reply(await text, { headers });
  };
  const names = Object.keys(FILES).filter((name) => name !== "index.html");
  return {
    ...Object.fromEntries(names.map((name) => [`GET /__svc/${name}`, ({ event }: RouteCall) => sendFile(event, name)])),
    "GET /__svc": ({ event, request }) =>
      request.target.startsWith("/__svc/") ? sendFile(event, "index.html") : redirect(`${front}/__svc/`),
  };
}

/** @throws {Refusal} `not_found` if the package was not built */
async function builtFile(name: string): Promise<string> {
  // Relative to a bundle, to a part of one, and to the source.
  const places = ["./dashboard/", "../dashboard/", "../../../dist/dashboard/"];
  const texts = places.map((place) => readFile(new URL(place + name, import.meta.url), "utf8"));
  return Promise.any(texts).catch(() => {
    throw new Refusal("not_found", "the dashboard was not built; run npm run build");
  });
}
