/** One thing that was looked at. */
export interface Check {
  readonly name: string;
  readonly status: "ok" | "warning" | "failed" | "skipped";
  readonly message: string;
  /** What to do, for all but `ok`. */
  readonly remedy?: string;
}

type WithRemedy = (name: string, message: string, remedy: string) => Check;

export const ok = (name: string, message: string): Check => ({ name, status: "ok", message });
export const warning: WithRemedy = (name, message, remedy) => ({ name, status: "warning", message, remedy });
export const failed: WithRemedy = (name, message, remedy) => ({ name, status: "failed", message, remedy });
export const skipped: WithRemedy = (name, message, remedy) => ({ name, status: "skipped", message, remedy });
