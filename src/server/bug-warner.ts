/** Warns of an error that should not have happened, with its stack. */
export function bugWarner(warn: (message: string) => void): (error: unknown, request_id?: string) => void {
  return (error, request_id) =>
    warn(
      `internal error${request_id === undefined ? "" : ` in request ${request_id}`}: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`,
    );
}
