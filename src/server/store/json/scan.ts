import { keyOf, TABLE_NAMES, type TableName } from "../records.ts";
import { StoreRefused } from "../store.ts";
import type { AnyRecord, Change } from "./document.ts";
import { decodeLine, hasHole } from "./journal.ts";
import { eachLine, type Line } from "./lines.ts";
import type { Pinned, PinnedFile } from "./pinned.ts";
import { itemsOf, type Damage } from "./snapshot-lines.ts";

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

const UNREADABLE = "this is not what was written";

interface Numbered {
  readonly sequence: number;
  readonly changes: readonly Change[];
}

/**
 * Reads every line of a store's files on its own. A change behind a damaged line is applied all the same: it is a
 * whole record put, or a key removed, and needs nothing of what came before.
 * @param keep what of each record is to be kept: a large store's records may not fit beside each other
 * @throws {StoreRefused} where it was written by a newer svc, or is no store at all
 */
export async function scan(pinned: Pinned, keep: (record: AnyRecord) => AnyRecord = (record) => record): Promise<Scan> {
  const { path, snapshot, old, journal } = pinned;
  const tables = Object.fromEntries(TABLE_NAMES.map((name) => [name, new Map<string, AnyRecord>()])) as Record<
    TableName,
    Map<string, AnyRecord>
  >;
  const damage: Damage[] = [];
  const leftovers: string[] = [];
  let header: { version: number; sequence: number } | undefined;
  if (snapshot)
    for await (const items of itemsOf(snapshot))
      for (const item of items) {
        if ("header" in item) header = item.header;
        else if ("damage" in item) damage.push(item.damage);
        else {
          const { entry, damageAt } = item;
          const key = keyOf(entry[0], entry[1]);
          if (tables[entry[0]].has(key)) damage.push(damageAt("a record with this key was there before"));
          else tables[entry[0]].set(key, keep(entry[1]));
        }
      }

  const isSound = damage.length === 0;
  const numbered: Numbered[] = [];
  const inJournals: Damage[] = [];
  if (old) numbered.push(...(await readJournal(old, inJournals, journal?.size ? undefined : leftovers)));
  if (journal) numbered.push(...(await readJournal(journal, inJournals, leftovers)));
  damage.push(...inJournals);
  numbered.sort((a, b) => a.sequence - b.sequence);
  const isStore = header || numbered.length > 0 || TABLE_NAMES.some((name) => tables[name].size > 0);
  if (!isStore)
    throw new StoreRefused("unusable", `${path} is no svc store, or nothing of it can be read. Nothing was changed.`);
  // A document that was altered may tell a wrong number; its journal knows better.
  const first = (numbered[0]?.sequence ?? Infinity) - 1;
  const told = header?.sequence ?? (snapshot ? Infinity : 0);
  const known = isSound ? told : Math.min(told, first);
  let sequence = Number.isFinite(known) ? known : 0;
  let lostChanges = false;
  for (const line of numbered) {
    if (line.sequence <= sequence) continue;
    if (line.sequence > sequence + 1) {
      lostChanges = true;
      damage.push(gap(pinned, sequence, line.sequence));
    }
    for (const [action, name, subject] of line.changes)
      if (action === "put") tables[name].set(keyOf(name, subject), keep(subject));
      else tables[name].delete(subject);
    sequence = line.sequence;
  }
  lostChanges ||= inJournals.some(({ what }) => what === UNREADABLE);
  return { version: header?.version, sequence, tables, damage, lostChanges, leftovers };
}

/**
 * The lines that are as they were written, and what is wrong with the others.
 * @param leftovers takes what a crash left at the end. Undefined: there is a journal behind this one, so it was whole
 */
async function readJournal(file: PinnedFile, damage: Damage[], leftovers: string[] | undefined): Promise<Numbered[]> {
  const good: Numbered[] = [];
  const seen = new Set<number>();
  let number = 0;
  let highest = 0;
  let torn: (() => void) | undefined;
  await eachLine(file.content(), (line) => {
    torn?.();
    torn = undefined;
    number++;
    const place = { file: file.path, line: number, offset: line.offset };
    const fault = (what: string, of?: string): void => void damage.push({ ...place, what, of });
    const [entry, isAsWritten] = entryOf(line, leftovers === undefined);
    if (!entry) {
      const of = changesIn(line.bytes.toString());
      // Only behind the last line can a crash have left something.
      if (leftovers && (!line.isWhole || hasHole(line.bytes, line.offset))) torn = () => fault(UNREADABLE, of);
      else fault(UNREADABLE, of);
      return;
    }
    good.push(entry);
    if (!isAsWritten) fault("its end was altered");
    else if (entry.sequence < highest && !seen.has(entry.sequence)) fault("it stands in the wrong place");
    seen.add(entry.sequence);
    highest = Math.max(highest, entry.sequence);
  });
  if (torn) leftovers?.push(`${file.path} ends with a change that was never acknowledged. The next start drops it.`);
  return good;
}

/** What a line says, and whether it ends as it was written. A line whose end is missing counts only where it `mustBeWhole`. */
function entryOf({ bytes, isWhole }: Line, mustBeWhole: boolean): [Numbered | undefined, boolean] {
  if (isWhole) return [decodeLine(bytes), true];
  // A whole line and one byte more is no cut: the byte was its end, and something changed it.
  return [decodeLine(bytes.subarray(0, -1)) ?? (mustBeWhole ? decodeLine(bytes) : undefined), false];
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
  const found = [
    ...line.matchAll(new RegExp(`\\["(put|delete)","(${names})",(?:\\{"(?:id|state)":)?"([\\w-]{1,64})"`, "g")),
  ];
  const shown = found.map(([, action, name, key]) => `${action} ${name}${name === "states" ? "" : ` ${key}`}`);
  return shown.length > 0 ? shown.join(", ") : undefined;
}
