import { readFile } from "node:fs/promises";
import type { H3Event } from "h3";
import { ApiError } from "../errors.ts";
import { TOKENS } from "../http/pages/tokens.ts";
import type { Sent } from "../http/respond.ts";
import { sendStatic, staticText, type StaticText } from "../http/static-text.ts";

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

/** The files of this process's build; they do not change while it runs. */
const read = new Map<string, Promise<StaticText>>();

/** @throws {ApiError} `not_found` if the package was not built */
export async function dashboardFile(event: H3Event, name: keyof typeof TYPES): Promise<Sent> {
  const file = read.get(name) ?? readFirst(name);
  read.set(name, file);
  return sendStatic(event, await file, {
    "content-type": TYPES[name],
    "content-security-policy": POLICY,
    // A page that opens the dashboard gets no window to look into or steer. `same-origin` would also take from the dashboard
    // the window in which it tries a sign-in, because the account picker may be a popup and sends none.
    ...(name === "index.html" && { "cross-origin-opener-policy": "same-origin-allow-popups" }),
  });
}

async function readFirst(name: string): Promise<StaticText> {
  const texts = PLACES.map((place) => readFile(new URL(place + name, import.meta.url), "utf8"));
  const found = (await Promise.allSettled(texts)).find((result) => result.status === "fulfilled");
  if (!found) throw new ApiError("not_found", "the dashboard was not built; run npm run build");
  return staticText(name === "dashboard.css" ? TOKENS + found.value : found.value);
}
