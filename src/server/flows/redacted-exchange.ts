import { isControlApi } from "../../wire/control/paths.ts";
import { PUBLISHABLE_KEY_HEADER, SECRET_KEY_HEADER } from "../../wire/names.ts";
import { beginningOf, REDACTED, redactText, redactUrl } from "./redact.ts";

/** The parts of a request that are logged. */
export interface Asked {
  /** Path and query as they were sent. */
  readonly target: string;
  header(name: string): string | undefined;
}

/** Its answer; `headers` are names and values in turn. */
export interface Answered {
  readonly headers: readonly string[];
  readonly body: string | AsyncIterable<Uint8Array> | null;
}

/** A request and its answer, without secrets. */
export interface RedactedExchange {
  /** Path and query; values that may be secrets are redacted. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The body if it is JSON, the address of a redirect, or null for a page, a stream and answers with keys. */
  readonly answer: string | null;
}

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
/** Shown without their values. */
const SECRET_HEADERS = ["authorization", "cookie", SECRET_KEY_HEADER] as const;

/**
 * Removes secrets as a request enters the log, so that they are never stored.
 * @param path the part of its path that may be shown; undefined for all of it
 */
export function redactedExchange(
  { target, header }: Asked,
  { headers, body }: Answered,
  path?: string,
): RedactedExchange {
  const shown: Record<string, string> = {};
  for (const name of SHOWN_HEADERS) {
    const value = header(name);
    if (value !== undefined) shown[name] = shortened(value, MAX_HEADER_LENGTH);
  }
  for (const name of SECRET_HEADERS) if (header(name) !== undefined) shown[name] = REDACTED;
  return {
    path: redactUrl(target, path),
    headers: shown,
    // Answers of the control API contain keys and tokens.
    answer: isControlApi(target) ? null : answerOf(headers, body),
  };
}

function answerOf(headers: Answered["headers"], body: Answered["body"]): string | null {
  const valueOf = (name: string): string | undefined => {
    const at = headers.indexOf(name);
    return at < 0 ? undefined : headers[at + 1];
  };
  const location = valueOf("location");
  if (location !== undefined) return redactUrl(location);
  if (typeof body !== "string" || valueOf("content-type") !== "application/json") return null;
  return shortened(body, MAX_ANSWER_LENGTH);
}

function shortened(text: string, length: number): string {
  return redactText(text.length <= length ? text : `${beginningOf(text, length)}…`);
}
