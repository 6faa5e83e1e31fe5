import { hash } from "node:crypto";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import type { H3Event } from "h3";
import { headerOf } from "./context.ts";
import { Reply, type AnswerHeaders } from "./respond.ts";

/** RFC 9110, 12.5.3: a weight of 0 refuses it. */
const GZIP = /(?:^|,)\s*gzip\s*(?:;\s*q=(?!0(?:\.0*)?\s*(?:,|$))|,|$)/i;

/**
 * A text that is the same for every request. Nothing else is compressed: where an answer has a secret beside what a request
 * chose, its compressed length tells the secret letter by letter (BREACH).
 */
export interface StaticText {
  readonly text: string;
  readonly compressed: Uint8Array<ArrayBuffer>;
  readonly etag: string;
}

export async function staticText(text: string): Promise<StaticText> {
  return { text, compressed: await promisify(gzip)(text), etag: hash("sha256", text).slice(0, 16) };
}

/** Compressed if the client accepts that. It keeps the text, and asks each time whether it changed: another build may answer next. */
export function sendStatic(event: H3Event, file: StaticText, own: AnswerHeaders): Reply {
  const { text, compressed } = file;
  const etag = `W/"${file.etag}"`;
  const headers = { ...own, vary: "accept-encoding", etag, "cache-control": "no-cache" };
  // RFC 9110, 13.1.2.
  const known = (headerOf(event, "if-none-match") ?? "").split(",").map((tag) => tag.trim());
  if (known.includes(etag) || known.includes("*")) return new Reply(null, { status: 304, headers });
  if (!GZIP.test(headerOf(event, "accept-encoding") ?? "")) return new Reply(text, { headers });
  const length = { "content-encoding": "gzip", "content-length": String(compressed.length) };
  return new Reply(compressed, { headers: { ...headers, ...length } });
}
