import { crc32 } from "node:zlib";
import { TABLE_NAMES, type Entry, type TableName } from "../records.ts";
import { entryOf, isRecord } from "../schema.ts";
import { hex } from "./journal.ts";
import type { PinnedFile } from "./pinned.ts";
import { FORMAT, newer, VERSION } from "./snapshot.ts";

/** A place in a file that is not what was written there. */
export interface Damage {
  readonly file: string;
  /** From 1. 0: the file as a whole. */
  readonly line: number;
  /** In bytes. */
  readonly offset: number;
  readonly what: string;
  /** The kind and key of what stood there, as far as they can be read. */
  readonly of?: string | undefined;
}

export type Item =
  | { readonly header: { readonly version: number; readonly sequence: number } }
  | { readonly entry: Entry }
  | { readonly damage: Damage };

/**
 * Reads a `db.json` as far as it can be read: first its header, then its records, and between them what is damaged.
 * @throws {StoreRefused} where it was written by a newer svc
 */
export async function* readSnapshot(file: PinnedFile): AsyncIterable<Item> {
  const place = { line: 0, offset: 0, length: 0 };
  let checksum = 0;
  let table: TableName | undefined;
  let hasHeader = false;
  let isFaulty = false;
  let isComplete = false;
  let isDifferent = false;
  const damage = (what: string, of?: string): Item => {
    isFaulty = true;
    const { line, offset } = place;
    return { damage: { file: file.path, line, offset, what, of } };
  };
  for await (const { line } of file.lines()) {
    place.offset += place.length;
    place.length = line.length + 1;
    place.line++;
    const text = line.toString();
    const heading = TABLE_NAMES.find((name) => text === `"${name}":[`);
    const end = END.exec(text);
    const header = hasHeader ? undefined : headerOf(text);
    if (place.line === 1 && !header) yield damage("this is no first line of a store");
    if (header) {
      if (header.version > VERSION) throw newer(file.path, header.version);
      if (place.line > 1) yield damage("the first line stands here");
      hasHeader = true;
      yield { header };
    } else if (heading) table = heading;
    else if (end && !isComplete) {
      isComplete = true;
      isDifferent = end[1] !== hex(checksum);
    } else if (text !== "],") {
      const entry = entryIn(text, table);
      if (isComplete) yield damage("nothing should be behind the end");
      if (entry) yield { entry };
      else if (place.line > 1 && !isComplete) yield damage("this is not what was written", describe(text, table));
    }
    checksum = crc32("\n", crc32(line, checksum));
  }
  place.line++;
  place.offset += place.length;
  if (!isComplete) yield damage("the end is missing, and whatever stood before it");
  if (isDifferent && !isFaulty) yield { damage: { file: file.path, line: 0, offset: 0, what: ALTERED } };
}

const END = /^"crc32":"([0-9a-f]{8})"\}$/;
const ALTERED =
  "the checksum differs: something in it was altered, and a file of this format doesn't tell which of its records";

function headerOf(line: string): { version: number; sequence: number } | undefined {
  const { format, version, sequence } = (parse(line.replace(/,$/, "}")) ?? {}) as Record<string, unknown>;
  const isHeader = format === FORMAT && Number.isSafeInteger(version) && Number.isSafeInteger(sequence);
  return isHeader ? { version: version as number, sequence: sequence as number } : undefined;
}

/** Where the line above a record is damaged, its columns tell which kind it is. */
function entryIn(line: string, table: TableName | undefined): Entry | undefined {
  const value = parse(line.endsWith(",") ? line.slice(0, -1) : line);
  return table !== undefined && isRecord(table, value) ? ([table, value] as Entry) : entryOf(value);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/** What a damaged line held. Never more than kind and key: a line may hold secrets. */
function describe(line: string, table: TableName | undefined): string | undefined {
  if (table === "states") return "states";
  const key = /"(?:session_id|id)":"(svc_session_[0-9a-f-]{36}|[\w-]{1,64})"/;
  const found = (table === "sessions" ? /"session_id":"(svc_session_[0-9a-f-]{36})"/ : key).exec(line)?.[1];
  return [table, found].filter(Boolean).join(" ") || undefined;
}
