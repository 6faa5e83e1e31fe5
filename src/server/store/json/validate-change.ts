import { isRecord, TABLE_NAMES } from "../records.ts";
import type { Change } from "./document.ts";

/** Whether a change can be applied: one that can't must not reach the disk, and one that is read there is damage. */
export function isValidChange([action, name, subject]: Change): boolean {
  if (!TABLE_NAMES.includes(name)) return false;
  return action === "put" ? isRecord(name, subject) : action === "delete" && typeof subject === "string";
}
