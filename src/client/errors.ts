import { ERRORS, type ErrorCode as WireCode } from "../wire/errors.ts";
import type { TokenProblem } from "../wire/token.ts";

/** The client's own codes, and what each means. */
const CLIENT_ERRORS = {
  config: "Missing or invalid options or arguments",
  connection: "The service could not be reached, or the connection was lost",
  timeout: "The request timed out",
  closed: "The client was closed before the call",
  rate_limited: "Too many requests; retryAfterMs is how long to wait, if the service said so",
  unavailable: "The service, or a gateway in front of it, is unavailable",
  redirect_refused: "The service redirected; redirects are not followed, to protect the key",
  unexpected_response: "Unexpected response: not JSON, or not of the documented form",
  response_too_large: "The response is larger than the client accepts",
  instance_inactive: "The instance is not active yet, so it has no address",
  unknown: "An error that this version of the client does not know",
} as const;

/** A stable name for what went wrong: one of the service's codes, or of the client's. */
export type ErrorCode = WireCode | keyof typeof CLIENT_ERRORS;

/** Every code and what it means. */
export const ERROR_CODES: Readonly<Record<ErrorCode, string>> = {
  ...(Object.fromEntries(Object.entries(ERRORS).map(([code, { error }]) => [code, error])) as Record<WireCode, string>),
  ...CLIENT_ERRORS,
};

/** Two copies of this package in one program still know each other's errors. */
const BRAND = Symbol.for("svc-identity.error");

export interface ServiceErrorOptions extends ErrorOptions {
  readonly status?: number | undefined;
  readonly retryAfterMs?: number | undefined;
}

/** The base of every error that the client throws. */
export class ServiceError extends Error {
  override readonly name: string = "ServiceError";
  readonly code: ErrorCode;
  /** The HTTP status. Undefined if there was no response. */
  readonly status: number | undefined;
  /** How long the service asked to wait before the next try (`Retry-After`). Undefined if it did not. */
  readonly retryAfterMs: number | undefined;

  constructor(code: ErrorCode, message: string, { status, retryAfterMs, ...options }: ServiceErrorOptions = {}) {
    super(message, options);
    this.code = code;
    this.status = status;
    this.retryAfterMs = retryAfterMs;
    Object.defineProperty(this, BRAND, { value: true });
  }

  /** What a log should have of it. */
  toJSON(): object {
    return Object.assign({}, this, { message: this.message });
  }
}

/** The service answered with an error. */
export class ApiError extends ServiceError {
  override readonly name: string = "ApiError";
  declare readonly status: number;
  /** The sentence on the wire. */
  readonly error: string;

  constructor(
    code: ErrorCode,
    request: string,
    status: number,
    error: string,
    options?: Omit<ServiceErrorOptions, "status">,
  ) {
    const remedy = code === "unauthorized" ? ". Check that the key belongs to the instance at baseUrl" : "";
    super(code, `${request}: ${status} ${error}${remedy}`, { ...options, status });
    this.error = error;
  }
}

/** What exactly is wrong with a token. */
export type TokenReason = "missing" | TokenProblem;

/** A token is not valid. */
export class TokenError extends ServiceError {
  override readonly name: string = "TokenError";
  /** Set if the token was verified in this program. The service does not tell the reason. */
  readonly reason: TokenReason | undefined;

  constructor(code: ErrorCode, message: string, options: ServiceErrorOptions & { reason?: TokenReason } = {}) {
    const { reason, ...rest } = options;
    super(code, message, rest);
    this.reason = reason;
  }
}

/** The service could not be reached, or did not answer in time. `cause` says why. */
export class ConnectionError extends ServiceError {
  override readonly name: string = "ConnectionError";
  /** The system's code, such as `ECONNREFUSED`. Undefined if there is none. */
  readonly syscallCode: string | undefined;

  constructor(
    code: "connection" | "timeout",
    message: string,
    options: ErrorOptions & { syscallCode?: string | undefined } = {},
  ) {
    const { syscallCode, ...rest } = options;
    super(code, message, rest);
    this.syscallCode = syscallCode;
  }
}

/** Options or arguments are missing or invalid. */
export class ConfigError extends ServiceError {
  override readonly name: string = "ConfigError";

  constructor(message: string, options?: ErrorOptions) {
    super("config", message, options);
  }
}

/** Whether a thrown value is an error of the client, and optionally one with a certain code. */
export function isServiceError<Code extends ErrorCode = ErrorCode>(
  value: unknown,
  code?: Code,
): value is ServiceError & { readonly code: Code } {
  if (typeof value !== "object" || value === null || !(BRAND in value)) return false;
  return code === undefined || (value as { code?: unknown }).code === code;
}
