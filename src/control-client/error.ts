/** The control API said no, or could not be reached. */
export class ControlError extends Error {
  override readonly name = "ControlError";
  /** Of the answer; 0 where there was none. */
  readonly status: number;

  constructor(status: number, message: string, options?: ErrorOptions) {
    super(message, options);
    this.status = status;
  }
}
