import { TABLE_NAMES, VERSION } from "../../records.ts";
import { upgrade } from "../../upgrade.ts";
import { isValidChange, type Change } from "../document/change.ts";
import { seal, unseal } from "./lines.ts";

/** A line of the journal: the changes of one group of operations, and their number. */
export interface Numbered {
  readonly sequence: number;
  readonly changes: readonly Change[];
}

/** A line of the journal, with its checksum and its end. */
export function encodeLine(sequence: number, changes: readonly Change[]): Buffer {
  return Buffer.from(`${seal({ sequence, changes }).line}\n`);
}

/** @param version of its records. @returns undefined if the line's checksum does not match */
export function decodeLine(line: Buffer, version: number = VERSION): Numbered | undefined {
  const json = unseal(line);
  if (json === undefined) return undefined;
  const { sequence, changes } = JSON.parse(json) as Partial<Numbered>;
  if (typeof sequence !== "number" || !Array.isArray(changes)) return undefined;
  const upgraded = changes.map((change: Change): Change => {
    const [action, name, subject] = change;
    const isRecord = action === "put" && TABLE_NAMES.includes(name) && typeof subject === "object";
    return isRecord ? ["put", name, upgrade(name, subject, version)] : change;
  });
  return upgraded.every(isValidChange) ? { sequence, changes: upgraded } : undefined;
}
