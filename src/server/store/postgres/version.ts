import { StoreRefused } from "../store.ts";
import type { Database } from "./database/database.ts";
import { rootCauseOf, isUnsupported } from "./database/failures.ts";
import { databaseUnusable } from "./database/reasons.ts";
import type { Ask } from "./database/session.ts";
import { checkColumns, MIGRATIONS } from "./schema.ts";

const OLDEST_SERVER = 130_000;

/** What the statements of a sign-in need, and engines without a name of their own may lack. */
const READ_SERVER = `SELECT (SELECT count(*) FROM pg_language WHERE lanname = 'plpgsql')::int AS languages,
  (SELECT xmin::text FROM pg_class LIMIT 1) AS row_version,
  current_setting('server_version_num')::int AS number, current_setting('server_version') AS version,
  current_setting('server_encoding') AS encoding, pg_is_in_recovery() AS standby,
  current_setting('transaction_read_only') AS read_only, current_setting('synchronous_commit') AS synchronous_commit`;

interface Server {
  readonly languages: number;
  readonly row_version: string | null;
  readonly number: number;
  readonly version: string;
  readonly encoding: string;
  readonly standby: boolean;
  readonly read_only: string;
  readonly synchronous_commit: string;
}

/**
 * The version of the database's schema, or 0 if there is none.
 * @param toServe whether a newer one will do that its svc lets this one serve
 * @throws {StoreRefused} if it is newer than this svc, or the server can't be used
 */
export async function schemaVersion(database: Database, toServe = false): Promise<number> {
  const { location, query } = database;
  const refused = (why: string): StoreRefused => databaseUnusable(`${location} ${why}`);
  const readOnly = (why: string): StoreRefused => new StoreRefused("unavailable", `${location} ${why}`);
  const lacks = (what: string): StoreRefused =>
    refused(`lacks ${what}. Use PostgreSQL 13 or newer, with its extension plpgsql.`);
  const [found] = await query<Server>(READ_SERVER).catch((error: unknown) => {
    throw isUnsupported(rootCauseOf(error)) ? lacks("row versions (xmin)") : error;
  });
  const server = found!;
  if (server.languages === 0) throw lacks("PL/pgSQL");
  if (server.row_version === null) throw lacks("row versions (xmin)");
  if (server.number < OLDEST_SERVER) throw refused(`is PostgreSQL ${server.version}. svc needs 13 or newer.`);
  // It may become the primary.
  if (server.standby) throw readOnly("is a read-only standby. Give the address of the primary.");
  if (server.read_only === "on")
    throw readOnly("is set to read only (default_transaction_read_only). Set it back, or give another address.");
  if (server.encoding !== "UTF8")
    throw refused(`has the encoding ${server.encoding}. Create it with: createdb --encoding=UTF8 --template=template0`);
  // Every connection sets it, but a pooler that drops unknown parameters may have undone that.
  if (["off", "local"].includes(server.synchronous_commit))
    throw refused(`answers before a write is safe (synchronous_commit=${server.synchronous_commit}). Set it to on.`);
  const version = await knownVersion(database, query, toServe);
  if (version >= MIGRATIONS.length) await checkColumns(location, query);
  return version;
}

/** The newest version. @throws {StoreRefused} if the database has no store, or one of an older version */
export async function requireStore(database: Database): Promise<number> {
  const version = await schemaVersion(database);
  if (version === MIGRATIONS.length) return version;
  const why = version === 0 ? "contains no store." : "has an older schema. Run: svc store migrate";
  throw databaseUnusable(`${database.location} ${why}`);
}

/** The version of a schema that may be used, or 0. @throws {StoreRefused} */
export async function knownVersion({ location, schemaOwner }: Database, ask: Ask, toServe = false): Promise<number> {
  await checkOwners(location, schemaOwner, ask);
  const [table] = await ask<{ exists: boolean }>("SELECT to_regclass('svc.migrations') IS NOT NULL AS exists");
  if (!table!.exists) return 0;
  const [row] = await ask<{ version: number; oldest: number }>(
    "SELECT version, coalesce(oldest, version) AS oldest FROM svc.migrations ORDER BY version DESC LIMIT 1",
  );
  const { version, oldest } = row ?? { version: 0, oldest: 0 };
  if (version > MIGRATIONS.length && !(toServe && oldest <= MIGRATIONS.length))
    throw databaseUnusable(
      `${location} has the schema version ${version}, created by a newer svc; this one supports ${MIGRATIONS.length}. ` +
        "Use the newer svc.",
    );
  return version;
}

/** Superusers, the roles that this one belongs to, and the one that the address names. */
const TRUSTED = `WITH RECURSIVE own AS (
    SELECT oid FROM pg_roles WHERE rolname = current_user
    UNION SELECT m.roleid FROM pg_auth_members m JOIN own ON m.member = own.oid),
  trusted AS (
    SELECT oid FROM own
    UNION SELECT datdba FROM pg_database WHERE datname = current_database()
    UNION SELECT oid FROM pg_roles
      WHERE rolsuper OR rolcreaterole OR rolname = 'pg_database_owner' OR rolname = $1::text)`;

/** The objects in the schema, except those of extensions. */
const OBJECTS = `SELECT 1 AS rank, relname AS name, relowner AS owner FROM pg_class
    WHERE relnamespace = to_regnamespace('svc') AND relkind <> 'i'
  UNION ALL SELECT 2, proname || '()', proowner FROM pg_proc p
    WHERE pronamespace = to_regnamespace('svc') AND NOT EXISTS (
      SELECT FROM pg_depend WHERE classid = 'pg_proc'::regclass AND objid = p.oid AND deptype = 'e')`;

/**
 * The owner of a schema can read, replace and remove its objects, and the owner of a function or a view has it run by
 * its users. So svc uses no schema that another role or program created, and reads nothing in it before this check.
 * @param owner a further role that may own it
 */
async function checkOwners(location: string, owner: string | undefined, ask: Ask): Promise<void> {
  const [foreign] = await ask<{ name: string; owner: string; role: string }>(
    `${TRUSTED}, things AS (
       SELECT 0 AS rank, '' AS name, nspowner AS owner FROM pg_namespace WHERE nspname = 'svc' UNION ALL ${OBJECTS})
     SELECT name, coalesce(rolname, 'unknown') AS owner, current_user AS role
     FROM things LEFT JOIN pg_roles ON pg_roles.oid = things.owner
     WHERE things.owner NOT IN (SELECT oid FROM trusted) ORDER BY rank, name LIMIT 1`,
    [owner ?? ""],
  );
  if (foreign)
    throw databaseUnusable(
      `${location}: ${foreign.name === "" ? "the schema svc" : `svc.${foreign.name}`} belongs to the role ` +
        `${JSON.stringify(foreign.owner)}, which could read and change what svc keeps. If you trust that role, add ` +
        `schema_owner=${encodeURIComponent(foreign.owner)} to the address. Otherwise remove its objects, or use another database.`,
    );
}

/** @throws {StoreRefused} if another program uses the name: for a schema in which svc has created only its first table */
export async function checkEmpty(location: string, ask: Ask): Promise<void> {
  const [thing] = await ask<{ name: string }>(
    `SELECT name FROM (${OBJECTS}) AS things WHERE name <> 'migrations' ORDER BY rank, name LIMIT 1`,
  );
  if (thing)
    throw databaseUnusable(
      `${location}: the schema svc contains ${thing.name}, which svc did not create. Use another database, or rename ` +
        "that schema: ALTER SCHEMA svc RENAME TO other",
    );
}
