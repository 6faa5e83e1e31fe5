import { CLI_ERRORS, codeOfExit, EXIT, exitOf, type CliErrorCode, type ExitCode } from "./exit-codes.ts";

/** Ends a command. The message says what was wrong, the hint what to do. */
export class CliError extends Error {
  override readonly name = "CliError";
  readonly exitCode: ExitCode;
  readonly hint: string | undefined;
  /** What programs recognise it by. */
  readonly code: CliErrorCode;

  constructor(exitCode: ExitCode, message: string, hint?: string, code: CliErrorCode = codeOfExit(exitCode)) {
    super(message);
    this.exitCode = exitCode;
    this.hint = hint;
    this.code = code;
  }
}

/** Explains each code at an anchor of its own. */
export const ERRORS_PAGE = "https://github.com/svc-identity/svc/blob/main/docs/errors.md";

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
  if (error instanceof CliError)
    return { exitCode: error.exitCode, code: error.code, message: error.message, hint: error.hint };
  const { name, code, message, reason, error: sentence, hint } = error as Record<string, string | undefined>;
  const { status } = error as { status?: number };
  const text = sentence ?? message ?? String(error);
  switch (name) {
    case "ApiError":
    case "ServiceError":
    case "TokenError":
    case "ConnectionError":
      return {
        exitCode: exitOf(code ?? "", status),
        code: (code ?? "unknown") as CliErrorCode,
        message: inOneLine(text),
        // A command may know more of what was meant.
        hint: hint ?? HINTS.get(code),
      };
    case "ControlError":
      return controlFailure(code ?? "unknown", status ?? 0, inOneLine(text), (error as Error).cause);
    case "StoreRefused":
      return own(`store_${reason as "locked" | "damaged" | "unusable"}`, text);
    case "ExitPromptError":
      return own("interrupted", "Interrupted.");
  }
  const known = NAMED.get(name);
  return known ? own(known, text) : own("unexpected", `Unexpected error: ${text}`);
}

function own(code: CliErrorCode, message: string): Failure {
  return {
    exitCode: code in CLI_ERRORS ? CLI_ERRORS[code as keyof typeof CLI_ERRORS] : exitOf(code),
    code,
    message,
  };
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
