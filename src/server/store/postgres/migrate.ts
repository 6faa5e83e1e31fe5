import { clearTimeout, setTimeout } from "node:timers";
import type { Migration } from "../maintenance.ts";
import { StoreRefused, type Warn } from "../store.ts";
import type { Database } from "./database/database.ts";
import { asRefusal, causeOf, isCreated } from "./database/failures.ts";
import { openDatabaseAt } from "./database/open-database.ts";
import { FUNCTIONS } from "./functions.ts";
import { checkEmpty, checkOwners } from "./owners.ts";
import { checkColumns, MIGRATIONS, TRIGRAM_INDEXES } from "./schema.ts";
import type { Ask } from "./database/session.ts";

const SAY_AFTER_MS = 3000;

/** Waits for the other process that creates, fills or changes something, and says so if that takes long. */
export async function announceWait<T>({ location, warn }: Database, locked: Promise<T>): Promise<T> {
  const waits = `${location}: another process is creating, filling or changing the store. Waiting for it.`;
  const timer = setTimeout(() => warn(waits), SAY_AFTER_MS);
  try {
    return await locked;
  } finally {
    clearTimeout(timer);
  }
}

const OLDEST_SERVER = 130_000;

interface Server {
  readonly number: number;
  readonly version: string;
  readonly encoding: string;
  readonly standby: boolean;
  readonly read_only: string;
  readonly synchronous_commit: string;
}

/**
 * The version of the database's schema, or 0 if there is none.
 * @throws {StoreRefused} if it is newer than this svc, or the server can't be used
 */
export async function schemaVersion(database: Database): Promise<number> {
  const [server] = await database.query<Server>(
    `SELECT current_setting('server_version_num')::int AS number, current_setting('server_version') AS version,
       current_setting('server_encoding') AS encoding,
       pg_is_in_recovery() AS standby, current_setting('transaction_read_only') AS read_only,
       current_setting('synchronous_commit') AS synchronous_commit`,
  );
  const refused = (why: string): StoreRefused => new StoreRefused("unusable", `${database.location} ${why}`);
  if (server!.number < OLDEST_SERVER) throw refused(`is PostgreSQL ${server!.version}. svc needs 13 or newer.`);
  if (server!.standby) throw refused("is a read-only standby. Give the address of the primary.");
  if (server!.read_only === "on")
    throw refused("is set to read only (default_transaction_read_only). Set it back, or give another address.");
  if (server!.encoding !== "UTF8")
    throw refused(
      `has the encoding ${server!.encoding}. Create it with: createdb --encoding=UTF8 --template=template0`,
    );
  // Every connection sets it, but a pooler that drops unknown parameters may have undone that.
  if (["off", "local"].includes(server!.synchronous_commit))
    throw refused(`answers before a write is safe (synchronous_commit=${server!.synchronous_commit}). Set it to on.`);
  const version = await knownVersion(database, database.query);
  if (version === MIGRATIONS.length) await checkColumns(database.location, database.query);
  return version;
}

/** The newest version. @throws {StoreRefused} if the database has no store, or one of an older version */
export async function requireStore(database: Database): Promise<number> {
  const version = await schemaVersion(database);
  if (version === MIGRATIONS.length) return version;
  const why = version === 0 ? "contains no store." : "has an older schema. Run: svc store migrate";
  throw new StoreRefused("unusable", `${database.location} ${why}`);
}

/**
 * Upgrades the schema to the newest version, step by step, all or nothing. Several processes may do so at the same time.
 * @throws {StoreRefused} if a privilege is missing, or the schema is newer than this svc
 */
export async function migrate(database: Database): Promise<Omit<Migration, "location">> {
  const session = database.openSession(false);
  const { ask } = session;
  const upgrade = () =>
    session.transaction(async () => {
      const from = await announceWait(database, lockSchema(database, ask));
      for (const [index, text] of MIGRATIONS.entries()) {
        if (index < from) continue;
        await ask(text);
        await ask(`INSERT INTO svc.migrations (version) VALUES (${index + 1})`);
      }
      await checkColumns(database.location, ask);
      await ask(FUNCTIONS);
      await ask(TRIGRAM_EXTENSION);
      const had = await hasTrigrams(ask);
      const trigrams = await makeTrigramIndexes(ask);
      return { from, to: MIGRATIONS.length, trigrams, indexed: trigrams && !had };
    });
  try {
    return await upgrade().catch((error: unknown) => {
      if (isCreated(causeOf(error))) return upgrade();
      throw error;
    });
  } catch (error) {
    throw asRefusal(database.location, error, "Have the owner of the database run svc store migrate once.");
  } finally {
    await session.close();
  }
}

/**
 * Keeps other processes from creating or upgrading the schema until the transaction ends. The locks are those of svc's own
 * objects, which no other role can take: of two first starts, the second waits for the name of the table.
 * @returns the version, or 0 if the schema is new
 */
async function lockSchema(database: Database, ask: Ask): Promise<number> {
  if ((await knownVersion(database, ask)) > 0) {
    await ask("LOCK TABLE svc.migrations IN SHARE ROW EXCLUSIVE MODE");
    return knownVersion(database, ask);
  }
  await ask("CREATE SCHEMA IF NOT EXISTS svc");
  await ask("CREATE TABLE svc.migrations (version int PRIMARY KEY, applied_at timestamptz NOT NULL DEFAULT now())");
  await checkEmpty(database.location, ask);
  return 0;
}

/** Upgrades a database's schema to the newest version, for `svc store migrate`. @throws {StoreRefused} */
export async function migratePostgres(url: string, warn: Warn = () => {}): Promise<Migration> {
  const database = openDatabaseAt(url, warn);
  try {
    await schemaVersion(database);
    return { location: database.location, ...(await migrate(database)) };
  } catch (error) {
    throw asRefusal(database.location, error);
  } finally {
    await database.close();
  }
}

/** Whether substring searches have an index. */
export async function hasTrigrams(ask: Ask): Promise<boolean> {
  const [row] = await ask<{ count: number }>(
    `SELECT count(*)::int AS count FROM pg_indexes WHERE schemaname = 'svc' AND indexname LIKE '%\\_trigrams'`,
  );
  return row!.count === TRIGRAM_INDEXES.length;
}

/** False if the extension is missing. It may be in any schema. */
async function makeTrigramIndexes(ask: Ask): Promise<boolean> {
  const [extension] = await ask<{ schema: string }>(
    `SELECT quote_ident(nspname) AS schema FROM pg_extension JOIN pg_namespace n ON n.oid = extnamespace
     WHERE extname = 'pg_trgm'`,
  );
  if (!extension || (await hasTrigrams(ask))) return extension !== undefined;
  for (const [name, table, column] of TRIGRAM_INDEXES)
    await ask(
      `CREATE INDEX IF NOT EXISTS ${name} ON svc.${table} USING gin (${column} ${extension.schema}.gin_trgm_ops)`,
    );
  return true;
}

/** A failure in here is not an error: the extension may not be installed, or only an administrator may add it. */
const TRIGRAM_EXTENSION = `DO $$ BEGIN
  CREATE EXTENSION IF NOT EXISTS pg_trgm WITH SCHEMA svc;
EXCEPTION WHEN insufficient_privilege OR undefined_file OR feature_not_supported OR undefined_object THEN NULL;
END $$`;

async function knownVersion({ location, schemaOwner }: Database, ask: Ask): Promise<number> {
  await checkOwners(location, schemaOwner, ask);
  const [table] = await ask<{ exists: boolean }>("SELECT to_regclass('svc.migrations') IS NOT NULL AS exists");
  if (!table!.exists) return 0;
  const [row] = await ask<{ version: number }>("SELECT coalesce(max(version), 0) AS version FROM svc.migrations");
  const { version } = row!;
  if (version > MIGRATIONS.length)
    throw new StoreRefused(
      "unusable",
      `${location} has the schema version ${version}, created by a newer svc; this one supports ${MIGRATIONS.length}. ` +
        "Use the newer svc.",
    );
  return version;
}
