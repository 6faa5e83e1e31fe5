import type { Records } from "../records.ts";
import { Document } from "./document.ts";

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
