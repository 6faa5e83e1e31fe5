import type { ErrorCode } from "../client/errors.ts";

/** What a command ends with, and what that means for every command. */
const EXITS = {
  done: [0, "done"],
  failed: [1, "failed or declined"],
  usage: [2, "wrong usage or address, or no terminal to confirm in"],
  notFound: [3, "not found"],
  noKey: [4, "no service or secret key, or the key was refused"],
  tokenInvalid: [5, "token not valid"],
  someFailed: [6, "finished, but some failed"],
  unreachable: [7, "service unreachable, timed out or failing"],
  precondition: [8, "precondition failed, such as a port in use or an unexpected count"],
  storeUnusable: [9, "the store is damaged, or cannot be used"],
  notExecutable: [126, "svc exec: the command cannot be executed"],
  commandNotFound: [127, "svc exec: the command was not found"],
  interrupted: [130, "interrupted"],
  terminated: [143, "terminated"],
} as const;
type Exits = typeof EXITS;
export type ExitCode = Exits[keyof Exits][0];

export const EXIT = Object.fromEntries(Object.entries(EXITS).map(([name, [code]]) => [name, code])) as {
  readonly [Name in keyof Exits]: Exits[Name][0];
};
export const EXIT_MEANINGS = Object.fromEntries(Object.values(EXITS)) as Readonly<Record<ExitCode, string>>;

/** What a command that a signal ends early ends with. */
export const EXIT_BY_SIGNAL = { SIGINT: EXIT.interrupted, SIGTERM: EXIT.terminated } as const;

/** The command line's own codes in the `error.code` of `--json`, beside the client's: what each ends with, and means. */
export const CLI_ERRORS = {
  usage: [EXIT.usage, "Unknown, missing or contradictory arguments, flags or variables"],
  no_key: [EXIT.noKey, "No service or no secret key is configured"],
  failed: [EXIT.failed, "The command could not do its work, or was declined"],
  some_failed: [EXIT.someFailed, "Finished, but some failed"],
  precondition: [EXIT.precondition, "Something is not as the command needs it, such as an unexpected count"],
  port_unavailable: [EXIT.precondition, "The port is in use, or must not be used"],
  store_locked: [EXIT.precondition, "Another process is using the store"],
  store_damaged: [EXIT.storeUnusable, "The store is damaged"],
  store_unusable: [EXIT.storeUnusable, "The store cannot be used"],
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
