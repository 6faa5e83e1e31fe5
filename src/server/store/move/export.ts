import { isUtf8 } from "node:buffer";
import { createHash } from "node:crypto";
import type { Source } from "../maintenance.ts";
import { isObject } from "../../../text/json.ts";
import { byTable, completed, isRecord, MOVED_NAMES, STORE_VERSION, type Entry } from "../records.ts";
import { recordFault, References, shownKey, writtenFault } from "../record-faults.ts";
import { linesOf, parsedObject, type Line } from "../file/lines.ts";
import { digest, type Digests } from "./fill.ts";

/**
 * An export, a line of JSON each:
 *
 *     {"format":"svc-identity-export","version":1}
 *     {"table":"users","record":{…}}
 *     {"end":{"instances":2,"personas":6,"users":12,"identities":9,"sessions":15},"sha256":"…"}
 *
 * The SHA-256 is that of everything before the last line.
 */
const EXPORT_FORMAT = "svc-identity-export";

const ALTERED = "Something was altered. Export it again.";

/**
 * Writes a store, as it is at one point in time. The same store gives the same bytes. An export contains secret keys.
 * @param write takes the next piece, and resolves when there is room for more
 * @throws {StoreRefused} if the store is damaged; the output then has no end, and can't be imported
 */
export async function exportStore(source: Source, write: (text: string) => Promise<void>): Promise<Digests> {
  const hash = createHash("sha256");
  const add = async (text: string): Promise<void> => {
    hash.update(text);
    await write(text);
  };
  await add(`${JSON.stringify({ format: EXPORT_FORMAT, version: STORE_VERSION })}\n`);
  const digests = await digest(source, (records) =>
    add(records.map(([table, text]) => `{"table":"${table}","record":${text}}\n`).join("")),
  );
  const end = byTable(MOVED_NAMES, (name) => digests[name].count);
  await write(`${JSON.stringify({ end, sha256: hash.digest("hex") })}\n`);
  return digests;
}

/** A file that can't be imported. The message has the place and the reason. Nothing was imported. */
export class ImportRefused extends Error {
  override readonly name = "ImportRefused";

  constructor(name: string, why: string) {
    super(`${name}${why} Nothing was imported.`);
  }
}

/** What begins text in UTF-16. */
const UTF_16 = new Set(["fffe", "feff"]);

/** A line as it was exported, where an editor or a transfer added a byte order mark or ends its lines with CRLF. */
function unconverted(bytes: Buffer, number: number): Buffer {
  const start = number === 1 && bytes.toString("hex", 0, 3) === "efbbbf" ? 3 : 0;
  return bytes.subarray(start, bytes.at(-1) === CARRIAGE_RETURN ? -1 : undefined);
}
const CARRIAGE_RETURN = 0x0d;

/** An export's records. @throws {ImportRefused} at its first fault. Its end is checked last */
export async function* readExport(name: string, chunks: AsyncIterable<Buffer>): AsyncIterable<readonly Entry[]> {
  const hash = createHash("sha256");
  const references = new References();
  const counts = byTable(MOVED_NAMES, () => 0);
  let last = 0;
  let hasEnded = false;

  function read({ bytes: written, number, isWhole }: Line): Entry[] {
    const bytes = unconverted(written, number);
    last = number;
    const refuse = (why: string): never => {
      throw new ImportRefused(name, `, line ${number}: ${why}`);
    };
    if (number === 1 && UTF_16.has(bytes.toString("hex", 0, 2)))
      refuse("this is UTF-16, as PowerShell's > writes it. Export it again with --output-file.");
    if (!isUtf8(bytes)) refuse("this is not UTF-8: something converted the file. Export it again with --output-file.");
    if (!isWhole) refuse("it was cut off here.");
    if (hasEnded) refuse("nothing should be behind the end.");
    const value = parsedObject(bytes.toString()) ?? {};
    if (number > 1 && "end" in value) {
      if (value["sha256"] !== hash.digest("hex"))
        refuse("the SHA-256 differs: something above was altered. Export it again.");
      if (JSON.stringify(value["end"]) !== JSON.stringify(counts)) refuse("the counts differ from what is above.");
      hasEnded = true;
      return [];
    }
    hash.update(bytes).update("\n");
    if (number === 1) {
      if (value["format"] !== EXPORT_FORMAT) refuse("this is not an export of svc. To make one, run svc store export.");
      if (value["version"] !== STORE_VERSION) refuse("another version of svc made this export. Use that one.");
      return [];
    }
    const table = MOVED_NAMES.find((one) => one === value["table"]);
    if (!table) return refuse(`a table and its record were expected here. ${ALTERED}`);
    const given = value["record"];
    const record = isObject(given) ? completed(table, given) : given;
    if (!isRecord(table, record))
      return refuse(`${table}${isObject(record) ? "." : " "}${writtenFault(table, record)}. ${ALTERED}`);
    const entry = [table, record] as unknown as Entry;
    const fault = recordFault(entry);
    if (fault !== undefined) refuse(`${fault}. Correct it in the store, and export it again.`);
    const missing = references.missing(entry);
    if (missing !== undefined) refuse(`${table} ${shownKey(entry)} belongs to ${missing}, which isn't there.`);
    counts[table]++;
    return [entry];
  }

  for await (const lines of linesOf(chunks)) yield lines.flatMap(read);
  if (last === 0) throw new ImportRefused(name, " is empty.");
  if (!hasEnded) throw new ImportRefused(name, `: it was cut off behind line ${last}.`);
}
