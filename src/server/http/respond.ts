import { HTTPResponse, html, iterable, raw, setCookie, type H3Event } from "h3";
import type { Cookie } from "../cookies.ts";

/** `form-action` is left out because Chromium applies it to the redirects that follow a form. */
export const PAGE_POLICY = [
  "default-src 'none'",
  "style-src 'self'",
  "script-src 'self'",
  "connect-src 'self'",
  "img-src 'self' data:",
  "frame-ancestors 'none'",
  "base-uri 'none'",
].join("; ");

export type Sent = HTTPResponse | string | Uint8Array;

/** On every answer: it can't be cached, framed or sniffed. */
const COMMON = {
  "cache-control": "no-store",
  "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
  "cross-origin-resource-policy": "same-origin",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
};
/** For public data: a page of any site may read it. */
export const ANY_ORIGIN = {
  "access-control-allow-origin": "*",
  "cross-origin-resource-policy": "cross-origin",
};

export function setCommonHeaders(event: H3Event, id: string): void {
  setHeaders(event, { ...COMMON, "request-id": id });
}

/** Sets headers of the answer, in place of those that are set. */
export function setHeaders({ res }: H3Event, headers: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(headers)) res.headers.set(name, value);
}

export function json(event: H3Event, body: unknown, status = event.res.status ?? 200): string {
  const text = JSON.stringify(body);
  event.context.request.json = text;
  event.res.status = status;
  // The length is set here because h3 drops the text of an answer to HEAD before it is known.
  setHeaders(event, { "content-type": "application/json", "content-length": String(Buffer.byteLength(text)) });
  return text;
}

/** 302 without a body: the address may contain a token, which h3's own redirect would write into a page, too. */
export function redirect(event: H3Event, location: string, ...cookies: readonly Cookie[]): HTTPResponse {
  event.context.request.location = location;
  for (const cookie of cookies) addCookie(event, cookie);
  return new HTTPResponse(null, { status: 302, headers: { location, pragma: "no-cache", "content-length": "0" } });
}

/** A complete page, whose scripts and styles are files of this server. */
export function page(event: H3Event, text: string, status = 200): HTTPResponse {
  event.res.status = status;
  event.res.headers.set("content-security-policy", PAGE_POLICY);
  return html(raw(text));
}

/** Text that is generated while it is sent, only as fast as the client takes it. */
export async function stream(event: H3Event, type: string, parts: AsyncGenerator<string>): Promise<Sent> {
  event.res.headers.set("content-type", type);
  if (event.req.method !== "HEAD") return iterable(parts);
  // It may read from the store.
  await parts.return(undefined);
  return "";
}

export function addCookie(event: H3Event, { name, value, ...attributes }: Cookie): void {
  setCookie(event, name, value, { ...attributes, httpOnly: true, sameSite: "lax" });
}
