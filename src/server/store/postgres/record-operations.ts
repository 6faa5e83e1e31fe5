import { keyColumn } from "../columns.ts";
import {
  MOVED_NAMES,
  TABLE_NAMES,
  type IdentityRecord,
  type KeyOf,
  type RecordOf,
  type SettingRecord,
  type TableName,
  type UserRecord,
} from "../records.ts";
import { AlreadyExists, Conflict, StorageUnavailable, type Store } from "../store.ts";
import type { Database } from "./database/database.ts";
import { isConflict } from "./database/failures.ts";
import { PROVIDERS_OF_USER, viewOf } from "./lists.ts";
import { clearInstance, insertAll, keyColumns, selected, selectFrom, storedNames, toRow } from "./rows.ts";

/** Counting a large table reads all of it. PostgreSQL keeps an estimate of each, or of each of its partitions. */
const MAX_COUNTED = 100_000;
const COUNTS = TABLE_NAMES.map(
  (
    name: TableName,
  ) => `(SELECT CASE WHEN size.estimate > ${MAX_COUNTED} THEN size.estimate ELSE (SELECT count(*) FROM svc.${name}) END
    FROM (SELECT sum(c.reltuples)::bigint AS estimate FROM pg_class c WHERE c.relkind = 'r' AND (
      c.oid = 'svc.${name}'::regclass OR c.oid IN (SELECT relid FROM pg_partition_tree('svc.${name}')))) AS size)::float8 AS ${name}`,
).join(", ");

/** With the row's version, because the number returns to what it was when a backup is restored. */
const REVISION = "SELECT concat_ws(' ', r.number, r.xmin) AS revision FROM svc.revision r";

/** Reads and changes single records: everything except lists and sign-ins. */
export function createRecordOperations(database: Database) {
  const { location, query, deadline, transaction } = database;

  async function read<Name extends TableName>(name: Name, key: KeyOf<Name>, until: number) {
    const [row] = await query<RecordOf[Name] & { row_version: string }>(
      `SELECT ${selected(name)}, row.xmin::text AS row_version FROM svc.${name} AS row WHERE ${placeOf(name)}`,
      valuesOf(key),
      { until },
    );
    if (!row) return undefined;
    const { row_version: version, ...record } = row;
    return { record: record as unknown as RecordOf[Name], version };
  }

  /** @param version of the row to change; undefined if it did not exist. @returns false if another transaction was faster */
  async function write<Name extends TableName>(
    name: Name,
    key: KeyOf<Name>,
    version: string | undefined,
    after: RecordOf[Name] | undefined,
    until: number,
  ): Promise<boolean> {
    const table = `svc.${name}`;
    const columns = storedNames(name);
    const values = (row: string): string =>
      `SELECT ${columns} FROM json_populate_record(NULL::${table}, ${row}::text::json)`;
    const named = [...valuesOf(key), version!];
    const place = `${placeOf(name)} AND row.xmin::text = $${named.length}::text`;
    const run = async (statement: string, parameters: string[]): Promise<boolean> =>
      (await query(`${statement} RETURNING true AS done`, parameters, { until })).length > 0;
    if (!after) return run(`DELETE FROM ${table} AS row WHERE ${place}`, named);
    const row = JSON.stringify(toRow(name, after));
    if (version === undefined) {
      const isThere = `ON CONFLICT (${keyColumns(name).join(", ")}) DO NOTHING`;
      return run(`INSERT INTO ${table} (${columns}) ${values("$1")} ${isThere}`, [row]);
    }
    const changed = `(${columns}) = (${values(`$${named.length + 1}`)})`;
    return run(`UPDATE ${table} AS row SET ${changed} WHERE ${place}`, [...named, row]);
  }

  return {
    find: async (name, key) => (await read(name, key, deadline()))?.record,

    async findUser(instance_id, id) {
      const [row] = await query<UserRecord & { providers: string | null }>(
        `SELECT ${selected("users")}, ${PROVIDERS_OF_USER} FROM svc.users AS row WHERE ${placeOf("users")}`,
        [instance_id, id],
      );
      return row && viewOf(row);
    },

    /** Rows that refer to the user are deleted with it (ON DELETE CASCADE). A running sign-in locks the user's row, or finds it deleted. */
    async deleteUser(instance_id, id) {
      const statement = `DELETE FROM svc.users AS row WHERE ${placeOf("users")} RETURNING true AS deleted`;
      return (await query(statement, [instance_id, id])).length > 0;
    },

    async instancesWith(name, key) {
      // LIMIT makes it look into the index once for each instance: no index has the key alone.
      const rows = await query<{ id: string }>(
        `SELECT i.id FROM svc.instances i, LATERAL (
           SELECT FROM svc.${name} own WHERE own.instance_id = i.id AND own.${keyColumn(name)} = $1::text LIMIT 1) AS found
         ORDER BY i.position`,
        [key],
      );
      return rows.map(({ id }) => id);
    },

    identitiesOf: (instance_id, user_id) =>
      query<IdentityRecord>(
        `${selectFrom("identities")} WHERE row.instance_id = $1::text AND row.user_id = $2::text ORDER BY row.position`,
        [instance_id, user_id],
      ),

    counts: async () => (await query<Record<TableName, number>>(`SELECT ${COUNTS}`))[0]!,

    maxCounted: MAX_COUNTED,

    settings(prefix) {
      const select = `${selectFrom("settings")} WHERE starts_with(row.name, $1::text) ORDER BY row.position`;
      return query<SettingRecord>(select, [prefix]);
    },

    revision: async () => (await query<{ revision: string }>(REVISION))[0]!.revision,

    add: (records) =>
      transaction(async (ask) => {
        for (const table of MOVED_NAMES)
          await asConflict(table, () => insertAll(ask, { [table]: records[table] ?? [] }));
      }, false),

    async change(name, key, decide) {
      const until = deadline();
      for (;;) {
        const before = await read(name, key, until);
        const after = decide(before?.record);
        if (after === before?.record) return after;
        if (await asConflict(name, () => write(name, key, before?.version, after, until))) return after;
        if (performance.now() > until)
          throw new StorageUnavailable(`${location}: the record changed during every attempt. Try again`);
      }
    },

    async removeInstance(id) {
      await transaction(async (ask) => {
        await clearInstance(ask, id);
        await ask("DELETE FROM svc.instances WHERE id = $1::text", [id]);
      }, false);
      return true;
    },

    clearInstance: (id) => transaction((ask) => clearInstance(ask, id), false),
  } satisfies Partial<Store>;
}

function placeOf(name: TableName): string {
  return keyColumns(name)
    .map((column, n) => `row.${column} = $${n + 1}::text`)
    .join(" AND ");
}

function valuesOf(key: KeyOf<TableName>): string[] {
  return typeof key === "string" ? [key] : [key.instance_id, key.id];
}

/** A unique value that exists already. The message omits the value, which may be a secret. */
async function asConflict<Result>(table: TableName, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (!isConflict(error)) throw error;
    const { code, detail = "" } = error as Record<string, string | undefined>;
    if (code !== "23505") throw new Conflict(`${table}: what it belongs to is not there`, { cause: error });
    // The columns of the index, in every language: (instance_id, email_folded)=(…).
    const column = /(\w+)\)=\(/.exec(detail)?.[1] ?? "id";
    throw new AlreadyExists(`${table}.${column.replace(/_folded$/, "")}: another record has the same`, {
      cause: error,
    });
  }
}
