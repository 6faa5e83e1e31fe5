import { crc32 } from "node:zlib";
import { OLDEST_VERSION, tablesOf } from "../columns.ts";
import { isRecord, VERSION, type TableName } from "../records.ts";
import { StoreRefused } from "../store.ts";
import { upgrade } from "../upgrade.ts";
import type { Document } from "./document.ts";
import { damaged } from "./journal.ts";
import { chain, checksumOf, eachLine, hex, unseal } from "./lines.ts";

export const FORMAT = "svc-identity";

/** The first line of a `db.json`. */
export interface Header {
  readonly format: string;
  readonly version: number;
  /** The number of the last change that the file holds for certain. */
  readonly sequence: number;
}

export function headerLine(sequence: number): string {
  const header: Header = { format: FORMAT, version: VERSION, sequence };
  return `${JSON.stringify(header).slice(0, -1)},`;
}

/** `checksum` is a chain over those of the first line and of all records. */
export function lastLine(checksum: number): string {
  return `"checksum":"${hex(checksum)}"}`;
}

/**
 * Fills a document from a `db.json`, as a stream.
 * @returns undefined where there is none
 * @throws {StoreRefused} where it is not what was written, naming the line
 */
export async function readSnapshot(path: string, document: Document): Promise<Header | undefined> {
  let header: Header | undefined;
  let number = 0;
  let checksum = 0;
  let tables = 0;
  let table: TableName | undefined;
  let isComplete = false;
  const damage = (what = "it is not what was written"): StoreRefused => damaged(path, `line ${number}: ${what}`);
  const size = await eachLine(path, ({ bytes }) => {
    number++;
    if (isComplete) throw damage();
    if (!header) {
      header = parseHeader(path, bytes.toString());
      checksum = crc32(bytes);
    } else if (table && bytes[0] === OPEN) {
      const line = bytes.at(-1) === COMMA ? bytes.subarray(0, -1) : bytes;
      checksum = chain(checksum, checksumOf(line));
      const value = parseRecord(line);
      const record = value && upgrade(table, value, header.version);
      if (!isRecord(table, record) || !document.load(table, record)) throw damage();
    } else if (table) {
      if (bytes.toString() !== "],") throw damage();
      table = undefined;
    } else if (tables < tablesOf(header.version).length) {
      table = tablesOf(header.version)[tables++]!;
      if (bytes.toString() !== `"${table}":[`) throw damage();
    } else {
      if (bytes.toString() !== lastLine(checksum)) throw damage("its checksum differs");
      isComplete = true;
    }
  });
  if (size === undefined) return undefined;
  if (!isComplete) throw damage("its end is missing");
  return header;
}

const OPEN = "{".charCodeAt(0);
const COMMA = ",".charCodeAt(0);

function parseHeader(path: string, line: string): Header {
  let header: Partial<Header> | undefined;
  try {
    header = JSON.parse(line.replace(/,$/, "}")) as Partial<Header>;
  } catch {}
  if (header?.format !== FORMAT || !Number.isSafeInteger(header.version) || !Number.isSafeInteger(header.sequence)) {
    throw new StoreRefused(
      "damaged",
      `${path} is no svc store, or its first line is damaged. Nothing was changed. If it is one, keep what can be read with: svc store repair --store ${path}. Otherwise choose another --store.`,
    );
  }
  if (header.version! > VERSION || header.version! < OLDEST_VERSION) throw unknownVersion(path, header.version!);
  return header as Header;
}

export function unknownVersion(path: string, version: number): StoreRefused {
  const what =
    version > VERSION
      ? `was written by a newer svc (format ${version}). Update svc`
      : `has format ${version}, which no released svc has written`;
  return new StoreRefused("unusable", `${path} ${what}, or choose another --store.`);
}

function parseRecord(line: Buffer): object | undefined {
  const json = unseal(line);
  if (json === undefined) return undefined;
  try {
    return JSON.parse(json) as object;
  } catch {
    return undefined;
  }
}
