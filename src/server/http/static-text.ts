import { hash } from "node:crypto";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { HTTPResponse, handleCacheHeaders, type H3Event } from "h3";
import { headerOf } from "./context.ts";
import { setHeaders, type Sent } from "./respond.ts";

/** RFC 9110, 12.5.3: a weight of 0 refuses it. */
const GZIP = /(?:^|,)\s*gzip\s*(?:;\s*q=(?!0(?:\.0*)?\s*(?:,|$))|,|$)/i;

/**
 * A text that is the same for every request. Nothing else is compressed: where an answer has a secret beside what a request
 * chose, its compressed length tells the secret letter by letter (BREACH).
 */
export interface StaticText {
  readonly text: string;
  readonly compressed: Uint8Array;
  readonly etag: string;
}

export async function staticText(text: string): Promise<StaticText> {
  return { text, compressed: await promisify(gzip)(text), etag: hash("sha256", text).slice(0, 16) };
}

/** Compressed if the client accepts that. It keeps the text, and asks each time whether it changed: another build may answer next. */
export function sendStatic(event: H3Event, file: StaticText, headers: Readonly<Record<string, string>>): Sent {
  const { text, compressed, etag } = file;
  setHeaders(event, { ...headers, vary: "accept-encoding" });
  const isKnown = handleCacheHeaders(event, { etag: `W/"${etag}"` });
  setHeaders(event, { "cache-control": "no-cache" });
  if (isKnown) return new HTTPResponse(null, { status: 304 });
  if (!GZIP.test(headerOf(event, "accept-encoding") ?? "")) return text;
  setHeaders(event, { "content-encoding": "gzip" });
  return compressed;
}
