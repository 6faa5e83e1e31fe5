import { createHash } from "node:crypto";
import type { FileHandle } from "node:fs/promises";
import type { Driver, Source } from "../maintenance.ts";
import {
  byTable,
  MOVED_NAMES,
  VERSION,
  isRecord,
  keyOf,
  upgrade,
  type Entry,
  type MovedName,
  OLDEST_VERSION,
} from "../records.ts";
import { digest, countOf, Summary, fill, type Digests, type Filled, type OnProgress } from "./copy.ts";
import { inPieces } from "../json/files/document-file.ts";
import { chunksOf, lineBatches, parseObject, type Line } from "../json/files/lines.ts";
import { recordFault, References } from "../record-faults.ts";

/**
 * An export, a line of JSON each:
 *
 *     {"format":"svc-identity-export","version":3}
 *     {"table":"users","record":{…}}
 *     {"end":{"instances":2,"personas":6,"users":12,"identities":9,"sessions":15},"sha256":"…"}
 *
 * The version is that of its records; an export of the first version has those of the oldest. The SHA-256 is that of
 * everything before the last line.
 */
export const EXPORT_FORMAT = "svc-identity-export";

/**
 * Writes a store, as it is at one point in time. The same content gives the same bytes. An export contains secret keys.
 * @param write takes the next piece, and resolves when there is room for more
 * @throws {StoreRefused} if the store is damaged; the output then has no end, and can't be imported
 */
export async function exportStore(source: Source, write: (text: string) => Promise<void>): Promise<Digests> {
  const hash = createHash("sha256");
  const add = async (text: string): Promise<void> => {
    hash.update(text);
    await write(text);
  };
  await add(`${JSON.stringify({ format: EXPORT_FORMAT, version: VERSION })}\n`);
  const digests = await digest(source, (records) =>
    add(records.map(([table, text]) => `{"table":"${table}","record":${text}}\n`).join("")),
  );
  const end = byTable(MOVED_NAMES, (name) => digests[name].count);
  await write(`${JSON.stringify({ end, sha256: hash.digest("hex") })}\n`);
  return digests;
}

const BATCH = 1000;

/** A file that can't be imported. The message has the place and the reason. Nothing was imported. */
export class ImportRefused extends Error {
  override readonly name = "ImportRefused";

  constructor(name: string, why: string) {
    super(`${name}${why} Nothing was imported.`);
  }
}

/**
 * Fills an empty store from an export. The file is read twice: whole before anything is written, and then for its
 * records. If an import is interrupted, the same import continues where it stopped.
 * @param name of the file, for messages
 * @throws {ImportRefused} if the file is not what was exported
 * @throws {StoreRefused} if the store has other content
 */
export async function importStore(
  driver: Driver,
  name: string,
  file: FileHandle,
  onProgress?: OnProgress,
): Promise<Filled> {
  const summary = new Summary();
  for await (const entries of readExport(name, chunksOf(file))) for (const entry of entries) summary.add(entry);
  const expected = summary.digests();
  if (countOf(expected) === 0) throw new ImportRefused(name, " is empty.");
  return fill(driver, readExport(name, chunksOf(file)), expected, onProgress);
}

/** An export's records. @throws {ImportRefused} at its first fault. Its end is checked last */
export async function* readExport(name: string, chunks: AsyncIterable<Buffer>): AsyncIterable<readonly Entry[]> {
  const hash = createHash("sha256");
  const references = new References();
  const counts = byTable(MOVED_NAMES, () => 0);
  let number = 0;
  let version = VERSION;
  let hasEnded = false;
  const refuse = (why: string): never => {
    throw new ImportRefused(name, `, line ${number}: ${why}`);
  };
  const read = ({ bytes, isWhole }: Line): Entry[] => {
    number++;
    if (!isWhole) refuse("it was cut off here.");
    const value = parseObject(bytes.toString());
    if (hasEnded) refuse("nothing should be behind the end.");
    if (number > 1 && value && "end" in value) {
      if (value["sha256"] !== hash.digest("hex"))
        refuse("the SHA-256 differs: something above was altered. Export it again.");
      if (JSON.stringify(value["end"]) !== JSON.stringify(counts)) refuse("the counts differ from what is above.");
      hasEnded = true;
      return [];
    }
    hash.update(bytes).update("\n");
    if (number === 1) {
      version = versionIn(value, refuse);
      return [];
    }
    const entry = entryIn(value, version) ?? refuse("this is not a record. Something was altered. Export it again.");
    const fault = recordFault(entry);
    if (fault !== undefined) refuse(`${fault}. Correct it in the store, and export it again.`);
    const missing = references.missing(entry);
    if (missing !== undefined)
      refuse(`${entry[0]} ${keyOf(entry[0], entry[1])} belongs to ${missing}, which isn't there.`);
    counts[entry[0] as MovedName]++;
    return [entry];
  };
  for await (const lines of lineBatches(chunks)) yield* inPieces(lines.flatMap(read), BATCH);
  if (number === 0) throw new ImportRefused(name, " is empty.");
  if (!hasEnded) throw new ImportRefused(name, `: it was cut off behind line ${number}.`);
}

function versionIn(value: Record<string, unknown> | undefined, refuse: (why: string) => never): number {
  const { format, version } = value ?? {};
  if (format !== EXPORT_FORMAT || typeof version !== "number" || !(version >= 1))
    return refuse("this is not an export of svc. To make one, run svc store export.");
  if (version > VERSION) refuse("a newer svc made this export. Update svc.");
  return Math.max(version, OLDEST_VERSION);
}

function entryIn(value: Record<string, unknown> | undefined, version: number): Entry | undefined {
  const name = MOVED_NAMES.find((table) => table === value?.["table"]);
  const written = value?.["record"];
  if (!name || typeof written !== "object" || written === null) return undefined;
  const record = upgrade(name, written, version);
  return isRecord(name, record) ? ([name, record] as Entry) : undefined;
}
