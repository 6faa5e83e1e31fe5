import { rename, rm } from "node:fs/promises";
import { dirname } from "node:path";
import type { Low } from "lowdb";
import { VERSION } from "../../records.ts";
import { StoreRefused, type Warn } from "../../store.ts";
import { copyFile, journalName, oldName, tidy } from "./directory.ts";
import type { Document } from "../document/document.ts";
import { renameNew, syncDirectory } from "../../../../disk/write-atomically.ts";
import { changed, codeOf } from "./refusals.ts";
import { BEGINNING, newId, type JournalHeader } from "./header.ts";
import { encodeLine, journalHeaderOf, readJournal, replay, type Numbered, type Replayed } from "./journal-lines.ts";
import { Journal } from "./journal.ts";
import { readFrom } from "./lines.ts";
import { openReadView, type ReadView } from "./read-view.ts";
import { identityOf, type DocumentFile } from "./document-file.ts";

/**
 * Reads a store and starts a new journal. The existing one is put aside unchanged, never truncated: a process that the lock
 * does not reach may still be writing it, and notices by the name.
 * @returns the journal, the number of the last change, and whether `db.journal.old` has changes that `db.json` does not have
 * @throws {StoreRefused} if the store is damaged
 */
export async function openJournals(path: string, low: Low<Document>, file: DocumentFile, warn: Warn) {
  await low.read();
  const base = file.header === BEGINNING ? undefined : file.header;
  const files = await openReadView(path, { mayBeEmpty: true });
  try {
    const read = await replay(files, base, (change) => low.data.apply(change));
    if (read.torn) warn(tornMessage(read.torn));
    await tidy(path);
    const { sequence } = read;
    const { version, journal: next } = file.header;
    const isOlder = version < VERSION;
    if (isOlder) await copyFile(path, `${path}.format-${version}.bak`);
    const store = file.header.store ?? read.header?.store ?? newId();
    file.header = { ...file.header, store };
    const mustCompact = isOlder || (read.usesOld && files.old !== undefined);
    if (mustCompact) {
      const id = files.journal ? (read.header?.id ?? null) : await replaceMissing(path, store, read);
      file.header = { version: VERSION, store, journal: id, sequence };
      await low.write();
    }
    await rm(oldName(path), { force: true });
    // The next journal does not continue the old one, so the old one must be gone for good.
    if (files.old) await syncDirectory(dirname(path));
    const isAhead = !mustCompact && read.late > 0;
    const after = isAhead ? read.header!.id : mustCompact ? file.header.journal : next;
    const header = { store, id: newId(), after, sequence };
    const journal = await (isAhead ? beginAfter(path, header) : Journal.begin(journalName(path), header));
    try {
      return { journal, sequence: await takeLate(files, read, journal, low.data, warn), hasOld: isAhead };
    } catch (error) {
      await journal.close();
      throw error;
    }
  } finally {
    await files.close();
  }
}

/**
 * A store can lack `db.journal`: after a crash while it was put aside, or because an older version had none. A document
 * without a journal is refused, so the journal must exist before a new document is written.
 * @returns the id of the new journal; null if it is empty, as those of older versions were
 */
async function replaceMissing(path: string, store: string, { oldHeader, sequence }: Replayed): Promise<string | null> {
  const name = journalName(path);
  const journal = await (oldHeader
    ? Journal.begin(name, { store, id: newId(), after: oldHeader.id, sequence })
    : Journal.open(name, 0));
  await journal.close();
  await syncDirectory(dirname(path));
  return journal.id ?? null;
}

/** Starts a journal that continues the existing one, which becomes `db.journal.old`. */
export async function beginAfter(path: string, header: Omit<JournalHeader, "version">): Promise<Journal> {
  const name = journalName(path);
  const old = oldName(path);
  // A rollback that could not be synced leaves the journal both names, and then renaming does nothing.
  const hasBoth = (): boolean => identityOf(name) === identityOf(old);
  if (hasBoth()) {
    await syncDirectory(dirname(path));
    if (hasBoth()) await rm(old);
  }
  await rename(name, old);
  let ours: string | undefined;
  try {
    // Another process may have put its own journal there between the last check and the rename.
    if ((await idAt(old)) !== header.after) throw changed(name);
    return await Journal.begin(name, header, {
      isNew: true,
      beforeNaming: (temporary) => void (ours = identityOf(temporary)),
    });
  } catch (error) {
    // If our journal could not be made durable, the old one gets its name back. If another process's journal is there, the
    // old one stays aside, where the next start finds it. Nothing is opened for that: there may be no descriptor left.
    const isOurs = ours !== undefined && identityOf(name) === ours;
    await (isOurs ? rename(old, name) : renameNew(old, name)).catch(() => undefined);
    await syncDirectory(dirname(path)).catch(() => undefined);
    throw error;
  }
}

/** The id of a file's journal. Undefined if there is none, it has no header, or a newer svc wrote it. */
async function idAt(name: string): Promise<string | undefined> {
  try {
    return (await journalHeaderOf({ path: name, content: () => readFrom(name) }))?.header?.id;
  } catch (error) {
    if (error instanceof StoreRefused || codeOf(error) === "ENOENT") return undefined;
    throw error;
  }
}

/** Changes that a process on another machine added between our reading and our beginning; it can add no more. */
async function takeLate(
  { journalPath: path, journal: old }: ReadView,
  read: Replayed,
  journal: Journal,
  document: Document,
  warn: Warn,
): Promise<number> {
  let { sequence } = read;
  if (!old) return sequence;
  const late: Buffer[] = [];
  const take = (line: Numbered): void => {
    if (line.sequence !== sequence + 1) return;
    for (const change of line.changes) document.apply(change);
    late.push(encodeLine(++sequence, line.changes));
  };
  const rest = { path, content: () => old.tail(read.length) };
  await readJournal(rest, { report: () => {}, take, isLast: true, mayBeTorn: true, isHeadless: true });
  for (const line of late) await journal.append(line);
  if (late.length > 0)
    warn(`${path}: another process was writing it. Its changes were taken over, and it can write no more.`);
  return sequence;
}

function tornMessage({ file, offset, bytes }: NonNullable<Replayed["torn"]>): string {
  return (
    `${file}: dropped an incomplete last line at offset ${offset} (${bytes} bytes). A crash leaves such a line, ` +
    "and then it was never acknowledged; a disk that lost data leaves one too, and then acknowledged changes are missing."
  );
}
