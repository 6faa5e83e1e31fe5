import { rm } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { instanceOf, keyOf, VERSION, type TableName } from "../../records.ts";
import { countsOf, danglingIn, invalidIn, scan } from "./check.ts";
import { copyFile, followed, journalName, oldName } from "../files/directory.ts";
import { damageText, noInstance, notOpened, notWritten } from "../files/refusals.ts";
import { FILLED, newId } from "../files/header.ts";
import { Journal } from "../files/journal.ts";
import { lockStore } from "../files/lock.ts";
import { inReadView } from "../files/read-view.ts";
import { syncDirectory } from "../../../../disk/write-atomically.ts";
import { inPieces, writeDocument } from "../files/document-file.ts";

export interface RepairOptions {
  /** Whether records that belong to others that aren't there are left out as well. */
  readonly dropDangling?: boolean | undefined;
  readonly now: Date;
}

/** What a repair would do. The store is held until `close`, so that it stays true. */
export interface Repair {
  readonly location: string;
  /** A sentence for each place that can't be read and for everything else that is left out. Empty if nothing needs repair. */
  readonly losses: readonly string[];
  /** A sentence for each record that is kept although it is not valid or belongs to a missing one: no export takes it. */
  readonly remaining: readonly string[];
  /** The consequences for the records that are kept. */
  readonly notes: readonly string[];
  readonly kept: Readonly<Record<TableName, number>>;
  /** Copies every file, and then writes what is kept. @returns the copies */
  apply(): Promise<string[]>;
  close(): Promise<void>;
}

const STALE =
  "Changes are lost: what they changed is as it was before, and what they deleted may be there again. Users who were signing in must start again.";

/**
 * Finds what can be kept of a damaged file store. Nothing is changed before `apply`.
 * @throws {StoreRefused} if it is in use, is not a store, or a newer svc wrote it
 */
export async function openRepair(location: string, { dropDangling = false, now }: RepairOptions): Promise<Repair> {
  const path = await followed(resolve(location));
  // If there is no store, a lock would leave its note.
  await inReadView(path, async () => undefined);
  const lock = await lockStore(path).catch((error: unknown) => {
    throw notOpened(path, error);
  });
  try {
    const { files, found } = await inReadView(path, async (view) => ({
      files: view.files.map((file) => file.path),
      found: await scan(view),
    }));
    const { tables } = found;
    // A used state whose removal was lost could be used again, so no state is kept then.
    const states = found.lostChanges ? [...tables.states.values()] : [];
    for (const { state } of states) tables.states.delete(state);
    const dangling = dropDangling ? danglingIn(tables) : [];
    for (const { entry } of dangling) {
      const [name, record] = entry;
      tables[name].delete(keyOf(name, record), instanceOf(record));
    }
    const sentenceOf = ({ entry: [name], key, missing }: (typeof dangling)[number]): string =>
      `${name} ${key}: it belongs to ${missing}, which isn't there`;
    const losses = [
      ...found.damage.map(damageText),
      ...(states.length > 0 ? [`${states.length} sign-ins under way`] : []),
      ...dangling.map(sentenceOf),
    ];
    return {
      location: path,
      losses,
      remaining: [...danglingIn(tables).map(sentenceOf), ...invalidIn(tables)],
      notes: found.lostChanges ? [STALE] : [],
      kept: countsOf(tables),
      async apply() {
        if (tables.instances.size === 0) throw noInstance(path);
        try {
          const stamp = now.toISOString().replaceAll(":", "-");
          const copies = files.map((file) => `${file}.${stamp}.bak`);
          for (const [i, file] of files.entries()) await copyFile(file, copies[i]!, { isNew: true });
          await write(path, found);
          await rm(oldName(path), { force: true });
          await syncDirectory(dirname(path));
          return copies;
        } catch (error) {
          throw notWritten(path, error);
        }
      },
      close: () => lock.release(),
    };
  } catch (error) {
    await lock.release();
    throw error;
  }
}

/** Writes the document first: until the journal exists, another repair starts from it. */
async function write(
  path: string,
  { tables, sequence: last, header }: Awaited<ReturnType<typeof scan>>,
): Promise<void> {
  const [store, id] = [header?.store ?? newId(), newId()];
  const sequence = Math.max(last, FILLED);
  await writeDocument(path, { version: VERSION, store, journal: id, sequence }, (name) =>
    inPieces([...tables[name].values()]),
  );
  await (await Journal.begin(journalName(path), { store, id, after: null, sequence })).close();
}
