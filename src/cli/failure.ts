import type { ErrorCode } from "../client/errors.ts";
import { CLI_ERRORS, CliError, EXIT, type CliErrorCode, type ExitCode } from "./errors.ts";

/** How an error is reported. Known ones are recognised by name and code, so that no package is loaded for it. */
export interface Failure {
  readonly exitCode: ExitCode;
  readonly code: CliErrorCode;
  readonly message: string;
  readonly hint?: string | undefined;
}

/** The server's errors that end a command, by name. */
const NAMED: ReadonlyMap<string | undefined, CliErrorCode> = new Map([
  ["ConfigError", "config"],
  ["SeedError", "config"],
  ["ServeError", "config"],
  ["PortUnavailable", "port_unavailable"],
  ["ImportRefused", "import_refused"],
  ["StorageUnavailable", "store_unavailable"],
]);

/** A service's words in an error: only we begin lines. */
export function inOneLine(text: string): string {
  return text.replaceAll("\n", " ↵ ");
}

export function toFailure(error: unknown): Failure {
  if (error instanceof CliError) return error;
  const {
    name,
    code = "unknown",
    message,
    reason,
    error: sentence,
    hint,
  } = error as Record<string, string | undefined>;
  const { status } = error as { status?: number };
  const text = sentence ?? message ?? String(error);
  switch (name) {
    case "ApiError":
    case "ServiceError":
    case "TokenError":
    case "ConnectionError":
      // A command may know more of what was meant.
      return failureOf(code, inOneLine(text), status, hint ?? HINTS.get(code));
    case "ControlError":
      return controlFailure(code, status ?? 0, inOneLine(text), (error as Error).cause);
    case "StoreRefused":
      return failureOf(`store_${reason!}`, text);
    case "ExitPromptError":
      return failureOf("interrupted", "Interrupted.");
  }
  const known = NAMED.get(name);
  return known ? failureOf(known, text) : failureOf("unexpected", `Unexpected error: ${text}`);
}

function failureOf(code: string, message: string, status?: number, hint?: string): Failure {
  return { exitCode: exitOf(code, status), code: code as CliErrorCode, message, hint };
}

const NO_CONTROL_API =
  "The server has no such path. Check the name that you gave, and SVC_CONTROL_URL: in the server's directory svc env prints it.";
const REFUSED_CONTROL_KEY =
  "It is new at each start, unless SVC_CONTROL_KEY is set: in the server's directory svc env prints it.";

/** A failure of the control API. */
function controlFailure(name: string, status: number, text: string, cause: unknown): Failure {
  const { code = name as CliErrorCode } =
    cause instanceof Error && cause.name === "ConnectionError" ? (cause as { code?: CliErrorCode }) : {};
  // A record that is missing has a sentence of its own; this one means that the path is malformed, or of another server.
  const isElsewhere = status === 404 && text === "Not found";
  const hint =
    status === 401
      ? REFUSED_CONTROL_KEY
      : isElsewhere
        ? NO_CONTROL_API
        : HINTS.get(text.endsWith(" is not active") ? "instance_not_found" : undefined);
  const exitCode = status === 404 && !isElsewhere ? EXIT.notFound : exitOf(code, status);
  return { exitCode, code, message: status === 401 ? "The server refused the control key." : text, hint };
}

/** What to do about the service's errors, by code. */
const HINTS: ReadonlyMap<string | undefined, string> = new Map([
  ["unauthorized", "See which key is used, and where it comes from: svc whoami"],
  [
    "instance_not_found",
    "It may not be active. svc instances list shows the state of a local server's instances. To activate one: svc dev instances update <instance> --active",
  ],
  ["instance_inactive", "Activate it, on a local server with: svc dev instances update <instance> --active"],
  [
    "user_not_found",
    "It may have been deleted, or belong to another instance. Search with: svc users search 'email:*@acme.test'",
  ],
  [
    "session_not_found",
    "It may have been deleted, or belong to another instance. List sessions with: svc sessions list",
  ],
]);

/**
 * What the client's errors, the service's own among them, make a command end with. An endpoint or instance that is
 * missing means a wrong address: only what the user named can be "not found".
 */
export const EXIT_OF: Readonly<Record<ErrorCode, ExitCode>> = {
  missing_token: EXIT.usage,
  publishable_key_required: EXIT.usage,
  unauthorized: EXIT.noKey,
  missing_secret_key: EXIT.noKey,
  token_invalid_signature: EXIT.tokenInvalid,
  token_wrong_instance: EXIT.tokenInvalid,
  user_not_found: EXIT.notFound,
  session_not_found: EXIT.notFound,
  instance_not_found: EXIT.usage,
  token_expired: EXIT.tokenInvalid,
  token_invalid: EXIT.tokenInvalid,
  bad_request: EXIT.usage,
  invalid_json: EXIT.usage,
  query_required: EXIT.usage,
  invalid_query: EXIT.usage,
  unknown_provider: EXIT.usage,
  provider_not_configured: EXIT.usage,
  invalid_redirect_uri: EXIT.usage,
  invalid_state: EXIT.usage,
  cross_origin: EXIT.failed,
  not_found: EXIT.usage,
  method_not_allowed: EXIT.usage,
  conflict: EXIT.precondition,
  request_timeout: EXIT.unreachable,
  body_too_large: EXIT.usage,
  unsupported_media_type: EXIT.usage,
  unknown_host: EXIT.usage,
  headers_too_large: EXIT.usage,
  internal: EXIT.unreachable,
  search_too_slow: EXIT.usage,
  too_many_sign_ins: EXIT.unreachable,
  too_many_connections: EXIT.unreachable,
  storage_unavailable: EXIT.unreachable,
  access_denied: EXIT.failed,
  server_error: EXIT.failed,
  temporarily_unavailable: EXIT.failed,
  email_not_verified: EXIT.failed,
  sign_in_refused: EXIT.failed,
  sign_in_not_begun: EXIT.failed,
  config: EXIT.usage,
  connection: EXIT.unreachable,
  timeout: EXIT.unreachable,
  closed: EXIT.failed,
  rate_limited: EXIT.unreachable,
  unavailable: EXIT.unreachable,
  redirect_refused: EXIT.unreachable,
  unexpected_response: EXIT.unreachable,
  response_too_large: EXIT.failed,
  instance_inactive: EXIT.failed,
  unknown: EXIT.failed,
};

/** @param status of the answer: a service that fails in words of its own fails all the same */
export function exitOf(code: string, status?: number): ExitCode {
  const [own = EXIT.failed] = Object.hasOwn(CLI_ERRORS, code) ? CLI_ERRORS[code as keyof typeof CLI_ERRORS] : [];
  const known = Object.hasOwn(EXIT_OF, code) ? EXIT_OF[code as ErrorCode] : own;
  return known === EXIT.failed && status !== undefined && status >= 500 ? EXIT.unreachable : known;
}
