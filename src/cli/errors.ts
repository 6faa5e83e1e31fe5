/** Exit codes (design, "The CLI"). */
export const EXIT = {
  done: 0,
  failed: 1,
  usage: 2,
  notFound: 3,
  noKey: 4,
  tokenInvalid: 5,
  someFailed: 6,
  unreachable: 7,
  precondition: 8,
  interrupted: 130,
  terminated: 143,
} as const;
export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** Ends a command: what happened, and what to do about it. */
export class CliError extends Error {
  override readonly name = "CliError";
  readonly exitCode: ExitCode;
  readonly hint: string | undefined;

  constructor(exitCode: ExitCode, message: string, hint?: string) {
    super(message);
    this.exitCode = exitCode;
    this.hint = hint;
  }
}

/** What is said of an error, whoever threw it: known ones by their name and code, so that no package is loaded for it. */
export interface Failure {
  readonly exitCode: ExitCode;
  readonly code: string;
  readonly message: string;
  readonly hint: string | undefined;
}

export function toFailure(error: unknown): Failure {
  if (error instanceof CliError)
    return { exitCode: error.exitCode, code: codeOfExit(error.exitCode), message: error.message, hint: error.hint };
  const { name, code, message, reason, error: sentence } = error as Record<string, string | undefined>;
  const text = sentence ?? message ?? String(error);
  switch (name) {
    case "ApiError":
    case "ServiceError":
      return {
        exitCode: exitOfApi(code ?? ""),
        code: code ?? "unknown",
        // A service's words; only we begin lines.
        message: text.replaceAll("\n", " ↵ "),
        hint: hintOfApi(code ?? ""),
      };
    case "TokenError":
      return { exitCode: EXIT.tokenInvalid, code: code ?? "token_invalid", message: text, hint: undefined };
    case "ConnectionError":
      return {
        exitCode: EXIT.unreachable,
        code: code ?? "connection",
        message: text,
        hint: "Is it running? Start a local one with: svc serve",
      };
    case "ConfigError":
    case "SeedError":
    case "ServeError":
      return { exitCode: EXIT.usage, code: "usage", message: text, hint: undefined };
    case "PortUnavailable":
      return { exitCode: EXIT.precondition, code: "port_unavailable", message: text, hint: undefined };
    case "StoreRefused":
      return {
        exitCode: reason === "locked" ? EXIT.precondition : EXIT.failed,
        code: `store_${reason}`,
        message: text,
        hint: undefined,
      };
    case "ImportRefused":
      return { exitCode: EXIT.failed, code: "import_refused", message: text, hint: undefined };
    case "StorageUnavailable":
      return { exitCode: EXIT.failed, code: "store_unavailable", message: text, hint: undefined };
    case "ExitPromptError":
      return { exitCode: EXIT.interrupted, code: "interrupted", message: "Interrupted.", hint: undefined };
    default:
      return { exitCode: EXIT.failed, code: "unexpected", message: `Unexpected error: ${text}`, hint: undefined };
  }
}

/** @param code the error's code on the wire */
export function exitOfApi(code: string): ExitCode {
  if (code === "unauthorized" || code === "missing_secret_key") return EXIT.noKey;
  if (code.endsWith("_not_found")) return EXIT.notFound;
  if (code === "storage_unavailable" || code === "unavailable" || code === "rate_limited") return EXIT.unreachable;
  if (code === "invalid_query" || code === "search_too_slow" || code === "query_required" || code === "bad_request")
    return EXIT.usage;
  return EXIT.failed;
}

function hintOfApi(code: string): string | undefined {
  if (code === "unauthorized") return "The key was refused. See which it is, and where it is from: svc whoami";
  if (code === "not_found")
    return "There is no such endpoint at this address. Check SVC_BASE_URL; instances are resolved at SVC_API_URL.";
  if (code === "user_not_found")
    return "It does not exist, or it belongs to another instance. Search instead: svc users search 'email:*@acme.com'";
  if (code === "session_not_found")
    return "It does not exist, or it belongs to another instance. List them: svc sessions list";
  return undefined;
}

function codeOfExit(exitCode: ExitCode): string {
  const name = Object.entries(EXIT).find(([, value]) => value === exitCode)?.[0] ?? "failed";
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
