import { isControlApi } from "../../wire/control/paths.ts";
import { PUBLISHABLE_KEY_HEADER, SECRET_KEY_HEADER } from "../../wire/credentials.ts";
import { beginningOf, REDACTED, redactBody, redactPath, redactText, redactUrl } from "./redact.ts";

const MAX_ANSWER_LENGTH = 2048;
const MAX_HEADER_LENGTH = 512;
const SHOWN_HEADERS = [
  "host",
  "user-agent",
  "accept",
  "content-type",
  "content-length",
  "origin",
  "sec-fetch-site",
  "sec-fetch-mode",
  "sec-fetch-dest",
  "x-forwarded-for",
  PUBLISHABLE_KEY_HEADER,
] as const;
/** An address with something else than plain text in its path: escapes can hide a secret. */
const HIDDEN = /^[^?]*[^\w/.~?-]/;
/** Shown without their values. */
const SECRET_HEADERS = ["authorization", "cookie", SECRET_KEY_HEADER] as const;

/** The headers of a request, without secrets. */
export function shownHeaders(headers: Pick<Headers, "get">): Record<string, string> {
  const shown: Record<string, string> = {};
  for (const name of SHOWN_HEADERS) {
    const value = headers.get(name);
    if (value !== null) shown[name] = shortened(value, MAX_HEADER_LENGTH);
  }
  for (const name of SECRET_HEADERS) if (headers.get(name) !== null) shown[name] = REDACTED;
  return shown;
}

/** Path and query of a request. @param path what is shown before the query, if no route matched */
export function shownTarget(target: string, path: string | null): string {
  return redactUrl(target, path ?? (HIDDEN.test(target) ? redactPath(target) : undefined));
}

/** What was sent in answer to a request. */
export interface Sent {
  /** Path and query of the request, as they were sent. */
  readonly target: string;
  /** The body of the request, if it is JSON. */
  readonly body?: unknown;
  /** The answer, if it is JSON. */
  readonly json?: string | undefined;
  /** Where the answer redirects to. */
  readonly location?: string | undefined;
}

/** The body if it is JSON, the address of a redirect, or null for a page, a stream and answers with keys. */
export function shownAnswer({ target, json, location }: Sent): string | null {
  // Answers of the control API contain keys and tokens.
  if (isControlApi(target)) return null;
  if (location !== undefined) return redactUrl(location);
  return json === undefined ? null : shortened(json, MAX_ANSWER_LENGTH);
}

/** The body of a request as JSON without secrets, or null if there is none or it is too long to be repeated. */
export function shownBody({ body }: Sent): string | null {
  const shown = body === undefined ? undefined : redactBody(body);
  return shown === undefined ? null : JSON.stringify(shown);
}

function shortened(text: string, length: number): string {
  return redactText(text.length <= length ? text : `${beginningOf(text, length)}…`);
}
