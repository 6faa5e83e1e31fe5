import { isUtf8 } from "node:buffer";
import { crc32 } from "node:zlib";
import { NotText, utf8Text } from "../../../disk/decode.ts";
import { jsonFault, isObject } from "../../../text/json.ts";
import { writtenFault } from "../record-faults.ts";
import { completed, instanceIdOf, isRecord, keyOf, TABLE_NAMES, type Entry, type TableName } from "../records.ts";
import { Conflict } from "../store.ts";
import { refuseConflict } from "../memory/conflicts.ts";
import { Tables, type AnyRecord } from "../memory/tables.ts";
import { HEADING_NAMES, headingOf, lastLine, openingOf, versionOf, type Heading } from "./headings.ts";
import { linesOf, parsedObject, type Line } from "./lines.ts";

/** What can be read of a `db.json`. */
export interface DocumentContent {
  readonly heading: Heading | undefined;
  /** Of its layout. */
  readonly version: number | undefined;
  readonly tables: Tables;
  /** Whether every byte is as svc wrote it. */
  readonly isAsWritten: boolean;
  /** A sentence for each place that is no part of a store, e.g. `line 7, offset 1024: not a record of users`. */
  readonly faults: readonly string[];
}

const OPEN = "{".charCodeAt(0);
const TABLE_LINES = new Map(TABLE_NAMES.map((name) => [`"${name}":[`, name]));
const ENDS = new Set(["]", "],"]);

/** Reads a `db.json` as svc writes it, a record a line. Each line is read on its own, so that damage leaves the others. */
export async function readLines(chunks: AsyncIterable<Buffer>): Promise<DocumentContent> {
  const tables = new Tables();
  const faults: string[] = [];
  let opening: ReturnType<typeof openingOf>;
  let table: TableName | undefined;
  let crc = 0;
  let isComplete = false;

  function faultOf({ number, bytes }: Line): string | undefined {
    if (!isUtf8(bytes)) return "not text in UTF-8";
    if (isComplete) return "nothing should be behind the end";
    if (number > 1 && bytes[0] === OPEN) {
      const value = parsedObject(withoutComma(bytes).toString());
      const record = table && value && completed(table, value);
      if (!table || !isRecord(table, record)) return `not a record${table ? ` of ${table}` : ""}`;
      if (tables.find(table, keyOf(table, record), instanceIdOf(record))) return "another record has its key";
      tables.load(table, record);
      return undefined;
    }
    const text = bytes.toString();
    if (number === 1) {
      opening = openingOf(bytes);
      return headingOf(opening) ? undefined : "not the beginning of a store";
    }
    if (TABLE_LINES.has(text)) table = TABLE_LINES.get(text);
    else if (text.startsWith('"checksum":')) {
      isComplete = true;
      return text === lastLine(crc) ? undefined : "the checksum differs: something above was altered";
    } else if (!ENDS.has(text)) return "not a line of a store";
    return undefined;
  }

  for await (const lines of linesOf(chunks))
    for (const line of lines) {
      const fault = faultOf(line);
      if (fault !== undefined) faults.push(`line ${line.number}, offset ${line.offset}: ${fault}`);
      crc = crc32("\n", crc32(line.bytes, crc));
    }
  if (!isComplete) faults.push("the end is missing, with any records before it");
  tables.sort();
  const heading = headingOf(opening);
  return { heading, version: versionOf(opening), tables, isAsWritten: faults.length === 0, faults };
}

/** Reads a `db.json` that a person may have edited: JSON in any form. */
export function readDocumentText(bytes: Uint8Array): DocumentContent {
  const tables = new Tables();
  let text = "";
  let value: unknown;
  const fail = (fault: string): DocumentContent => {
    const version = isObject(value) ? versionOf(value) : undefined;
    return { heading: undefined, version, tables, isAsWritten: false, faults: [fault] };
  };
  try {
    text = utf8Text(bytes);
    value = JSON.parse(text);
  } catch (error) {
    return fail(error instanceof NotText ? error.message : `not JSON: ${jsonFault(error, text)}`);
  }
  const heading = isObject(value) ? headingOf(value) : undefined;
  if (!isObject(value) || !heading) return fail("not a store: its heading is missing, or not whole");
  const names: readonly string[] = [...HEADING_NAMES, ...TABLE_NAMES];
  const strange = Object.keys(value).filter((name) => !names.includes(name));
  const faults = TABLE_NAMES.flatMap((name) => loadAll(tables, name, value[name]));
  faults.unshift(...strange.map((name) => `${JSON.stringify(name)} is not part of a store`));
  tables.sort();
  return { heading, version: versionOf(value), tables, isAsWritten: false, faults };
}

/** @returns a sentence for each that is not a valid record, e.g. `users[3].email must be text` */
function loadAll(tables: Tables, name: TableName, rows: unknown): string[] {
  if (!Array.isArray(rows)) return [`${name} must be a list`];
  return rows.flatMap((given: unknown, n) => {
    const row = isObject(given) ? completed(name, given) : given;
    const fault = writtenFault(name, row);
    if (fault !== undefined) return [`${name}[${n}]${isObject(row) ? "." : " "}${fault}`];
    try {
      refuseConflict(tables, [name, row] as Entry);
    } catch (error) {
      if (error instanceof Conflict) return [`${name}[${n}]: ${error.message}`];
      throw error;
    }
    tables.load(name, row as AnyRecord);
    return [];
  });
}

function withoutComma(line: Buffer): Buffer {
  return line.at(-1) === COMMA ? line.subarray(0, -1) : line;
}
const COMMA = ",".charCodeAt(0);
