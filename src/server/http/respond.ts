import { HTTPResponse, iterable, setCookie, type H3Event } from "h3";
import { FastResponse } from "srvx";
import type { Cookie } from "../cookies.ts";
import type { InstanceRecord } from "../store/records.ts";
import type { RefusalReason, SignInOutcome } from "./request-entry.ts";

/** `form-action` is left out because Chromium applies it to the redirects that follow a form. */
const PAGE_POLICY = [
  "default-src 'none'",
  "style-src 'self'",
  "script-src 'self'",
  "img-src 'self' data:",
  "frame-ancestors 'none'",
  "base-uri 'none'",
].join("; ");

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

/** By names in lower case. */
export type AnswerHeaders = Readonly<Record<string, string>>;

/** What the log says of a request, beside what was sent and answered. */
export interface Noted {
  /** In place of the one that host or key name. */
  readonly instance?: InstanceRecord | undefined;
  readonly flow_id?: string;
  /** Set by the request that ends a sign-in. */
  readonly signIn?: SignInOutcome;
  /** Why it was refused, or a sign-in failed. */
  readonly reason?: string | undefined;
  /** Set if it was refused for what an operator should look at. */
  readonly refused?: RefusalReason | undefined;
}

/** An answer, as a route returns it. */
export class Reply {
  readonly body: string | ReadableStream | null;
  readonly status: number;
  readonly headers: AnswerHeaders;
  readonly cookies: readonly Cookie[];
  readonly noted: Noted;
  /** The body, if it is JSON that the log may show. */
  readonly jsonText: string | undefined;

  constructor(
    body: Reply["body"],
    { status = 200, headers = {}, cookies = [], noted = {}, jsonText }: ReplyOptions = {},
  ) {
    this.body = body;
    this.status = status;
    this.headers = headers;
    this.cookies = cookies;
    this.noted = noted;
    this.jsonText = jsonText;
  }
}

type ReplyOptions = { readonly [Name in keyof Omit<Reply, "body">]?: Reply[Name] | undefined };

export function json(body: unknown, { status, headers, cookies, noted }: Omit<ReplyOptions, "jsonText"> = {}): Reply {
  const text = JSON.stringify(body);
  // The length is set here because h3 drops the text of an answer to HEAD before it is known.
  const own = { "content-type": "application/json", "content-length": String(Buffer.byteLength(text)) };
  return new Reply(text, { status, headers: Object.assign(own, headers), cookies, noted, jsonText: text });
}

/** 302 without a body: the address may contain a token, which h3's own redirect would write into a page, too. */
export function redirect(location: string, options: Pick<ReplyOptions, "cookies" | "noted"> = {}): Reply {
  return new Reply(null, {
    ...options,
    status: 302,
    headers: { location, pragma: "no-cache", "content-length": "0" },
  });
}

export const HTML = "text/html; charset=utf-8";

/** A complete page, whose scripts and styles are files of this server. */
export function page(text: string, { headers, ...options }: Omit<ReplyOptions, "jsonText"> = {}): Reply {
  const own = { "content-type": HTML, "content-security-policy": PAGE_POLICY };
  return new Reply(text, { ...options, headers: { ...own, ...headers } });
}

/** Text that is generated while it is sent, only as fast as the client takes it. */
export async function stream(event: H3Event, type: string, parts: AsyncGenerator<string>): Promise<Reply> {
  const headers = { "content-type": type };
  if (event.req.method !== "HEAD") return new Reply((await iterable(parts)).body as ReadableStream, { headers });
  // It may read from the store.
  await parts.return(undefined);
  return new Reply("", { headers });
}

/** An answer as h3 sends it, with the headers that every answer to its request has. */
export function toResponse(event: H3Event, reply: Reply): Response | HTTPResponse {
  const { id, headers } = event.context.request;
  const { body, status, cookies } = reply;
  // Spreading them takes five times as long, in every request.
  const all: AnswerHeaders = Object.assign({}, COMMON, { "request-id": id }, headers, reply.headers);
  const init = { status, headers: all };
  if (cookies.length === 0) return new FastResponse(body, init);
  // h3 joins the cookies to it.
  for (const cookie of cookies) addCookie(event, cookie);
  return new HTTPResponse(body, init);
}

function addCookie(event: H3Event, { name, value, ...attributes }: Cookie): void {
  setCookie(event, name, value, { ...attributes, httpOnly: true, sameSite: "lax" });
}
