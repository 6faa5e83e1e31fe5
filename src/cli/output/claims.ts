import { timeInWords } from "../../wire/claims.ts";
import type { Context } from "../context.ts";

const TIMES = new Set(["iat", "exp", "nbf"]);

/** What a token says, as text for a record: every command shows a claim alike. */
export function inWords(values: object, context: Context): Record<string, string> {
  const shown = Object.entries(values).map(([name, value]: [string, unknown]) => {
    if (TIMES.has(name)) return [name, time(value, context)] as const;
    return [name, typeof value === "string" ? value : JSON.stringify(value)] as const;
  });
  return Object.fromEntries(shown);
}

/** Relative for a person, RFC 3339 for a program. */
export function time(seconds: unknown, { stdout, now }: Context): string {
  const date = typeof seconds === "number" ? new Date(seconds * 1000) : new Date(NaN);
  if (Number.isNaN(date.getTime())) return JSON.stringify(seconds) ?? "";
  return stdout.isTTY ? timeInWords(seconds, now()) : date.toISOString();
}
