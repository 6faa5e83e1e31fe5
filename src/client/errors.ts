import type { ErrorCode as WireCode } from "../wire/errors.ts";

/** What went wrong, in a word that does not change: the service's own codes, and the client's. */
export type ErrorCode =
  | WireCode
  | "unknown"
  | "unexpected_response"
  | "connection"
  | "timeout"
  | "redirect_refused"
  | "config"
  | "instance_inactive";

/** Two copies of this package in one program still know each other's errors. */
const BRAND = Symbol.for("svc-identity.error");

/** The base of every error that the client throws. */
export class ServiceError extends Error {
  override readonly name: string = "ServiceError";
  readonly code: ErrorCode;
  readonly [BRAND] = true;

  constructor(code: ErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

/** The service answered with an error. */
export class ApiError extends ServiceError {
  override readonly name: string = "ApiError";
  readonly status: number;
  /** The sentence on the wire. */
  readonly error: string;

  constructor(code: ErrorCode, request: string, status: number, error: string) {
    super(code, `${request}: ${status} ${error}`);
    this.status = status;
    this.error = error;
  }
}

/** A token is not valid. */
export class TokenError extends ServiceError {
  override readonly name: string = "TokenError";
}

/** No answer: the service could not be reached, or did not answer in time. `cause` says why. */
export class ConnectionError extends ServiceError {
  override readonly name: string = "ConnectionError";
}

/** The client was not given what it needs, or was given something that can't be right. */
export class ConfigError extends ServiceError {
  override readonly name: string = "ConfigError";

  constructor(message: string, options?: ErrorOptions) {
    super("config", message, options);
  }
}

/** Whether something thrown is the client's, and optionally a certain one. */
export function isServiceError(value: unknown, code?: ErrorCode): value is ServiceError {
  if (typeof value !== "object" || value === null || !(BRAND in value)) return false;
  return code === undefined || (value as ServiceError).code === code;
}
