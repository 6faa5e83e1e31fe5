import type { ErrorBody } from "./resources.ts";

interface ErrorRow {
  status: number;
  error: string;
  valid?: false;
}

/**
 * Every error of the service: first the spec's table, then those that the spec leaves open.
 * The wire carries the sentence, followed by ": " and the details, if any.
 */
export const ERRORS = {
  missing_token: { status: 400, error: "Missing token" },
  publishable_key_required: { status: 400, error: "publishable_key is required in query" },
  unauthorized: { status: 401, error: "Unauthorized" },
  missing_secret_key: { status: 401, error: "Missing secret key" },
  token_invalid_signature: { status: 401, error: "Token invalid signature", valid: false },
  token_wrong_instance: { status: 401, error: "Token does not belong to this instance", valid: false },
  user_not_found: { status: 404, error: "User not found" },
  session_not_found: { status: 404, error: "Session not found" },
  instance_not_found: { status: 404, error: "Instance not found" },

  token_expired: { status: 401, error: "Token expired", valid: false },
  token_invalid: { status: 401, error: "Token invalid", valid: false },
  bad_request: { status: 400, error: "Bad request" },
  invalid_json: { status: 400, error: "Invalid JSON" },
  query_required: { status: 400, error: "query is required" },
  search_too_slow: { status: 400, error: "Search took too long" },
  invalid_query: { status: 400, error: "Invalid query" },
  unknown_provider: { status: 400, error: "Unknown provider" },
  provider_not_configured: { status: 400, error: "Provider not configured" },
  invalid_redirect_uri: { status: 400, error: "Invalid redirect_uri" },
  invalid_state: { status: 400, error: "Invalid or expired state" },
  cross_origin: { status: 403, error: "Cross-origin request refused" },
  not_found: { status: 404, error: "Not found" },
  method_not_allowed: { status: 405, error: "Method not allowed" },
  conflict: { status: 409, error: "Conflict" },
  request_timeout: { status: 408, error: "Request timeout" },
  body_too_large: { status: 413, error: "Body too large" },
  unsupported_media_type: { status: 415, error: "Unsupported media type" },
  unknown_host: { status: 421, error: "Unknown host" },
  too_many_sign_ins: { status: 429, error: "Too many sign-ins" },
  headers_too_large: { status: 431, error: "Request headers too large" },
  internal: { status: 500, error: "Internal error" },
  too_many_connections: { status: 503, error: "Too many connections" },
  storage_unavailable: { status: 503, error: "Storage unavailable" },
} as const;

export type ErrorCode = keyof typeof ERRORS;

/** What goes into the redirect to the application when a sign-in fails after a good state (RFC 6749, 4.1.2.1, and two of ours). */
export const SIGN_IN_ERRORS = {
  access_denied: "The sign-in was cancelled.",
  server_error: "The sign-in failed because of an error at the provider or at the sign-in service.",
  temporarily_unavailable: "Signing in is not possible at the moment. Try again.",
  email_not_verified: "The provider has no verified e-mail address for this account.",
  email_invalid: "The e-mail address of this account at the provider is not valid.",
} as const;

export type SignInErrorCode = keyof typeof SIGN_IN_ERRORS;

export function errorBody(code: ErrorCode, detail?: string): ErrorBody {
  const row: ErrorRow = ERRORS[code];
  const error = detail === undefined ? row.error : `${row.error}: ${detail}`;
  return row.valid === undefined ? { error } : { valid: row.valid, error };
}

/** The code of a status and body on the wire. Undefined if no row of the table matches. */
export function errorCode(status: number, body: { error: string }): ErrorCode | undefined {
  const found = Object.entries(ERRORS).find(
    ([, row]) => row.status === status && (body.error === row.error || body.error.startsWith(`${row.error}: `)),
  );
  return found?.[0] as ErrorCode | undefined;
}
