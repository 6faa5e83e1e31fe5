import type { FileHandle } from "node:fs/promises";
import { ServeError } from "../../errors.ts";
import { acceptFileStore, checkFileStore } from "../file/check.ts";
import { lineChunksOf } from "../file/lines.ts";
import { openFileSource, openFileTarget, openReadableSource } from "../file/transfer.ts";
import { fromSource, type Driver, type Migration, type Source, type StoreCheck } from "../maintenance.ts";
import { kindOf } from "../open.ts";
import { StoreRefused, type Warn } from "../store.ts";
import { exportStore, ImportRefused, readExport } from "./export.ts";
import { countOf, digest, fillCopy, FillSummary, type Digests, type Filled, type OnProgress } from "./fill.ts";

type Kind = Exclude<ReturnType<typeof kindOf>, "memory">;

const DRIVERS: Readonly<Record<Kind, (location: string, warn: Warn) => Driver>> = {
  file: (path, warn) => ({
    openSource: () => openFileSource(path),
    openTarget: () => openFileTarget(path, warn),
    check: () => checkFileStore(path),
  }),
  postgres: (url, warn) => ({
    openSource: async () => (await import("../postgres/transfer.ts")).openPostgresSource(url, warn),
    openTarget: async () => (await import("../postgres/transfer.ts")).openPostgresTarget(url, warn),
    check: async () => (await import("../postgres/check.ts")).checkPostgres(url, warn),
  }),
};

function lastingKind(location: string): Kind {
  const kind = kindOf(location);
  if (kind === "memory") throw new ServeError("A store in memory ends with its server. Give the path of a db.json.");
  return kind;
}

/** @throws {ServeError} if it is neither the path of a `db.json` nor a database's address */
export function driverOf(location: string, warn: Warn = () => {}): Driver {
  return DRIVERS[lastingKind(location)](location, warn);
}

/** @throws {ServeError} if a location is of another kind */
function only(kind: Kind, location: string, why: string): string {
  if (lastingKind(location) === kind) return location;
  throw new ServeError(why);
}

export interface Copy extends Pick<Filled, "isEqual" | "wasThere"> {
  readonly from: Pick<Filled, "location" | "digests">;
  readonly to: Pick<Filled, "location" | "digests">;
}

/** Copies a store, as it is at one point in time, into an empty one. @throws {StoreRefused} */
export async function copyStore(from: Driver, to: Driver, onProgress?: OnProgress): Promise<Copy> {
  return fromSource(from, async (source) => {
    const { location } = source;
    const digests = await digest(source);
    if (countOf(digests) === 0) throw new StoreRefused("unusable", `${location} is empty: there is nothing to copy.`);
    const { isEqual, wasThere, ...filled } = await fillCopy(to, source.entries(), digests, onProgress);
    if (wasThere && filled.location === location)
      throw new StoreRefused("unusable", `${location} can't be copied to itself.`);
    return { from: { location, digests }, to: filled, isEqual, wasThere };
  });
}

/**
 * Fills an empty store from an export. The file is read twice: whole before anything is written, and then for its records.
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
  const summary = new FillSummary();
  for await (const entries of readExport(name, lineChunksOf(file))) for (const entry of entries) summary.add(entry);
  const expected = summary.digests();
  if (countOf(expected) === 0) throw new ImportRefused(name, " is empty.");
  return fillCopy(driver, readExport(name, lineChunksOf(file)), expected, onProgress);
}

type Write = (text: string) => Promise<void>;
/** What was exported, and from where: a database's address is without its password. */
export type Exported = Pick<Filled, "location" | "digests">;

async function exported(source: Source, write: Write): Promise<Exported> {
  return { location: source.location, digests: await exportStore(source, write) };
}

const NOT_A_FILE = "This is for a db.json. A database maintains its own files.";
const NOT_A_DATABASE = "This is for a database. A db.json has nothing to upgrade.";

/** Operations on a store other than serving it. Each takes a location: the path of a `db.json`, or a database's URL. */
export const createMaintenance = (warn: Warn) => ({
  check: async (store: string): Promise<StoreCheck> => driverOf(store, warn).check(),
  accept: async (store: string): Promise<void> => acceptFileStore(only("file", store, NOT_A_FILE), warn),
  async migrate(store: string): Promise<Migration> {
    const url = only("postgres", store, NOT_A_DATABASE);
    return (await import("../postgres/migrate.ts")).migratePostgres(url, warn);
  },
  copy: async (from: string, to: string, onProgress?: OnProgress): Promise<Copy> =>
    copyStore(driverOf(from, warn), driverOf(to, warn), onProgress),
  export: async (store: string, write: Write): Promise<Exported> =>
    fromSource(driverOf(store, warn), (source) => exported(source, write)),
  exportReadable: async (store: string, write: Write): Promise<Exported> =>
    exported(await openReadableSource(only("file", store, NOT_A_FILE), warn), write),
  import: async (store: string, name: string, file: FileHandle, onProgress?: OnProgress): Promise<Filled> =>
    importStore(driverOf(store, warn), name, file, onProgress),
});

export type { Digests, Filled };
export type Maintenance = ReturnType<typeof createMaintenance>;
