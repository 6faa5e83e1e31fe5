import { readFile } from "node:fs/promises";
import type { H3Event } from "h3";
import { ApiError } from "../errors.ts";
import type { Call } from "../http/dispatch.ts";
import { TOKENS } from "../http/pages/tokens.ts";
import { redirect, type Sent, PAGE_POLICY } from "../http/respond.ts";
import { sendStatic, staticText, type StaticText } from "../http/static-text.ts";

/** Scripts, styles and data from the dashboard's own origin only. */
const DASHBOARD_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; frame-ancestors 'none'; base-uri 'none'; form-action 'none'";

/** The dashboard's files and the API reference, with their headers. They need no key, because they contain no data. */
const FILES = {
  "index.html": {
    "content-type": "text/html; charset=utf-8",
    "content-security-policy": DASHBOARD_POLICY,
    // A page that opens the dashboard gets no window to look into or steer. `same-origin` would also take from the dashboard
    // the window in which it tries a sign-in, because the account picker may be a popup and sends none.
    "cross-origin-opener-policy": "same-origin-allow-popups",
  },
  "dashboard.js": {
    "content-type": "text/javascript; charset=utf-8",
    "content-security-policy": DASHBOARD_POLICY,
  },
  "dashboard.css": { "content-type": "text/css; charset=utf-8", "content-security-policy": DASHBOARD_POLICY },
  "openapi.json": { "content-type": "application/json" },
  docs: { "content-type": "text/html; charset=utf-8", "content-security-policy": PAGE_POLICY },
  "docs.js": { "content-type": "text/javascript; charset=utf-8" },
  "docs.css": { "content-type": "text/css; charset=utf-8" },
} as const;
type File = keyof typeof FILES;

/** By method and path. Each is made when it is asked for, and does not change while the process runs. */
export function publicRoutes(front: string): Record<string, (call: Call) => Sent | Promise<Sent>> {
  const made = new Map<File, Promise<StaticText>>();
  const send = async (event: H3Event, name: File): Promise<Sent> => {
    const text = made.get(name) ?? readText(name, front).then(staticText);
    made.set(name, text);
    return sendStatic(event, await text, FILES[name]);
  };
  const { "index.html": _, ...files } = FILES;
  const names = Object.keys(files) as File[];
  return {
    ...Object.fromEntries(names.map((name) => [`GET /__svc/${name}`, ({ event }: Call) => send(event, name)])),
    "GET /__svc": ({ event, request }) =>
      request.target.startsWith("/__svc/") ? send(event, "index.html") : redirect(event, `${front}/__svc/`),
  };
}

async function readText(name: File, front: string): Promise<string> {
  switch (name) {
    case "openapi.json":
      return JSON.stringify((await import("./reference/openapi.ts")).openApi(front));
    case "docs": {
      const parts = [import("./reference/openapi.ts"), import("./reference/page.ts")] as const;
      const [{ openApi }, { referencePage }] = await Promise.all(parts);
      return referencePage(openApi(front));
    }
    case "docs.js":
      return (await import("./reference/assets.ts")).SCRIPT;
    case "docs.css":
      return (await import("./reference/assets.ts")).STYLE;
    case "dashboard.css":
      return TOKENS + (await builtFile(name));
    default:
      return builtFile(name);
  }
}

/** @throws {ApiError} `not_found` if the package was not built */
async function builtFile(name: string): Promise<string> {
  // Relative to a bundle, to a part of one, and to the source.
  const places = ["./dashboard/", "../dashboard/", "../../../dist/dashboard/"];
  const texts = places.map((place) => readFile(new URL(place + name, import.meta.url), "utf8"));
  return Promise.any(texts).catch(() => {
    throw new ApiError("not_found", "the dashboard was not built; run npm run build");
  });
}
