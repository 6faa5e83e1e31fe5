import { isUuid } from "../../wire/ids.ts";
import { ownText } from "../memory-use.ts";

/** The redacted fields of a message. Text is of bounded length. */
export type Shown = Record<string, string | number | boolean | null>;

const MAX_LENGTH = 300;
const MAX_FIELDS = 24;
const MAX_BODY_FIELDS = 64;
const TOO_LONG = new Error("too long");
export const REDACTED = "[redacted]";

/** Names of fields that contain no secret. All others are redacted, so that a new field is never shown by accident. */
const PUBLIC = new Set([
  "account",
  "active",
  "after",
  "client_id",
  "code_challenge_method",
  "count",
  "email",
  "email_verified",
  "error",
  "error_description",
  "expires_in",
  "grant_type",
  "id",
  "instance",
  "limit",
  "linked",
  "location",
  "login",
  "login_hint",
  "message",
  "method",
  "name",
  "new_user",
  "outcome",
  "primary",
  "profile_changes",
  "provider",
  "publishable_key",
  "query",
  "redirect_uri",
  "registered",
  "response_type",
  "result",
  "scenario",
  "scope",
  "session_id",
  "since",
  "status",
  "sub",
  "title",
  "token_type",
  "url",
  "user_id",
  "username",
  "verified",
]);

const ENTRY = /^(?:\d{1,4}|data)$/;

export function beginningOf(text: string, length: number): string {
  return text.length <= length ? text : ownText(text.slice(0, length));
}

/** A token or a secret key, whole or cut short. */
const SECRET = /(?:eyJ[\w-]{10}|(?:sk|ctl|dsh)_)[\w.-]*/g;

/** Text without the tokens and keys that were pasted into it, where something else was expected. */
export function redactText(text: string): string {
  return text.replace(SECRET, REDACTED);
}

/**
 * What a step of a sign-in keeps of a message. Secrets are removed here, before anything is stored. Of a list, such as
 * a provider's addresses, each entry's fields are kept or redacted as those of a message are: `0.email`. So are those of
 * Twitter's `data`: `data.username`.
 */
export function redact(fields: Readonly<Record<string, unknown>> | undefined): Shown | null {
  if (!fields) return null;
  const shown: Shown = {};
  let left = MAX_FIELDS;
  const add = (part: object, prefix: string): void => {
    for (const name in part) {
      const value = (part as Record<string, unknown>)[name];
      const isEntry = prefix === "" && ENTRY.test(name) && typeof value === "object" && value !== null;
      if (isEntry && left > 0) add(value, `${name}.`);
      else if (left-- <= 0) return;
      else if (value !== undefined) shown[prefix + name.slice(0, 64)] = PUBLIC.has(name) ? scalar(value) : REDACTED;
    }
  };
  add(fields, "");
  return shown;
}

/** Fields of the control API's bodies that contain no secret, beside the public ones. */
const PUBLIC_IN_BODY = new Set([
  "app_id",
  "as",
  "at",
  "avatar_url",
  "browser",
  "by",
  "default_provider",
  "delay_ms",
  "keep_old",
  "kind",
  "label",
  "redirect_uris",
  "seed",
  "subdomain",
  "times",
  "to",
  "user",
  "users",
]);

/** A body in full, with texts and numbers redacted that may be secrets. Undefined if it is too long to be kept in full. */
export function redactBody(body: unknown): unknown {
  let left = MAX_BODY_FIELDS;
  const shown = (value: unknown, isPublic: boolean): unknown => {
    if (left-- <= 0 || (typeof value === "string" && value.length > MAX_LENGTH && isPublic)) throw TOO_LONG;
    if (Array.isArray(value)) return value.map((each) => shown(each, isPublic));
    if (typeof value === "object" && value !== null)
      return Object.fromEntries(
        Object.entries(value).map(([name, own]) => {
          if (name.length > 64) throw TOO_LONG;
          return [redactText(name), shown(own, PUBLIC.has(name) || PUBLIC_IN_BODY.has(name))];
        }),
      );
    if (typeof value !== "string") return isPublic || typeof value !== "number" ? value : REDACTED;
    return isPublic ? redactText(value) : REDACTED;
  };
  try {
    return shown(body, false);
  } catch (error) {
    if (error === TOO_LONG) return undefined;
    throw error;
  }
}

/** A user name and password in an address, which may be malformed. */
const USERINFO = /^((?:[^/@:]*:)?[/\\]*)[^/]*@/;

/** An address without its query, which may contain a code, a state or a token, and without a user name and password. */
export function withoutQuery(address: string): string {
  const end = address.search(/[?#]/);
  const text = beginningOf(address, end < 0 ? MAX_LENGTH : Math.min(end, MAX_LENGTH));
  return text.includes("@") ? text.replace(USERINFO, `$1${REDACTED}@`) : text;
}

/** A short number, or up to three words, such as `authorise`, `wp-login.php` or `__svc`: a passphrase has more. */
const WORDS = /^(?:\d{1,4}|(?:\.|__)?[a-z]+\d{0,3}(?:[._~-][a-z]+\d{0,3}){0,2})$/i;
const MAX_WORDS_LENGTH = 32;

/** A path without a route may contain anything that was pasted: only words, short numbers and ids of records are kept. */
export function redactPath(address: string): string {
  const [path = ""] = address.split(/[?#]/, 1);
  const isShown = (segment: string): boolean =>
    segment === "" ||
    isUuid(segment) ||
    (segment.length <= MAX_WORDS_LENGTH && WORDS.test(segment) && redactText(segment) === segment);
  const segments = path.split("/", MAX_FIELDS).map((segment) => (isShown(segment) ? segment : REDACTED));
  return segments.join("/");
}

/** An address whose query keeps the values that are not secret. @param path what is shown before the query */
export function redactUrl(address: string, path = withoutQuery(address)): string {
  const at = address.indexOf("?");
  if (at < 0) return redactText(path);
  const parts = address.slice(at + 1).split("&", MAX_FIELDS);
  const query = parts.filter((part) => part !== "").map(redactPart);
  // `join` creates a new text; concatenation would keep its parts in memory, and what they were cut from.
  return redactText([path, query.join("&")].join("?"));
}

/** Text that is the same encoded and decoded. */
const PLAIN = /^[\w.~-]+$/;

/** One parameter of a query. The value of a secret is not even decoded. */
function redactPart(part: string): string {
  const end = part.indexOf("=");
  const name = end < 0 ? part : part.slice(0, end);
  if (PLAIN.test(name)) {
    const value = part.slice(name.length + 1);
    if (!PUBLIC.has(name)) return `${name}=${REDACTED}`;
    if (PLAIN.test(value)) return `${name}=${value.slice(0, MAX_LENGTH)}`;
  }
  const [[decoded = "", value = ""] = []] = new URLSearchParams(`&${part}`);
  if (!PUBLIC.has(decoded)) return `${encodeURIComponent(decoded)}=${REDACTED}`;
  // The application's own query may contain anything.
  const shown = decoded === "redirect_uri" ? withoutQuery(value) : value.slice(0, MAX_LENGTH);
  return `${encodeURIComponent(decoded)}=${encodeURIComponent(shown)}`;
}

function scalar(value: unknown): Shown[string] {
  if (typeof value === "string")
    return redactText(value.length > MAX_LENGTH ? `${beginningOf(value, MAX_LENGTH)}…` : value);
  if (typeof value === "number" || typeof value === "boolean" || value === null) return value;
  return Array.isArray(value) ? `${value.length} entries` : "an object";
}
