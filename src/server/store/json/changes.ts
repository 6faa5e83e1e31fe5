import type { Records, StateRecord } from "../records.ts";
import { Document, type Change } from "./document.ts";

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

/** All of these, in their places. */
export function documentOf(records: Records): Document {
  const document = new Document();
  for (const record of records.instances) document.apply(["put", "instances", record]);
  for (const record of records.personas) document.apply(["put", "personas", record]);
  for (const record of records.users) document.apply(["put", "users", record]);
  for (const record of records.identities) document.apply(["put", "identities", record]);
  for (const record of records.sessions) document.apply(["put", "sessions", record]);
  return document;
}
