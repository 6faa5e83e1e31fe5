import { isProvider } from "../../../wire/names.ts";
import type { TableName } from "../records.ts";
import type { Change } from "./document.ts";

/** What the indexes are made of. */
const INDEXED: Readonly<Record<TableName, readonly string[]>> = {
  instances: ["id"],
  personas: ["id"],
  users: ["id", "instance_id", "email", "created_at"],
  identities: ["id", "instance_id", "user_id", "provider", "uid"],
  sessions: ["id", "session_id", "instance_id", "user_id", "last_signin_at"],
  states: ["state", "instance_id"],
};

/** Whether a change can be applied: one that can't must not reach the disk, and one from there is damage. */
export function fits([action, name, subject]: Change): boolean {
  if (action === "delete") return typeof subject === "string" && name in INDEXED;
  const record = subject as unknown as Readonly<Record<string, unknown>>;
  const isWhole = INDEXED[name]?.every((field) => typeof record[field] === "string") ?? false;
  return isWhole && (name !== "identities" || isProvider(record["provider"] as string));
}
