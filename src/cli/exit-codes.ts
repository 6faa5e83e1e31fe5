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

/** The command line's own codes in the `error.code` of `--json`, beside the client's, and what each ends with. */
export const CLI_ERRORS = {
  usage: EXIT.usage,
  no_key: EXIT.noKey,
  failed: EXIT.failed,
  some_failed: EXIT.someFailed,
  precondition: EXIT.precondition,
  port_unavailable: EXIT.precondition,
  store_locked: EXIT.precondition,
  store_damaged: EXIT.failed,
  store_unusable: EXIT.failed,
  store_unavailable: EXIT.failed,
  import_refused: EXIT.failed,
  not_executable: EXIT.notExecutable,
  command_not_found: EXIT.commandNotFound,
  interrupted: EXIT.interrupted,
  terminated: EXIT.terminated,
  unexpected: EXIT.failed,
} as const satisfies Record<string, ExitCode>;
export type CliErrorCode = keyof typeof CLI_ERRORS | ErrorCode;

/** The code of an error that has none of its own. */
export function codeOfExit(exitCode: ExitCode): CliErrorCode {
  // Of these the client has codes as well.
  if (exitCode === EXIT.notFound) return "not_found";
  if (exitCode === EXIT.unreachable) return "connection";
  const codes = Object.keys(CLI_ERRORS) as (keyof typeof CLI_ERRORS)[];
  return codes.find((code) => CLI_ERRORS[code] === exitCode) ?? "failed";
}

/** @param status of the answer: a service that fails in words of its own fails all the same */
export function exitOf(code: string, status?: number): ExitCode {
  const known = Object.hasOwn(EXIT_OF, code) ? EXIT_OF[code as ErrorCode] : EXIT.failed;
  return known === EXIT.failed && status !== undefined && status >= 500 ? EXIT.unreachable : known;
}
