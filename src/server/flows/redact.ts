/** What may be kept of a message: a value is text of bounded length, a number, a truth value or null. */
export type Shown = Record<string, string | number | boolean | null>;

const MAX_LENGTH = 300;
const MAX_FIELDS = 24;
export const REDACTED = "[redacted]";

/** Names whose values are no secrets. Everything else is redacted, so that a new field is never shown by accident. */
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
  "outcome",
  "provider",
  "publishable_key",
  "query",
  "redirect_uri",
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
]);

/** What a sign-in's step keeps of a message. Secrets are taken out here, before anything is stored. */
export function redact(fields: Readonly<Record<string, unknown>> | undefined): Shown | null {
  if (!fields) return null;
  const shown: Shown = {};
  for (const [name, value] of Object.entries(fields).slice(0, MAX_FIELDS)) {
    if (value === undefined) continue;
    shown[name.slice(0, 64)] = PUBLIC.has(name) ? scalar(value) : REDACTED;
  }
  return shown;
}

/** An address without what its query says: a code, a state or a token may be there. */
export function withoutQuery(address: string): string {
  return address.split(/[?#]/, 1)[0]!.slice(0, MAX_LENGTH);
}

/** An address whose query keeps the values that are no secrets. */
export function redactUrl(address: string): string {
  const at = address.indexOf("?");
  if (at < 0) return withoutQuery(address);
  const query = [...new URLSearchParams(address.slice(at + 1))].slice(0, MAX_FIELDS).map(([name, value]) => {
    if (!PUBLIC.has(name)) return `${encodeURIComponent(name)}=${REDACTED}`;
    // The application's own query may hold what it likes.
    const shown = name === "redirect_uri" ? withoutQuery(value) : value.slice(0, MAX_LENGTH);
    return `${encodeURIComponent(name)}=${encodeURIComponent(shown)}`;
  });
  return `${withoutQuery(address)}?${query.join("&")}`;
}

function scalar(value: unknown): Shown[string] {
  if (typeof value === "string") return value.length > MAX_LENGTH ? `${value.slice(0, MAX_LENGTH)}…` : value;
  if (typeof value === "number" || typeof value === "boolean" || value === null) return value;
  return Array.isArray(value) ? `${value.length} entries` : "an object";
}
