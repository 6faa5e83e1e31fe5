import { TABLE_NAMES, type Records, type RecordOf } from "../records.ts";
import { Document } from "./document.ts";

/** All of these, in their places. */
export function documentOf(
  records: Records & { states?: RecordOf["states"][]; settings?: RecordOf["settings"][] },
): Document {
  const document = new Document();
  for (const name of TABLE_NAMES) for (const record of records[name] ?? []) document.apply(["put", name, record]);
  return document;
}
