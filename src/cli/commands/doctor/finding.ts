export interface Finding {
  readonly status: "ok" | "warning" | "failed" | "skipped";
  readonly message: string;
  /** What to do, for all but `ok`. */
  readonly remedy?: string;
}

type WithRemedy = (message: string, remedy: string) => Finding;

export const ok = (message: string): Finding => ({ status: "ok", message });
export const warning: WithRemedy = (message, remedy) => ({ status: "warning", message, remedy });
export const failed: WithRemedy = (message, remedy) => ({ status: "failed", message, remedy });
export const skipped: WithRemedy = (message, remedy) => ({ status: "skipped", message, remedy });

/** A message that lists faults, each in a line. */
export function inOneLine(message: string): string {
  return message.replace(/:\n +/, ": ").replaceAll(/\n +/g, "; ");
}
