/** One thing that was looked at. */
export interface Check {
  readonly name: string;
  readonly status: "ok" | "warning" | "failed" | "skipped";
  readonly message: string;
  /** What to do, for all but `ok`. */
  readonly remedy?: string;
}

export function ok(name: string, message: string): Check {
  return { name, status: "ok", message };
}

export function warning(name: string, message: string, remedy: string): Check {
  return { name, status: "warning", message, remedy };
}

export function failed(name: string, message: string, remedy: string): Check {
  return { name, status: "failed", message, remedy };
}

export function skipped(name: string, message: string, remedy: string): Check {
  return { name, status: "skipped", message, remedy };
}
