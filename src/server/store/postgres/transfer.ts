import {
  byTable,
  keyOf,
  MOVED_NAMES,
  TABLE_NAMES,
  type Entry,
  type RecordOf,
  type Records,
  type TableName,
} from "../records.ts";
import type { Source, FillTarget } from "../maintenance.ts";
import { StorageUnavailable, StoreRefused, type Warn } from "../store.ts";
import { openDatabaseAt } from "./database/database.ts";
import { rootCauseOf, isLocked, isUnstorable } from "./database/failures.ts";
import { asRefusal, reasonOf, databaseUnusable } from "./database/reasons.ts";
import { migrate } from "./migrate.ts";
import { requireStore, schemaVersion } from "./version.ts";
import { selectFrom, insertAll, isEmpty, removeAll } from "./rows.ts";
import { MIGRATIONS } from "./schema.ts";
import { inBatches } from "./database/session.ts";

const BATCH = 1000;
/** It takes the same lock for a moment, and gives it up when somebody has waited for `deadlock_timeout`, one second. */
const AUTOVACUUM_YIELDS_IN = "3s";

/** A store in a database, read as a whole, as it is when this is called. @throws {StoreRefused} */
export async function openPostgresSource(url: string, warn: Warn = () => {}): Promise<Source> {
  const database = openDatabaseAt(url, warn);
  const { location, close } = database;
  const { ask, begin } = database.openSession();
  let readings = 0;

  async function* entries(): AsyncIterable<readonly Entry[]> {
    readings++;
    for (const table of MOVED_NAMES) {
      const select = `${selectFrom(table)} ORDER BY row.position`;
      const batches = inBatches<RecordOf[typeof table]>(ask, `${table}_${readings}`, BATCH, select);
      for await (const rows of batches) yield rows.map((row) => [table, row] as unknown as Entry);
    }
  }

  try {
    await requireStore(database);
    const [filling] = await database.query("SELECT FROM svc.filling");
    if (filling)
      throw databaseUnusable(`${location} is itself incomplete: a copy or an import into it was interrupted.`);
    // From here on the view is consistent, even if others write.
    await begin("ISOLATION LEVEL REPEATABLE READ READ ONLY");
    await ask("SELECT FROM svc.instances LIMIT 1");
    return { location, entries, close };
  } catch (error) {
    await close();
    throw asRefusal(location, error);
  }
}

/** A database that is being filled. Only one process at a time may do that. @throws {StoreRefused} */
export async function openPostgresTarget(url: string, warn: Warn = () => {}): Promise<FillTarget> {
  const database = openDatabaseAt(url, warn);
  const { location, close } = database;
  const { ask, transaction } = database.openSession();
  // The transaction stays open: behind a pooler, a session lock would stay on a connection that others use.
  const lock = database.openSession();
  try {
    if ((await schemaVersion(database)) < MIGRATIONS.length) await migrate(database);
    await lock.begin();
    await lock.ask(`SET LOCAL lock_timeout = '${AUTOVACUUM_YIELDS_IN}'`);
    await lock.ask("LOCK TABLE svc.filling IN SHARE UPDATE EXCLUSIVE MODE");
  } catch (error) {
    await close();
    if (isLocked(rootCauseOf(error)))
      throw new StoreRefused("locked", `Another process is filling ${location}.`, { cause: error });
    throw asRefusal(location, error);
  }

  return {
    location,

    begin: (fingerprint) =>
      transaction(async () => {
        const [filling] = await ask<{ fingerprint: string; entries: string }>("SELECT * FROM svc.filling");
        if (filling?.fingerprint === fingerprint) return Number(filling.entries);
        if (!filling && !(await isEmpty(ask)))
          throw databaseUnusable(
            `${location} already contains a store, which is never overwritten. Use an empty database, or empty this one with: DROP SCHEMA svc CASCADE`,
          );
        await removeAll(ask);
        await ask("DELETE FROM svc.filling");
        await ask("INSERT INTO svc.filling VALUES ($1::text, 0)", [fingerprint]);
        return 0;
      }),

    put: (entries) =>
      transaction(async () => {
        const ofTable = (table: TableName) => entries.flatMap(([name, record]) => (name === table ? [record] : []));
        await insertAll(ask, byTable(MOVED_NAMES, ofTable) as Records);
        await ask("UPDATE svc.filling SET entries = entries + $1::text::bigint", [String(entries.length)]);
      }).catch((error: unknown) => {
        throw notStored(location, entries, error);
      }),

    finish: () =>
      transaction(async () => {
        await ask("DELETE FROM svc.filling");
        // So that the first searches are planned well.
        for (const table of [...TABLE_NAMES, "session_times"]) await ask(`ANALYZE svc.${table}`);
      }),

    close,
  };
}

/** What JSON says of U+0000 and of half a surrogate pair, which only a file store could contain. */
const NOT_TEXT = /\\u0000|\\ud[89a-f]/i;

/** Names the record that the database can't store. After an outage it says how to continue. */
function notStored(location: string, entries: readonly Entry[], error: unknown): unknown {
  const textOf = ([, record]: Entry): string => JSON.stringify(record);
  if (isUnstorable(rootCauseOf(error))) {
    const longest = entries.toSorted((a, b) => textOf(b).length - textOf(a).length)[0]!;
    const [table, record] = entries.find((entry) => NOT_TEXT.test(textOf(entry))) ?? longest;
    return databaseUnusable(
      `${location} can't store ${keyOf(table, record)} of the ${table}: ${reasonOf(rootCauseOf(error))}. Correct or delete that record in the source, and start again.`,
      { cause: error },
    );
  }
  if (!(error instanceof StorageUnavailable)) return error;
  return new StorageUnavailable(`${error.message}. To continue, run the same command again.`, { cause: error });
}
