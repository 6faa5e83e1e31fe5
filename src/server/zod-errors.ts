import type * as z from "zod";

/**
 * What a schema found wrong, a line each: `instances[0].users[2].email: must be an e-mail address`.
 * @param whole what a fault of the whole is said of
 */
export function issueLines({ issues }: z.ZodError, whole = "the file"): string[] {
  return issues.map(
    ({ path, message }) =>
      `${pathOf(path) || whole}: ${message.endsWith("received undefined") ? "is missing" : message}`,
  );
}

/** Why a text is not JSON. What JavaScript quotes of it may be part of a secret, and is left out. */
export function jsonFault(error: unknown): string {
  return (error as Error).message.replace(/, .*is not valid JSON$/s, "");
}

function pathOf(path: readonly PropertyKey[]): string {
  const text = path.map((key) => (typeof key === "number" ? `[${key}]` : `.${String(key)}`)).join("");
  return text.replace(/^\./, "");
}
