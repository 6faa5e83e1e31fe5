import type { ErrorCode } from "../client/errors.ts";

/** What a command ends with. */
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
  notExecutable: 126,
  commandNotFound: 127,
  interrupted: 130,
  terminated: 143,
} as const;
export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** What every command that asks the control API can end with. */
export const DEV_EXITS: readonly ExitCode[] = [
  EXIT.done,
  EXIT.failed,
  EXIT.usage,
  EXIT.notFound,
  EXIT.noKey,
  EXIT.unreachable,
  EXIT.precondition,
];
/** What a list or a search can end with; 3 is `--fail-empty`. */
export const LIST_EXITS: readonly ExitCode[] = DEV_EXITS.filter((code) => code !== EXIT.precondition);
/** What a command that a signal ends early ends with. */
export const EXIT_BY_SIGNAL = { SIGINT: EXIT.interrupted, SIGTERM: EXIT.terminated } as const;

/** What each exit code means, for every command. */
export const EXIT_MEANINGS: Readonly<Record<ExitCode, string>> = {
  [EXIT.done]: "done",
  [EXIT.failed]: "failed or declined",
  [EXIT.usage]: "wrong usage or address, or no terminal to confirm in",
  [EXIT.notFound]: "not found",
  [EXIT.noKey]: "no service or secret key, or the key was refused",
  [EXIT.tokenInvalid]: "token not valid",
  [EXIT.someFailed]: "finished, but some failed",
  [EXIT.unreachable]: "service unreachable, timed out or failing",
  [EXIT.precondition]: "precondition failed, such as a port in use or an unexpected count",
  [EXIT.notExecutable]: "svc exec: the command cannot be executed",
  [EXIT.commandNotFound]: "svc exec: the command was not found",
  [EXIT.interrupted]: "interrupted",
  [EXIT.terminated]: "terminated",
};

/** The command line's own codes in the `error.code` of `--json`, beside the client's: what each ends with, and means. */
export const CLI_ERRORS = {
  usage: [EXIT.usage, "Unknown, missing or contradictory arguments, flags or variables"],
  no_key: [EXIT.noKey, "No service or no secret key is configured"],
  failed: [EXIT.failed, "The command could not do its work, or was declined"],
  some_failed: [EXIT.someFailed, "Finished, but some failed"],
  precondition: [EXIT.precondition, "Something is not as the command needs it, such as an unexpected count"],
  port_unavailable: [EXIT.precondition, "The port is in use, or must not be used"],
  store_locked: [EXIT.precondition, "Another process is using the store"],
  store_damaged: [EXIT.failed, "The store is damaged"],
  store_unusable: [EXIT.failed, "The store cannot be used"],
  store_unavailable: [EXIT.failed, "The store cannot be read or written now"],
  import_refused: [EXIT.failed, "The file cannot be imported"],
  not_executable: [EXIT.notExecutable, "svc exec: the command cannot be executed"],
  command_not_found: [EXIT.commandNotFound, "svc exec: the command was not found"],
  interrupted: [EXIT.interrupted, "Interrupted"],
  terminated: [EXIT.terminated, "Terminated"],
  unexpected: [EXIT.failed, "A defect of svc"],
} as const satisfies Record<string, readonly [ExitCode, string]>;
export type CliErrorCode = keyof typeof CLI_ERRORS | ErrorCode;

/** The code of an error that has none of its own. */
export function codeOfExit(exitCode: ExitCode): CliErrorCode {
  // Of these the client has codes as well.
  if (exitCode === EXIT.notFound) return "not_found";
  if (exitCode === EXIT.unreachable) return "connection";
  const codes = Object.keys(CLI_ERRORS) as (keyof typeof CLI_ERRORS)[];
  return codes.find((code) => CLI_ERRORS[code][0] === exitCode) ?? "failed";
}

/** Ends a command, wherever it is thrown. The message says what was wrong, the hint what to do. */
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

/** What was typed, or set, is wrong. */
export class UsageError extends CliError {
  constructor(message: string, hint?: string) {
    super(EXIT.usage, message, hint);
  }
}

/** Explains each code at an anchor of its own. */
export const ERRORS_PAGE = "https://github.com/svc-identity/svc/blob/main/docs/errors.md";
