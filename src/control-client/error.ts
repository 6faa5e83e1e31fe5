import type { ErrorCode } from "../wire/errors.ts";

/**
 * One of the service's codes; `connection`: the server could not be reached; `closed`: the test service had been closed;
 * `unknown`: an answer that has none of these.
 */
export type ControlErrorCode = ErrorCode | "connection" | "closed" | "unknown";

/** The control API said no, or could not be reached. */
export class ControlError extends Error {
  override readonly name = "ControlError";
  readonly code: ControlErrorCode;
  /** Of the answer; 0 where there was none. */
  readonly status: number;

  constructor(code: ControlErrorCode, status: number, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
    this.status = status;
  }
}
