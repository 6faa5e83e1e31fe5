import type { ErrorCode } from "../wire/errors.ts";

/**
 * One of the service's codes; `connection`: the server could not be reached; `closed`: the test service had been closed;
 * `timeout`: what was waited for did not happen; `unknown`: anything else.
 */
export type ControlErrorCode = ErrorCode | "connection" | "closed" | "timeout" | "unknown";

/** The control API refused a request or could not be reached, or a test service could not do what it was asked. */
export class ControlError extends Error {
  override readonly name = "ControlError";
  readonly code: ControlErrorCode;
  /** The HTTP status. Undefined if there was no response. */
  readonly status: number | undefined;

  constructor(code: ControlErrorCode, status: number | undefined, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
    this.status = status;
  }
}
