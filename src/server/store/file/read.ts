import type { Stats } from "node:fs";
import { open, type FileHandle } from "node:fs/promises";
import { resolve } from "node:path";
import { Low } from "lowdb";
import { byTable, TABLE_NAMES } from "../records.ts";
import { Tables } from "../memory/tables.ts";
import type { StoreRefused } from "../store.ts";
import { absent, followed, isSame, journalName, NO_LINK, refuseOtherOwners, statOf } from "./directory.ts";
import { DocumentFile } from "./document.ts";
import { belongs, type JournalHeading } from "./headings.ts";
import { applyJournal, readJournal, type JournalContent } from "./journal-reader.ts";
import { lineChunksOf } from "./lines.ts";
import { noStore, notStore, otherLayout } from "./refusals.ts";

/** A store's files, read whole. */
export interface Reading {
  /** Whether there is one. */
  readonly isThere: boolean;
  /** All records that can be read are its data. */
  readonly low: Low<Tables>;
  readonly file: DocumentFile;
  /** Of the journal as it is on the disk. */
  readonly journal: JournalHeading | undefined;
  /** That file. */
  readonly journalFile: Stats | undefined;
  /** The number of the last change. */
  readonly number: number;
  /** How many lines of the journal are not in the document. */
  readonly late: number;
  /** Why it can't be used: a sentence for each place. */
  readonly faults: readonly string[];
  /** Why it can't be used until its owner accepts it as it is. */
  readonly doubts: readonly string[];
  /** The remains of a crash, which lost nothing that was acknowledged. */
  readonly torn: string | undefined;
}

/** A server may write between the readings of the two files, and rarely does so several times. */
const ATTEMPTS = 5;

/** The store at a location, and the path of its `db.json`. @throws {StoreRefused} also if there is none */
export async function readExisting(location: string, onOther = refuse): Promise<Reading & { readonly path: string }> {
  const path = await followed(resolve(location));
  const reading = await readStore(path, onOther);
  if (!reading.isThere) throw noStore(path);
  return { ...reading, path };
}

/**
 * Reads a store as far as it can be read. It takes no lock, and a server may be using the store.
 * @param onOther given the refusal of a file with another layout; throws it, unless what can be read of it is wanted too
 * @throws {StoreRefused} if its names have other things than the files of a store
 */
export async function readStore(path: string, onOther = refuse): Promise<Reading> {
  for (let attempt = 1; ; attempt++) {
    const before = [path, journalName(path)].map(statOf);
    const reading = await readOnce(path, onOther);
    const isSound = reading.faults.length + reading.doubts.length === 0;
    const after = [path, journalName(path)].map(statOf);
    const isStill = before.every((file, n) => isSame(file, after[n]) && file?.size === after[n]?.size);
    if (isSound || isStill || attempt === ATTEMPTS) return reading;
  }
}

function refuse(refusal: StoreRefused): void {
  throw refusal;
}

async function readOnce(path: string, onOther: typeof refuse): Promise<Reading> {
  await refuseOtherOwners(path);
  const file = new DocumentFile(path);
  const low = new Low<Tables>(file, new Tables());
  await low.read();
  const { content } = file;
  const other = otherLayout(path, content?.version);
  if (other) onOther(other);
  const journalFile = statOf(journalName(path));
  const journal = await inJournal(path);
  const isThere = content !== undefined || journal !== undefined;
  const isStore = journal !== undefined || content?.version !== undefined || !low.data.isEmpty;
  if (isThere && !isStore) throw notStore(path, file.size);

  const faults = content && !content.isAsWritten ? content.faults.map((fault) => `${path}: ${fault}`) : [];
  const doubts = content?.isAsWritten === false && faults.length === 0 ? [edited(path, file)] : [];
  const last = content?.heading?.number ?? 0;
  const result = { isThere, low, file, journal: journal?.heading, journalFile, faults, doubts };
  const name = journalName(path);
  const nothing = { number: last, late: 0, torn: undefined };
  if (!isThere) return { ...result, ...nothing };
  if (!journal) return { ...result, ...nothing, doubts: [...doubts, withoutJournal(path)] };
  faults.push(...journal.faults.map((fault) => `${name}: ${fault}`));
  const otherJournal = otherLayout(name, journal.heading?.version);
  if (otherJournal) onOther(otherJournal);
  const end = journal.lines.at(-1)?.number ?? journal.heading?.number ?? 0;
  if (journal.heading && !belongs(journal.heading, end, content?.heading)) {
    // What was changed in the document may be what names its journal.
    faults.push(...doubts, `${name}: ${content ? ANOTHER_TIME : WITHOUT_DOCUMENT}`);
    return { ...result, ...nothing };
  }
  const { number, applied, faults: gaps } = applyJournal(low.data, last, journal);
  faults.push(...gaps.map((gap) => `${name}: ${gap}`));
  const torn =
    journal.torn &&
    `${name} ends with an incomplete line at offset ${journal.torn.offset} (${journal.torn.bytes.length} bytes)`;
  return { ...result, number, late: applied, torn };
}

async function inJournal(path: string): Promise<JournalContent | undefined> {
  const handle: FileHandle | undefined = await open(journalName(path), NO_LINK).catch(absent);
  if (!handle) return undefined;
  try {
    return await readJournal(lineChunksOf(handle, (await handle.stat()).size));
  } finally {
    await handle.close();
  }
}

/** What an edited document has, beside what it had. */
function edited(path: string, { content }: DocumentFile): string {
  const { written_at, records } = content!.heading!;
  const now = content!.tables.counts();
  const counts = byTable(TABLE_NAMES, (name) => (now[name] === records[name] ? "" : ` (${records[name]} before)`));
  const shown = TABLE_NAMES.map((name) => `${now[name]} ${name}${counts[name]}`).join(", ");
  return `${path} was changed since svc wrote it at ${written_at}. It has ${shown}`;
}

const withoutJournal = (path: string): string =>
  `${journalName(path)} is missing, and changes that were acknowledged may be missing with it`;
const ANOTHER_TIME = "it belongs to another store, or is of another time than db.json";
const WITHOUT_DOCUMENT = "the db.json that it continues is missing";
