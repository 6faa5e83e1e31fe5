import { StoreRefused } from "../store.ts";
import type { Ask } from "./database/session.ts";

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
 * @throws {StoreRefused}
 */
export async function checkOwners(location: string, owner: string | undefined, ask: Ask): Promise<void> {
  const [foreign] = await ask<{ name: string; owner: string; role: string }>(
    `${TRUSTED}, things AS (
       SELECT 0 AS rank, '' AS name, nspowner AS owner FROM pg_namespace WHERE nspname = 'svc' UNION ALL ${OBJECTS})
     SELECT name, coalesce(rolname, 'unknown') AS owner, current_user AS role
     FROM things LEFT JOIN pg_roles ON pg_roles.oid = things.owner
     WHERE things.owner NOT IN (SELECT oid FROM trusted) ORDER BY rank, name LIMIT 1`,
    [owner ?? ""],
  );
  if (foreign)
    throw new StoreRefused(
      "unusable",
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
    throw new StoreRefused(
      "unusable",
      `${location}: the schema svc contains ${thing.name}, which svc did not create. Use another database, or rename ` +
        "that schema: ALTER SCHEMA svc RENAME TO other",
    );
}
