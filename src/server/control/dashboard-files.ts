import { hash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { handleCacheHeaders, HTTPResponse, type H3Event } from "h3";
import { ApiError } from "../errors.ts";
import { headerOf } from "../http/context.ts";
import { setHeaders, type Sent } from "../http/respond.ts";

const TYPES = {
  "index.html": "text/html; charset=utf-8",
  "dashboard.js": "text/javascript; charset=utf-8",
  "dashboard.css": "text/css; charset=utf-8",
};
/** Scripts, styles and data from the dashboard's own origin only. */
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; frame-ancestors 'none'; base-uri 'none'; form-action 'none'";
/** The build's output, relative to a bundle, to a part of one, and to the source. */
const PLACES = ["./dashboard/", "../dashboard/", "../../../dist/dashboard/"];
/** RFC 9110, 12.5.3: a weight of 0 refuses it. */
const GZIP = /(?:^|,)\s*gzip\s*(?:;\s*q=(?!0(?:\.0*)?\s*(?:,|$))|,|$)/i;

interface BuiltFile {
  readonly text: string;
  readonly compressed: Uint8Array;
  readonly etag: string;
}

/** The files of this process's build; they do not change while it runs. */
const read = new Map<string, Promise<BuiltFile>>();

/** Compressed if the browser accepts that. @throws {ApiError} `not_found` if the package was not built */
export async function dashboardFile(event: H3Event, name: keyof typeof TYPES): Promise<Sent> {
  const file = read.get(name) ?? readFirst(name);
  read.set(name, file);
  const { text, compressed, etag } = await file;
  const isCompressed = GZIP.test(headerOf(event, "accept-encoding") ?? "");
  setHeaders(event, {
    "content-type": TYPES[name],
    "content-security-policy": POLICY,
    // A page that opens the dashboard gets no window to look into or steer. `same-origin` would also take from the dashboard
    // the window in which it tries a sign-in, because the account picker may be a popup and sends none.
    ...(name === "index.html" && { "cross-origin-opener-policy": "same-origin-allow-popups" }),
    vary: "accept-encoding",
  });
  const isKnown = handleCacheHeaders(event, { etag: `W/"${etag}"` });
  // The browser keeps it, and asks each time whether it changed: another build may answer next.
  setHeaders(event, { "cache-control": "no-cache" });
  if (isKnown) return new HTTPResponse(null, { status: 304 });
  if (isCompressed) setHeaders(event, { "content-encoding": "gzip" });
  return isCompressed ? compressed : text;
}

async function readFirst(name: string): Promise<BuiltFile> {
  const texts = PLACES.map((place) => readFile(new URL(place + name, import.meta.url), "utf8"));
  const found = (await Promise.allSettled(texts)).find((result) => result.status === "fulfilled");
  if (!found) throw new ApiError("not_found", "the dashboard was not built; run npm run build");
  const text = found.value;
  return { text, compressed: await promisify(gzip)(text), etag: hash("sha256", text).slice(0, 16) };
}
