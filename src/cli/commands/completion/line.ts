import { PROVIDERS, SESSION_PROVIDERS } from "../../../wire/providers.ts";
import { SESSION_FIELDS, USER_FIELDS, type Fields } from "../../../wire/search/fields.ts";
import type { Place } from "../../help/place.ts";

/** What a word can become. */
export interface Candidate {
  readonly value: string;
  readonly description?: string;
}

/** Says that the shell is to complete the name of a file. */
export const FILES: readonly Candidate[] = [{ value: ":files" }];

/** Words as a shell sees them, the last one perhaps unfinished. */
export function splitLine(line: string): string[] {
  const words: string[] = line.match(/(?:'[^']*'?|"[^"]*"?|\\.|[^\s'"\\])+/g) ?? [];
  if (line === "" || /\s$/.test(line)) words.push("");
  return words.map((word) => word.replace(/['"]|\\(.)/g, "$1"));
}

const SEARCHED: Readonly<Record<string, Fields>> = { users: USER_FIELDS, sessions: SESSION_FIELDS };
const DESCRIPTIONS = { string: "text", datetime: "a day, in UTC", boolean: "true or false" } as const;

/** What a command can search by, if it takes terms: as arguments, or after `--query`. */
export function searchedBy({ command }: Place): Fields | undefined {
  return SEARCHED[command.parent?.name() ?? ""];
}

/** Whether a command's arguments are terms. */
export function takesTerms({ command }: Place): boolean {
  return command.registeredArguments.at(-1)?.name() === "term";
}

/** A field, and then what it can be. */
export function termsFor(fields: Fields, current: string): Candidate[] {
  const minus = current.startsWith("-") ? "-" : "";
  return Object.entries(fields).flatMap(([field, { type, nullable, of }]) => [
    { value: `${minus}${field}:`, description: DESCRIPTIONS[type] },
    ...(type === "boolean"
      ? ["true", "false"].map((value) => ({ value: `${minus}${field}:${value}`, description: "" }))
      : []),
    ...(field === "provider"
      ? (of ? PROVIDERS : SESSION_PROVIDERS).map((provider) => ({ value: `${minus}provider:${provider}` }))
      : []),
    ...(nullable ? [{ value: `${minus}${field}:null`, description: "has no value" }] : []),
  ]);
}
