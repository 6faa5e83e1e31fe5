import type { TableName } from "../columns.ts";
import type { Ask } from "./database/session.ts";
import { keyColumns, storedColumnsOf, storedNames } from "./rows.ts";

/**
 * Operations that decide and write in one step. Every migration creates the functions again with the current columns.
 * Processes of the previous version may continue to call them.
 */
const FUNCTIONS = `
-- A connection keeps its plans. A plan made while a table was small would still read all of it once it has grown, so
-- these functions never read a whole table. Their search_path keeps functions and operators of other roles out.

-- Clears away what has expired, from the oldest to the first that has not, and adds one; what another process is clearing
-- is left to it.
CREATE OR REPLACE FUNCTION svc.save_state(state_row json, at_most int) RETURNS void LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp SET enable_seqscan = off SET enable_bitmapscan = off AS $$
DECLARE
  instance text := state_row->>'instance_id';
  moment timestamptz := state_row->>'created_at';
  fresh bigint;
BEGIN
  IF (SELECT s.expires_at FROM svc.states s WHERE s.instance_id = instance ORDER BY s.position LIMIT 1) <= moment THEN
    SELECT s.position INTO fresh FROM svc.states s
      WHERE s.instance_id = instance AND s.expires_at > moment ORDER BY s.position LIMIT 1;
    DELETE FROM svc.states WHERE state = ANY (ARRAY(
      SELECT s.state FROM svc.states s
      WHERE s.instance_id = instance AND s.position < coalesce(fresh, 9223372036854775807)
      ORDER BY s.position LIMIT at_most FOR UPDATE SKIP LOCKED));
  END IF;
  ${insert("states", "state_row")};
END $$;

-- The person who signs in, as far as known: the owner of the identity, else of the e-mail address. The version changes
-- with every row that was looked at.
CREATE OR REPLACE FUNCTION svc.acquaintance(instance text, provider_name text, provider_uid text, folded_email text, ip text)
RETURNS TABLE (version text, "user" json, identities json, session json) LANGUAGE plpgsql STABLE
SET search_path = pg_catalog, pg_temp SET enable_seqscan = off AS $$
DECLARE owner text;
BEGIN
  SELECT i.user_id INTO owner FROM svc.identities i
    WHERE i.instance_id = instance AND i.provider = provider_name AND i.uid = provider_uid;
  IF owner IS NULL THEN
    SELECT u.id INTO owner FROM svc.users u WHERE u.instance_id = instance AND u.email_folded = folded_email;
  END IF;
  RETURN QUERY
    SELECT concat_ws(' ', u.id, u.xmin, i.versions, s.session_id, s.xmin), row_to_json(u), i.list, row_to_json(s)
    FROM svc.users u
    LEFT JOIN LATERAL (
      SELECT string_agg(own.id || ' ' || own.xmin, ' ' ORDER BY own.position) AS versions,
        json_agg(own ORDER BY own.position) AS list
      FROM svc.identities own WHERE own.instance_id = instance AND own.user_id = u.id) i ON true
    LEFT JOIN LATERAL (
      SELECT own.*, own.xmin FROM svc.sessions own
      WHERE own.instance_id = instance AND own.user_id = u.id
        AND own.provider = provider_name AND own.ip_address = ip AND own.revoked_at IS NULL
      ORDER BY own.position LIMIT 1) s ON true
    WHERE u.instance_id = instance AND u.id = owner;
END $$;

-- Writes the outcome of a sign-in, unless anything of what was decided from has changed since: then false. The row of
-- the user brings those who sign in as the same one into line. Of those who would make the same user or identity, one
-- writes, and the unique indexes refuse the others once it has. The rows that it writes are locked before they are compared:
-- a session that is revoked in between would be written over. No lock is an advisory one: every role that may connect
-- to the database can hold those.
CREATE OR REPLACE FUNCTION svc.complete_sign_in(
  instance text, provider_name text, provider_uid text, folded_email text, ip text, decided_from text,
  user_row json, identity_row json, session_row json)
RETURNS boolean LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp SET enable_seqscan = off AS $$
DECLARE now_there text;
BEGIN
  PERFORM FROM svc.users u WHERE u.instance_id = instance AND u.id = user_row->>'id' FOR UPDATE;
  PERFORM FROM svc.identities own WHERE ${keyOf("identities", "identity_row")} FOR UPDATE;
  PERFORM FROM svc.sessions own WHERE ${keyOf("sessions", "session_row")} FOR UPDATE;
  SELECT a.version INTO now_there FROM svc.acquaintance(instance, provider_name, provider_uid, folded_email, ip) a;
  IF now_there IS DISTINCT FROM decided_from THEN RETURN false; END IF;
  ${upsert("users", "user_row")}
  ${upsert("identities", "identity_row")}
  ${upsert("sessions", "session_row")}
  RETURN true;
END $$;

-- The order of a list of sessions is in a table of its own.
CREATE OR REPLACE FUNCTION svc.note_session_time() RETURNS trigger LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp SET enable_seqscan = off AS $$
BEGIN
  IF TG_OP = 'UPDATE' AND NEW.instance_id = OLD.instance_id AND NEW.id = OLD.id THEN
    UPDATE svc.session_times t SET last_signin_at = NEW.last_signin_at
      WHERE t.instance_id = NEW.instance_id AND t.id = NEW.id;
    IF FOUND THEN RETURN NULL; END IF;
  ELSIF TG_OP <> 'INSERT' THEN
    DELETE FROM svc.session_times t WHERE t.instance_id = OLD.instance_id AND t.id = OLD.id;
  END IF;
  IF TG_OP <> 'DELETE' THEN
    INSERT INTO svc.session_times AS t VALUES (NEW.instance_id, NEW.id, NEW.last_signin_at)
      ON CONFLICT (instance_id, id) DO UPDATE SET last_signin_at = excluded.last_signin_at;
  END IF;
  RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION svc.note_revision() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  UPDATE svc.revision SET number = number + 1;
  RETURN NULL;
END $$;
`;

const SIGNATURES = [
  "save_state(json, integer)",
  "acquaintance(text, text, text, text, text)",
  "complete_sign_in(text, text, text, text, text, text, json, json, json)",
  "note_session_time()",
  "note_revision()",
];

/** What every server keeps in memory. */
const REVISED_NAMES = ["instances", "personas", "settings"] as const;

/** Each with its table, and when it calls what. */
const TRIGGERS: readonly (readonly [name: string, table: string, does: string])[] = [
  [
    "time_added",
    "sessions",
    "AFTER INSERT OR DELETE ON svc.sessions FOR EACH ROW EXECUTE FUNCTION svc.note_session_time()",
  ],
  [
    "time_changed",
    "sessions",
    `AFTER UPDATE ON svc.sessions FOR EACH ROW
      WHEN ((OLD.instance_id, OLD.id, OLD.last_signin_at) IS DISTINCT FROM (NEW.instance_id, NEW.id, NEW.last_signin_at))
      EXECUTE FUNCTION svc.note_session_time()`,
  ],
  ...REVISED_NAMES.map(
    (table) =>
      [
        "revised",
        table,
        `AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON svc.${table} EXECUTE FUNCTION svc.note_revision()`,
      ] as const,
  ),
];

const names = (list: readonly string[]): string => list.map((name) => `('svc.${name}')`).join(", ");

/** The functions that are missing, in one text; null if they are all there. To be selected. */
export const MISSING_FUNCTIONS = `(SELECT string_agg(name, ', ')
  FROM (VALUES ${names(SIGNATURES)}) AS own (name) WHERE to_regprocedure(name) IS NULL)`;

const MISSING_TRIGGERS = `SELECT name, of FROM (VALUES ${TRIGGERS.map(([name, of]) => `('${name}', '${of}')`).join(", ")}) AS own (name, of)
  WHERE NOT EXISTS (SELECT FROM pg_trigger WHERE tgname = own.name AND tgrelid = to_regclass('svc.' || own.of))`;

/** What another program has removed, such as `svc.note_revision()` and `the trigger revised of svc.personas`. */
export async function missingFunctions(ask: Ask): Promise<string[]> {
  const [row] = await ask<{ missing: string | null }>(`SELECT ${MISSING_FUNCTIONS} AS missing`);
  const triggers = await ask<{ name: string; of: string }>(MISSING_TRIGGERS);
  return [
    ...(row!.missing === null ? [] : [row!.missing]),
    ...triggers.map(({ name, of }) => `the trigger ${name} of svc.${of}`),
  ];
}

/** Creates the functions as they are now, and the triggers that are missing: one that is there keeps its table free of locks. */
export async function createFunctions(ask: Ask): Promise<void> {
  await ask(FUNCTIONS);
  const missing = await ask<{ name: string; of: string }>(MISSING_TRIGGERS);
  for (const [name, table, does] of TRIGGERS)
    if (missing.some((one) => one.name === name && one.of === table)) await ask(`CREATE TRIGGER ${name} ${does}`);
}

function insert(table: TableName, row: string): string {
  const columns = storedNames(table);
  return `INSERT INTO svc.${table} (${columns}) SELECT ${columns} FROM json_populate_record(NULL::svc.${table}, ${row})`;
}

/**
 * Columns that are not in the row stay unchanged: a process of the previous version knows no later ones. A row that is there
 * is updated, which writes less than ON CONFLICT.
 */
function upsert(table: TableName, row: string): string {
  const keys = keyColumns(table);
  const columns = storedColumnsOf(table).flatMap(({ name }) => (keys.includes(name) ? [] : [name]));
  return `UPDATE svc.${table} own SET (${columns.join(", ")}) =
    (SELECT ${columns.map((name) => `made.${name}`).join(", ")} FROM json_populate_record(own, ${row}) AS made) WHERE ${keyOf(table, row)};
  IF NOT FOUND THEN ${insert(table, row)}; END IF;`;
}

/** The condition that a row of `own` is the one of this JSON. */
function keyOf(table: TableName, row: string): string {
  return keyColumns(table)
    .map((name) => `own.${name} = ${row}->>'${name}'`)
    .join(" AND ");
}
