import { EXIT, exitOf, type ExitCode } from "./exit-codes.ts";

/** Ends a command. The message says what was wrong, the hint what to do. */
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
  const { status } = error as { status?: number };
  const text = sentence ?? message ?? String(error);
  switch (name) {
    case "ApiError":
    case "ServiceError":
    case "TokenError":
    case "ConnectionError":
      return {
        exitCode: exitOf(code ?? "", status),
        code: code ?? "unknown",
        // A service's words; only we begin lines.
        message: text.replaceAll("\n", " ↵ "),
        hint: hintOf(code ?? ""),
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

function hintOf(code: string): string | undefined {
  switch (code) {
    case "unauthorized":
      return "See which key is used, and where it comes from: svc whoami";
    case "not_found":
      return "This address has no such endpoint. Check SVC_BASE_URL; instances are resolved at SVC_API_URL.";
    case "user_not_found":
      return "It may have been deleted, or belong to another instance. Search with: svc users search 'email:*@acme.com'";
    case "session_not_found":
      return "It may have been deleted, or belong to another instance. List sessions with: svc sessions list";
    default:
      return undefined;
  }
}

function codeOfExit(exitCode: ExitCode): string {
  const name = Object.entries(EXIT).find(([, value]) => value === exitCode)?.[0] ?? "failed";
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
