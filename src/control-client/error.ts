import type { ErrorCode } from "../wire/errors.ts";

/**
 * One of the service's codes; `connection`: the server could not be reached; `closed`: the test service had been closed;
 * `unknown`: a response without a known code.
 */
export type ControlErrorCode = ErrorCode | "connection" | "closed" | "unknown";

/** The control API refused a request, or could not be reached. */
export class ControlError extends Error {
  override readonly name = "ControlError";
  readonly code: ControlErrorCode;
  /** The HTTP status. 0 if there was no response. */
  readonly status: number;

  constructor(code: ControlErrorCode, status: number, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
    this.status = status;
  }
}
