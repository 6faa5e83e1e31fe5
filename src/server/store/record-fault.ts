import { malformedColumn } from "./key-fault.ts";
import { invalidColumn, keyOf, type Entry } from "./records.ts";

/**
 * What is wrong with a record on its own. Each check, export and import asks here, so that a store that passes its check can
 * be exported, and an export can be imported.
 * @returns a sentence without the value, e.g. `identities 0b6c…: its provider is not valid`
 */
export function recordFault([name, record]: Entry): string | undefined {
  const column = invalidColumn(name, record) ?? (name === "instances" ? malformedColumn(record) : undefined);
  if (column === undefined) return undefined;
  const key = keyOf(name, record);
  // A state is a secret.
  return `${name} ${name === "states" ? `${key.slice(0, 8)}…` : key}: its ${column} is not valid`;
}
