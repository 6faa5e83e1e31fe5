import { setTimeout as sleep } from "node:timers/promises";
import type { Migration } from "../maintenance.ts";
import type { Warn } from "../store.ts";
import { withDatabase, type Database } from "./database/database.ts";
import { rootCauseOf, isCreated, isLocked } from "./database/failures.ts";
import { asRefusal } from "./database/reasons.ts";
import { createFunctions, missingFunctions } from "./functions.ts";
import { buildIndexes, createIndexes, hasTrigrams, missingIndexes } from "./indexes.ts";
import { checkEmpty, knownVersion, schemaVersion } from "./version.ts";
import { checkColumns, MIGRATIONS } from "./schema.ts";
import { announceWait } from "./database/reports.ts";
import type { Ask, DatabaseSession } from "./database/session.ts";

/** Upgrades that wait for a lock hold up the sign-ins behind them, so they wait only so long, and then let those go first. */
const LOCK_TIMEOUT = "1s";
const LOCK_AGAIN_MS = 2000;
const LOCK_WITHIN_MS = 5 * 60_000;
/** How often the lock of another process that upgrades is tried. */
const TURN_AGAIN_MS = 200;

/** A failure in here is not an error: the extension may not be installed, or only an administrator may add it. */
const TRIGRAM_EXTENSION = `DO $$ BEGIN
  CREATE EXTENSION IF NOT EXISTS pg_trgm WITH SCHEMA svc;
EXCEPTION WHEN insufficient_privilege OR undefined_file OR feature_not_supported OR undefined_object THEN NULL;
END $$`;

/**
 * Upgrades the schema to the newest version, all or nothing, and creates the indexes that it lacks while others use the
 * tables. Several processes may do so at the same time.
 * @throws {StoreRefused} if a privilege is missing, the schema is newer than this svc, or other transactions keep their locks
 */
export async function migrate(database: Database, migrations: readonly string[] = MIGRATIONS): Promise<Migration> {
  const { location } = database;
  const session = database.openSession();
  try {
    const done = await upgrade(database, session, migrations).catch((error: unknown) => {
      if (isCreated(rootCauseOf(error))) return upgrade(database, session, migrations);
      throw error;
    });
    const indexed = await addIndexes(database, session.ask);
    return { location, ...done, to: migrations.length, trigrams: await hasTrigrams(session.ask), indexed };
  } catch (error) {
    throw asRefusal(location, error, "Have the owner of the database run svc store migrate once.");
  } finally {
    await session.close();
  }
}

type Upgrade = Pick<Migration, "from" | "restored">;

async function upgrade(database: Database, session: DatabaseSession, migrations: readonly string[]): Promise<Upgrade> {
  const { ask } = session;
  const { location, warn } = database;
  const attempt = async (): Promise<Upgrade> => {
    const from = await announceWait(database, lockSchema(database, ask));
    await ask(`SET LOCAL lock_timeout = '${LOCK_TIMEOUT}'`);
    for (const text of from === 0 ? migrations.slice(0, 1) : migrations.slice(from)) await ask(text);
    // Processes of the previous version continue, so one may also start. A version that they can't serve names itself.
    if (from < migrations.length)
      await ask(
        `INSERT INTO svc.migrations (version, oldest) VALUES (${migrations.length}, ${Math.max(1, migrations.length - 1)})`,
      );
    await checkColumns(location, ask);
    const missing = from === 0 ? [] : await missingFunctions(ask);
    await createFunctions(ask);
    await ask(TRIGRAM_EXTENSION);
    if (from === 0) await createIndexes(ask, await missingIndexes(ask));
    return { from, restored: missing };
  };
  const until = performance.now() + LOCK_WITHIN_MS;
  for (let attempts = 0; ; attempts++) {
    try {
      return await session.transaction(attempt);
    } catch (error) {
      if (!isLocked(rootCauseOf(error)) || performance.now() > until) throw error;
    }
    if (attempts === 0)
      warn(`${location}: another transaction locks a table that must be changed. Trying again until it has ended.`);
    await sleep(LOCK_AGAIN_MS);
  }
}

/** @returns whether it created any */
async function addIndexes(database: Database, ask: Ask): Promise<boolean> {
  if ((await missingIndexes(ask)).length === 0) return false;
  // Held by another session, because they can't be created within a transaction.
  const lock = database.openSession();
  try {
    await lock.begin("ISOLATION LEVEL READ COMMITTED");
    await announceWait(database, lockInTurn(lock.ask, "SHARE UPDATE EXCLUSIVE"));
    const missing = await missingIndexes(ask);
    await buildIndexes(ask, missing);
    return missing.length > 0;
  } finally {
    await lock.close();
  }
}

/**
 * Keeps other processes from creating or upgrading the schema until the transaction ends. The locks are those of svc's own
 * objects, which no other role can take: of two first starts, the second waits for the name of the table.
 * @returns the version, or 0 if the schema is new
 */
async function lockSchema(database: Database, ask: Ask): Promise<number> {
  if ((await knownVersion(database, ask)) > 0) {
    await lockInTurn(ask, "SHARE ROW EXCLUSIVE");
    return knownVersion(database, ask);
  }
  await ask("CREATE SCHEMA IF NOT EXISTS svc");
  await ask(
    "CREATE TABLE svc.migrations (version int PRIMARY KEY, oldest int, applied_at timestamptz NOT NULL DEFAULT now())",
  );
  await checkEmpty(database.location, ask);
  return 0;
}

/**
 * Tries a lock until no other process has it. A statement that waits for it would hold up the creation of an index by that
 * process, which waits for every older statement.
 */
async function lockInTurn(ask: Ask, mode: string): Promise<void> {
  await ask("SAVEPOINT turn");
  for (;;) {
    try {
      await ask(`LOCK TABLE svc.migrations IN ${mode} MODE NOWAIT`);
      return;
    } catch (error) {
      if (!isLocked(rootCauseOf(error))) throw error;
      await ask("ROLLBACK TO SAVEPOINT turn");
      await sleep(TURN_AGAIN_MS);
    }
  }
}

/** Upgrades a database's schema to the newest version, for `svc store migrate`. @throws {StoreRefused} */
export async function migratePostgres(url: string, warn: Warn = () => {}): Promise<Migration> {
  return withDatabase(url, warn, async (database) => {
    await schemaVersion(database);
    return migrate(database);
  });
}
