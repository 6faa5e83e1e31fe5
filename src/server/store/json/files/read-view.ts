import { open, stat, type FileHandle } from "node:fs/promises";
import { setImmediate } from "node:timers/promises";
import { absent, filesOf, followed } from "./directory.ts";
import { alwaysChanging, noStore, notFile, notOpened } from "./refusals.ts";
import { chunksOf } from "./lines.ts";

const ATTEMPTS = 1000;

/** One file of a store, up to its length when it was opened. */
export interface ViewedFile {
  readonly path: string;
  readonly size: number;
  /** Can be read repeatedly. */
  content(): AsyncIterable<Buffer>;
  /** Its current content from an offset. */
  tail(from: number): AsyncIterable<Buffer>;
}

/**
 * A consistent view of a store's files, for reading while a server writes: what it appends is beyond their recorded ends,
 * and files that replace them have only their names.
 */
export type ReadView = Awaited<ReturnType<typeof openReadView>>;

/** The result of reading a store's files as they are now. @throws {StoreRefused} if there is no store, or they can't be read */
export async function inReadView<Result>(
  location: string,
  read: (view: ReadView) => Promise<Result>,
  options?: { readonly mayBeEmpty: boolean },
): Promise<Result> {
  const view = await openReadView(location, options);
  try {
    return await read(view);
  } finally {
    await view.close();
  }
}

/** Must be closed by the caller. @throws {StoreRefused} if there is no store, or its files can't be read */
export async function openReadView(location: string, { mayBeEmpty = false } = {}) {
  const path = await followed(location);
  const names = filesOf(path);
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const handles: (FileHandle | undefined)[] = [];
    const close = async (): Promise<void> => {
      for (const handle of handles) await handle?.close();
    };
    try {
      // In this order, because everything in a document was in a journal before.
      for (const name of names) handles.push(await openFile(name));
      if (await stillNamed(names, handles)) {
        const viewed = await Promise.all(handles.map((handle, n) => viewedFile(names[n]!, handle)));
        const [document, old, journal] = viewed;
        if (!mayBeEmpty && !document && !old && !journal?.size) throw noStore(path);
        const files = viewed.filter((file) => file !== undefined);
        return { path, journalPath: names[2]!, document, old, journal, files, close };
      }
    } catch (error) {
      await close();
      throw notOpened(path, error);
    }
    await close();
    await setImmediate();
  }
  throw alwaysChanging(path);
}

async function openFile(name: string): Promise<FileHandle | undefined> {
  const there = await stat(name).catch(absent);
  if (!there) return undefined;
  // Opening anything else, such as a pipe, could block.
  if (!there.isFile()) throw notFile(name);
  return open(name, "r").catch(absent);
}

/** The inode number of an open file is not reused, so the same number means the same file. */
async function stillNamed(names: readonly string[], handles: readonly (FileHandle | undefined)[]): Promise<boolean> {
  for (const [n, name] of names.entries()) {
    const there = await stat(name, { bigint: true }).catch(absent);
    const ours = await handles[n]?.stat({ bigint: true });
    if (there?.ino !== ours?.ino || there?.dev !== ours?.dev) return false;
  }
  return true;
}

async function viewedFile(path: string, handle: FileHandle | undefined): Promise<ViewedFile | undefined> {
  if (!handle) return undefined;
  const { size } = await handle.stat();
  return { path, size, content: () => chunksOf(handle, size), tail: (from) => chunksOf(handle, Infinity, from) };
}
