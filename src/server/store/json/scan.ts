import { keyOf, TABLE_NAMES, type TableName } from "../records.ts";
import type { AnyRecord, Change } from "./document.ts";
import { decodeLine } from "./journal.ts";
import type { Pinned, PinnedFile } from "./pinned.ts";
import { readSnapshot, type Damage } from "./snapshot-lines.ts";

/** All that can be read of a store, and what can't. */
export interface Scan {
  /** The format's version. Undefined: no `db.json` says so. */
  readonly version: number | undefined;
  /** The number of the last change that was read. */
  readonly sequence: number;
  readonly tables: Readonly<Record<TableName, ReadonlyMap<string, AnyRecord>>>;
  readonly damage: readonly Damage[];
  /** Whether changes are lost, so that what they changed is as it was before them. */
  readonly lostChanges: boolean;
  /** What a crash left, and the next start puts in order. */
  readonly leftovers: readonly string[];
}

interface Numbered {
  readonly sequence: number;
  readonly changes: readonly Change[];
}

/**
 * Reads every line of a store's files on its own. A change behind a damaged line is applied all the same: it is a
 * whole record put, or a key removed, and needs nothing of what came before.
 * @throws {StoreRefused} where it was written by a newer svc, or is no store at all
 */
export async function scan(pinned: Pinned): Promise<Scan> {
  const { path, snapshot, old, journal } = pinned;
  const tables = Object.fromEntries(TABLE_NAMES.map((name) => [name, new Map<string, AnyRecord>()])) as Record<
    TableName,
    Map<string, AnyRecord>
  >;
  const damage: Damage[] = [];
  const leftovers: string[] = [];
  let header: { version: number; sequence: number } | undefined;
  if (snapshot)
    for await (const item of readSnapshot(snapshot)) {
      if ("header" in item) header = item.header;
      else if ("damage" in item) damage.push(item.damage);
      else tables[item.entry[0]].set(keyOf(item.entry[0], item.entry[1]), item.entry[1]);
    }

  const numbered: Numbered[] = [];
  for (const file of [old, journal]) if (file) numbered.push(...(await readJournal(file, damage, leftovers)));
  // A journal that follows a document whose header is lost can only be taken whole.
  const known = header?.sequence ?? (snapshot ? (numbered[0]?.sequence ?? 1) - 1 : 0);
  let sequence = known;
  let lostChanges = false;
  for (const line of numbered.toSorted((a, b) => a.sequence - b.sequence)) {
    if (line.sequence <= sequence) continue;
    if (line.sequence > sequence + 1) {
      lostChanges = true;
      damage.push(gap(pinned, sequence, line.sequence));
    }
    for (const change of line.changes) apply(tables, change);
    sequence = line.sequence;
  }
  lostChanges ||= damage.some(({ file }) => file !== path);
  return { version: header?.version, sequence, tables, damage, lostChanges, leftovers };
}

function apply(tables: Record<TableName, Map<string, AnyRecord>>, [action, name, subject]: Change): void {
  if (action === "put") tables[name].set(keyOf(name, subject), subject);
  else tables[name].delete(subject);
}

/** The lines that are as they were written, and what is wrong with the others. */
async function readJournal(file: PinnedFile, damage: Damage[], leftovers: string[]): Promise<Numbered[]> {
  const good: Numbered[] = [];
  let offset = 0;
  let number = 0;
  const seen = new Set<number>();
  let highest = 0;
  for await (const { line, isWhole } of file.lines()) {
    number++;
    const fault = (what: string, of?: string): void =>
      void damage.push({ file: file.path, line: number, offset, what, of });
    const text = (isWhole ? line : line.subarray(0, -1)).toString();
    const decoded = decodeLine(text);
    if (decoded) good.push(decoded);
    if (decoded && !isWhole) fault("its end was altered");
    else if (decoded && decoded.sequence < highest && !seen.has(decoded.sequence))
      fault("it stands in the wrong place");
    else if (!decoded && isWhole) fault("this is not what was written", changesIn(text));
    else if (!isWhole)
      leftovers.push(
        `${file.path} ends with ${line.length} bytes of a change that was never acknowledged. The next start drops them.`,
      );
    if (decoded) seen.add(decoded.sequence);
    highest = Math.max(highest, decoded?.sequence ?? 0);
    offset += line.length + 1;
  }
  return good;
}

function gap({ path, snapshot, old, journal }: Pinned, before: number, after: number): Damage {
  const range = after - before === 2 ? `change ${before + 1} is` : `changes ${before + 1} to ${after - 1} are`;
  const place = { line: 0, offset: 0 };
  if (!snapshot && before === 0) return { file: path, ...place, what: `there is no such file, and ${range} missing` };
  return { file: (journal ?? old)!.path, ...place, what: `${range} missing` };
}

/** What a damaged line changed, as far as it can be read. Kinds and keys alone: it may hold secrets. */
function changesIn(line: string): string | undefined {
  const names = TABLE_NAMES.join("|");
  const found = [...line.matchAll(new RegExp(`\\["(put|delete)","(${names})",(?:\\{"id":)?"([\\w-]{1,64})"`, "g"))];
  const shown = found.map(([, action, name, key]) => `${action} ${name}${name === "states" ? "" : ` ${key}`}`);
  return shown.length > 0 ? shown.join(", ") : undefined;
}
