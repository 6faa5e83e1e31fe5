import { isLoopback, isLoopbackUrl, portOf, urlFrom } from "../http/address.ts";
import { cookiesIn, isPrefetch, isWebSocketHandshake } from "../http/headers.ts";
import { STATE_LIFETIME_SECONDS } from "../wire/redirect-uri.ts";
import { headerOf, type RequestLike } from "./authenticate.ts";

/** More than anyone has open in tabs. An endless redirect would otherwise fill the browser's cookies. */
const MAX_ATTEMPTS = 5;
const NONCE_BYTES = 32;
const VALUE = /^([\w-]{43})\.(\d{1,12})\.([\w%!'()*~.-]*)$/;

/** A sign-in that a browser began. Each has a cookie of its own, so that tabs do not end each other's. */
export interface Attempt {
  /** The name of its cookie. */
  readonly cookie: string;
  readonly nonce: string;
  /** In seconds since 1970. */
  readonly began: number;
  readonly returnTo: string;
}

/** Where an application is, as browsers see it: `https://app.example.com`. */
export type Origin = string;

/** A new sign-in for a browser. Beyond the most that it may have open, it takes the place of the oldest. */
export function newAttempt(open: readonly Attempt[], origin: Origin, now: number, returnTo: unknown): Attempt {
  const bytes = crypto.getRandomValues(new Uint8Array(NONCE_BYTES));
  const nonce = btoa(String.fromCharCode(...bytes)).replace(/[+/=]/g, (sign) => ({ "+": "-", "/": "_" })[sign] ?? "");
  const [oldest] = open.length < MAX_ATTEMPTS ? [] : open.toSorted((a, b) => a.began - b.began);
  const cookie = oldest?.cookie ?? `${prefixOf(origin)}${nonce.slice(0, 8)}`;
  return { cookie, nonce, began: now, returnTo: pathWithin(origin, returnTo) };
}

/** The sign-ins that a browser has open. */
export function openAttempts(request: RequestLike, origin: Origin, now: number): Attempt[] {
  return [...cookiesIn(headerOf(request, "cookie") ?? "")].flatMap(([cookie, value]) => {
    const [, nonce, began, path] = (cookie.startsWith(prefixOf(origin)) && VALUE.exec(value)) || [];
    if (nonce === undefined || now - Number(began) > STATE_LIFETIME_SECONDS) return [];
    return [{ cookie, nonce, began: Number(began), returnTo: pathWithin(origin, decoded(path ?? "")) }];
  });
}

/** The attempt with a nonce. Takes as long for a value that is almost right as for any other. */
export function attemptWith(nonce: string, open: readonly Attempt[]): Attempt | undefined {
  return open.filter((attempt) => isEqual(attempt.nonce, nonce))[0];
}

export function cookieOf({ cookie, nonce, began, returnTo }: Attempt, origin: Origin): string {
  return setCookie(cookie, `${nonce}.${began}.${encodeURIComponent(returnTo)}`, STATE_LIFETIME_SECONDS, origin);
}

/** Deletes the cookie: a nonce is good for one callback. */
export function endOf({ cookie }: Attempt, origin: Origin): string {
  return setCookie(cookie, "", 0, origin);
}

function setCookie(name: string, value: string, maxAge: number, origin: Origin): string {
  const secure = isHttps(origin) ? "; Secure" : "";
  return `${name}=${value}; Path=/; Max-Age=${maxAge}; HttpOnly; SameSite=Lax${secure}`;
}

/** Over https no other host can set the cookie: the prefix requires `Secure` and `Path=/` (RFC 6265bis, 4.1.3.2). */
function prefixOf(origin: Origin): string {
  return isHttps(origin) ? "__Host-svc-sign-in-" : "svc-sign-in-";
}

function isHttps(origin: Origin): boolean {
  return origin.startsWith("https:");
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return "/";
  }
}

/** Of two nonces, which have the same length. Not every runtime has a comparison of its own that takes constant time. */
function isEqual(a: string, b: string): boolean {
  let difference = a.length ^ b.length;
  for (let at = 0; at < a.length; at++) difference |= a.charCodeAt(at) ^ b.charCodeAt(at);
  return difference === 0;
}

/** Longer ones would fill the room that a browser has for cookies. */
const MAX_LENGTH = 1000;

/**
 * A path of the application with its query and fragment, in the URL standard's normal form; `/` for anything else.
 * `//host`, `/\host` and `/.//host` lead to other hosts, or do after some framework has tidied them up.
 */
function pathWithin(origin: string, path: unknown): string {
  const url = typeof path === "string" && path.startsWith("/") ? urlFrom(path, origin) : undefined;
  if (url === undefined) return "/";
  const own = `${url.pathname}${url.search}${url.hash}`;
  const isWithin = url.origin === origin && !own.startsWith("//") && encodeURIComponent(own).length <= MAX_LENGTH;
  return isWithin ? own : "/";
}

/**
 * Who asks, if it is not a person who goes from page to page; undefined if it is one, or a program. Browsers send Fetch
 * Metadata to https and to loopback, but none of it with a WebSocket's handshake.
 */
export function askedBy(request: RequestLike): "websocket" | "prefetch" | "embedded" | undefined {
  const header = (name: string): string | undefined => headerOf(request, name);
  if (isWebSocketHandshake(header)) return "websocket";
  if (isPrefetch(header)) return "prefetch";
  if (header("sec-fetch-site") === undefined) return undefined;
  // A navigation that the application's own service worker passes on has the destination `empty`.
  const isNavigation = header("sec-fetch-mode") === "navigate";
  const isPage = ["document", "empty"].includes(header("sec-fetch-dest") ?? "document");
  return isNavigation && isPage ? undefined : "embedded";
}

/** Whether a page of another site sent the browser here. */
export function isFromAnotherSite(request: RequestLike): boolean {
  return headerOf(request, "sec-fetch-site") === "cross-site";
}

/** Headers of a proxy. Behind one, `Host` may be another than the browser asked for. */
const PROXIED = ["forwarded", "via", "x-forwarded-for", "x-forwarded-host"];

/**
 * Whether a browser asked this machine by another name than `origin` has, such as 127.0.0.1 for localhost: the callback would
 * not get its cookie. Another port is a proxy's, such as that of a development server.
 */
export function isAtOtherLoopback(request: RequestLike, origin: string): boolean {
  const host = headerOf(request, "host");
  const { protocol, hostname } = new URL(origin);
  const asked = `${protocol}//${host}`;
  if (host === undefined || !isLoopbackUrl(asked) || !isLoopback(hostname)) return false;
  if (PROXIED.some((name) => headerOf(request, name) !== undefined)) return false;
  return new URL(asked).hostname !== hostname && portOf(asked) === portOf(origin);
}
