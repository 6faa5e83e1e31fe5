import type { Records, StateRecord } from "../records.ts";
import { TABLE_NAMES, type Change, type Tables } from "./document.ts";

/** Anybody may begin a sign-in, so what that leaves behind is bounded. */
const MAX_STATES = 50_000;

/** The states to drop before one more is kept. They lie in the order in which they were made. */
export function outdated(states: Map<string, StateRecord>, now: string): Change[] {
  const dropped: Change[] = [];
  for (const { state, expires_at } of states.values()) {
    if (expires_at > now && states.size - dropped.length < MAX_STATES) break;
    dropped.push(["delete", "states", state]);
  }
  return dropped;
}

/** All that there is, gone. */
export function deletes(tables: Tables): Change[] {
  return TABLE_NAMES.flatMap((name) => [...tables[name].keys()].map((key): Change => ["delete", name, key]));
}

/** All of these, in their places. */
export function puts(records: Records): Change[] {
  return [
    ...records.instances.map((record): Change => ["put", "instances", record]),
    ...records.personas.map((record): Change => ["put", "personas", record]),
    ...records.users.map((record): Change => ["put", "users", record]),
    ...records.identities.map((record): Change => ["put", "identities", record]),
    ...records.sessions.map((record): Change => ["put", "sessions", record]),
  ];
}
