import { Readable } from "node:stream";
import { ApiError } from "../errors.ts";
import type { Incoming } from "./incoming.ts";
import type { Html } from "./pages/html.ts";
import { PICKER_SCRIPT, SIGNED_IN_SCRIPT } from "./pages/scripts.ts";
import { STYLE } from "./pages/style.ts";

/** An answer, before it is sent. */
export interface Reply {
  readonly status: number;
  /** Alternating names and values, as Node takes them; `Content-Length` and `Request-Id` are added when it is sent. */
  readonly headers: readonly string[];
  readonly body: string | AsyncIterable<Uint8Array> | null;
}

type Headers = Readonly<Record<string, string>>;

/** On every answer: it can't be cached, framed or sniffed. */
const COMMON: Headers = {
  "cache-control": "no-store",
  "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
  "cross-origin-resource-policy": "same-origin",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
};
const JSON_TYPE: Headers = { ...COMMON, "content-type": "application/json" };
/** For public data: a page of any site may read it. */
export const ANY_ORIGIN: Headers = {
  "access-control-allow-origin": "*",
  "cross-origin-resource-policy": "cross-origin",
};
/** The headers of most answers, flattened once. */
const JSON_HEADERS = flat(JSON_TYPE);
const PUBLIC_JSON_HEADERS = flat({ ...JSON_TYPE, ...ANY_ORIGIN });
const REDIRECT_HEADERS = flat({ ...COMMON, pragma: "no-cache" });
/** `form-action` is left out because Chromium applies it to the redirects that follow a form. */
const PAGE_POLICY = [
  "default-src 'none'",
  `style-src ${STYLE.source}`,
  `script-src ${PICKER_SCRIPT.source} ${SIGNED_IN_SCRIPT.source}`,
  "connect-src 'self'",
  "img-src 'self' data:",
  "frame-ancestors 'none'",
  "base-uri 'none'",
].join("; ");
const PAGE_HEADERS = flat({
  ...COMMON,
  "content-type": "text/html; charset=utf-8",
  "content-security-policy": PAGE_POLICY,
});
/** An image that any page may embed. */
const SVG_HEADERS = flat({
  ...COMMON,
  "content-type": "image/svg+xml",
  "cross-origin-resource-policy": "cross-origin",
  "cache-control": "public, max-age=3600",
});

/** @param headers override the default ones */
export function json(body: unknown, status = 200, headers?: Headers): Reply {
  return jsonText(JSON.stringify(body), status, headers);
}

/** An answer that a page of any site may read, also if finding it throws an `ApiError`. */
export function publicJson(find: () => unknown): Reply {
  try {
    return { status: 200, headers: PUBLIC_JSON_HEADERS, body: JSON.stringify(find()) };
  } catch (error) {
    if (error instanceof ApiError) error.headers = { ...error.headers, ...ANY_ORIGIN };
    throw error;
  }
}

function jsonText(body: string, status: number, headers: Headers | undefined): Reply {
  return { status, headers: headers ? flat({ ...JSON_TYPE, ...headers }) : JSON_HEADERS, body };
}

/** A JSON array from the texts of its parts. */
export function jsonArray(parts: readonly string[], headers?: Headers): Reply {
  return jsonText(`[${parts.join(",")}]`, 200, headers);
}

/** A JSON array without its brackets. */
export function itemsText(items: readonly unknown[]): string {
  return JSON.stringify(items).slice(1, -1);
}

/** A JSON array that is generated while it is sent, with back-pressure. */
export function jsonStream(items: AsyncIterable<unknown[]>): Reply {
  return { status: 200, headers: JSON_HEADERS, body: arrayText(items) };
}

/** Text for programs, such as metrics. */
export function plain({ contentType, text }: { contentType: string; text: string }): Reply {
  return { status: 200, headers: flat({ ...COMMON, "content-type": contentType }), body: text };
}

/** Text of another type that is generated while it is sent. */
export function stream(type: string, body: AsyncIterable<Uint8Array>): Reply {
  return { status: 200, headers: flat({ ...COMMON, "content-type": type }), body };
}

/** 302 without a body: the address may contain a token, which must not be in a page, too. */
export function redirect(location: string, cookies: readonly string[] = []): Reply {
  return { status: 302, headers: withCookies([...REDIRECT_HEADERS, "location", location], cookies), body: "" };
}

/** A complete page, whose scripts and styles are allowed by their hashes. */
export function page(html: string, status = 200, cookies: readonly string[] = []): Reply {
  return { status, headers: withCookies(PAGE_HEADERS, cookies), body: html };
}

/** A part of a page, fetched by the page's own script. */
export function fragment({ text }: Html): Reply {
  return { status: 200, headers: PAGE_HEADERS, body: text };
}

/** Scripts, styles and data from the dashboard's own origin only. */
const DASHBOARD_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; frame-ancestors 'none'; base-uri 'none'; form-action 'none'";

/** A file of the dashboard. @param compressed its text by gzip, sent in its place */
export function dashboardAsset(type: string, text: string, compressed?: Uint8Array): Reply {
  const headers = flat({
    ...COMMON,
    "content-type": type,
    "content-security-policy": DASHBOARD_POLICY,
    vary: "accept-encoding",
    ...(compressed && { "content-encoding": "gzip", "content-length": String(compressed.length) }),
  });
  return { status: 200, headers, body: compressed ? Readable.from([compressed]) : text };
}

export function svg(text: string): Reply {
  return { status: 200, headers: SVG_HEADERS, body: text };
}

/** For programs and tests that call the service without a socket. */
export function toWebResponse({ status, headers, body }: Reply, { method, id }: Incoming): Response {
  const pairs = headers.flatMap((name, i): [string, string][] => (i % 2 === 0 ? [[name, headers[i + 1]!]] : []));
  pairs.push(["request-id", id]);
  if (typeof body === "string") pairs.push(["content-length", String(Buffer.byteLength(body))]);
  // A redirect has no content: an empty string would get a Content-Type.
  const content = typeof body === "string" ? body || null : body && ReadableStream.from(body);
  return new Response(method === "HEAD" ? null : (content as string | null), { status, headers: pairs });
}

function withCookies(headers: readonly string[], cookies: readonly string[]): readonly string[] {
  return cookies.length === 0 ? headers : headers.concat(cookies.flatMap((cookie) => ["set-cookie", cookie]));
}

function flat(headers: Headers): readonly string[] {
  return Object.entries(headers).flat();
}

async function* arrayText(batches: AsyncIterable<unknown[]>): AsyncIterable<Uint8Array> {
  const encoder = new TextEncoder();
  let opening = "[";
  for await (const batch of batches) {
    if (batch.length === 0) continue;
    yield encoder.encode(opening + itemsText(batch));
    opening = ",";
  }
  yield encoder.encode(opening === "[" ? "[]" : "]");
}
