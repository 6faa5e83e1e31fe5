import { FastResponse } from "srvx";

type Headers = Readonly<Record<string, string>>;

/** On every answer: it is nobody else's, is not to be kept, and a page that frames or sniffs it gets nothing. */
const COMMON: Headers = {
  "cache-control": "no-store",
  "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
  "cross-origin-resource-policy": "same-origin",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
};
const JSON_HEADERS: Headers = { ...COMMON, "content-type": "application/json" };
/** Styles are inline; `form-action` is left out because Chromium applies it to the redirects that follow a form. */
const PAGE_POLICY =
  "default-src 'none'; style-src 'unsafe-inline'; img-src 'self' data:; frame-ancestors 'none'; base-uri 'none'";

export function json(body: unknown, status = 200, headers?: Headers): Response {
  return new FastResponse(JSON.stringify(body), {
    status,
    headers: headers ? { ...JSON_HEADERS, ...headers } : JSON_HEADERS,
  });
}

/** A JSON array that is made while it is sent, as fast as it is taken. */
export function jsonStream(items: AsyncIterable<unknown[]>): Response {
  return new FastResponse(ReadableStream.from(arrayText(items)) as ReadableStream<Uint8Array>, {
    status: 200,
    headers: JSON_HEADERS,
  });
}

/** 302 and no body: the address may carry a token, which must not be in a page too. */
export function redirect(location: string, cookies: readonly string[] = []): Response {
  const own = { ...COMMON, pragma: "no-cache", "content-length": "0", location };
  const set = cookies.map((cookie): [string, string] => ["set-cookie", cookie]);
  return new FastResponse(null, { status: 302, headers: [...Object.entries(own), ...set] });
}

export function page(html: string, status = 200): Response {
  const headers = { ...COMMON, "content-type": "text/html; charset=utf-8", "content-security-policy": PAGE_POLICY };
  return new FastResponse(html, { status, headers });
}

/** A picture that any page may show. */
export function svg(text: string): Response {
  const headers = {
    ...COMMON,
    "content-type": "image/svg+xml",
    "cross-origin-resource-policy": "cross-origin",
    "cache-control": "public, max-age=3600",
  };
  return new FastResponse(text, { status: 200, headers });
}

async function* arrayText(batches: AsyncIterable<unknown[]>): AsyncIterable<Uint8Array> {
  const encoder = new TextEncoder();
  let opening = "[";
  for await (const batch of batches) {
    if (batch.length === 0) continue;
    yield encoder.encode(opening + JSON.stringify(batch).slice(1, -1));
    opening = ",";
  }
  yield encoder.encode(opening === "[" ? "[]" : "]");
}
