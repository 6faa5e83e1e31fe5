import type { ErrorCode } from "../client/errors.ts";
import { ERRORS } from "../wire/errors.ts";
import { CLI_ERRORS, CliError, EXIT, type CliErrorCode, type ExitCode } from "./errors.ts";

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

/** How an error is reported. Known ones are recognised by name and code, so that no package is loaded for it. */
export function toFailure(error: unknown): CliError {
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

function failureOf(code: string, message: string, status?: number, hint?: string): CliError {
  return new CliError(exitOf(code, status), message, hint, code as CliErrorCode);
}

const NO_CONTROL_API =
  "Check the name or path that you gave, and SVC_CONTROL_URL: it is a front door, such as http://localhost:7820, without a path. In the server's directory svc env prints it.";
const REFUSED_CONTROL_KEY =
  "It is new at each start, unless SVC_CONTROL_KEY is set: in the server's directory svc env prints it.";

/** A failure of the control API. */
function controlFailure(name: string, status: number, text: string, cause: unknown): CliError {
  const { code = name as CliErrorCode } =
    cause instanceof Error && cause.name === "ConnectionError" ? (cause as { code?: CliErrorCode }) : {};
  // A record that is missing has a sentence of its own; this one means that the path is malformed, or of another server.
  const isElsewhere = (status === 404 && text === "Not found") || code === "unexpected_response";
  const hint =
    status === 401
      ? REFUSED_CONTROL_KEY
      : isElsewhere
        ? NO_CONTROL_API
        : HINTS.get(text.endsWith(" is not active") ? "instance_not_found" : undefined);
  const exitCode = status === 404 && !isElsewhere ? EXIT.notFound : exitOf(code, status);
  return new CliError(exitCode, status === 401 ? "The server refused the control key." : text, hint, code);
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

/** What errors end with whose status does not say it, or that have none. All others that have none end with 1. */
const EXIT_BY_CODE: Readonly<Partial<Record<ErrorCode, ExitCode>>> = {
  token_invalid_signature: EXIT.tokenInvalid,
  token_wrong_instance: EXIT.tokenInvalid,
  token_expired: EXIT.tokenInvalid,
  token_invalid: EXIT.tokenInvalid,
  user_not_found: EXIT.notFound,
  session_not_found: EXIT.notFound,
  config: EXIT.usage,
  connection: EXIT.unreachable,
  timeout: EXIT.unreachable,
  rate_limited: EXIT.unreachable,
  unavailable: EXIT.unreachable,
  redirect_refused: EXIT.unreachable,
  unexpected_response: EXIT.unreachable,
};

/** A missing endpoint or instance means a wrong address: only what the user named can be "not found". */
function exitOfStatus(status: number): ExitCode {
  if (status >= 500 || status === 408 || status === 429) return EXIT.unreachable;
  return { 401: EXIT.noKey, 403: EXIT.failed, 409: EXIT.precondition }[status] ?? EXIT.usage;
}

const EXITS: ReadonlyMap<string, ExitCode> = new Map([
  ...Object.entries(ERRORS).map(([code, { status }]) => [code, exitOfStatus(status)] as const),
  ...Object.entries(CLI_ERRORS).map(([code, [exitCode]]) => [code, exitCode] as const),
  ...Object.entries(EXIT_BY_CODE),
]);

/** @param status of the answer: a service that fails in words of its own fails all the same */
export function exitOf(code: string, status = 0): ExitCode {
  const known = EXITS.get(code) ?? EXIT.failed;
  return known === EXIT.failed && exitOfStatus(status) === EXIT.unreachable ? EXIT.unreachable : known;
}
