import { keyColumn } from "../columns.ts";
import { TABLE_NAMES, type IdentityRecord, type RecordOf, type SettingRecord, type TableName } from "../records.ts";
import { AlreadyExists, Conflict, StorageUnavailable, type Store } from "../store.ts";
import type { Database } from "./database/database.ts";
import { isConflict } from "./database/failures.ts";
import { selected, selectFrom, storedNames, toRow } from "./rows.ts";
import type { Ask } from "./database/session.ts";
import { insertAll } from "./write.ts";

type RecordOperations = Pick<
  Store,
  "find" | "identitiesOf" | "counts" | "add" | "change" | "removeInstance" | "clearInstance" | "settings" | "revision"
>;

/** Runs one transaction. `lock` is taken first, and excludes what no other transaction may do meanwhile. */
export type RunTransaction = (work: (ask: Ask) => Promise<void>, lock?: string) => Promise<void>;

const COUNTS = TABLE_NAMES.map((name) => `(SELECT count(*)::int FROM svc.${name}) AS ${name}`).join(", ");

/** A row's version changes with every write, also by hand. */
const REVISION = `SELECT md5(concat_ws('|', ${(["instances", "personas", "settings"] as const)
  .map(
    (name) => `(SELECT string_agg(own.${keyColumn(name)} || ' ' || own.xmin::text, ',' ORDER BY own.position)
      FROM svc.${name} AS own)`,
  )
  .join(", ")})) AS revision`;

/** Reads and changes single records: everything except lists and sign-ins. */
export function createRecordOperations(
  { location, query, deadline }: Database,
  transaction: RunTransaction,
): RecordOperations {
  async function read<Name extends TableName>(
    name: Name,
    key: string,
    until: number,
  ): Promise<{ record: RecordOf[Name]; version: string } | undefined> {
    if (key.includes("\0")) return undefined;
    const [row] = await query<RecordOf[Name] & { row_version: string }>(
      `SELECT ${selected(name)}, row.xmin::text AS row_version FROM svc.${name} AS row
       WHERE row.${keyColumn(name)} = $1::text`,
      [key],
      { until },
    );
    if (!row) return undefined;
    const { row_version: version, ...record } = row;
    return { record: record as unknown as RecordOf[Name], version };
  }

  /** @param version of the row to change; undefined if it did not exist. @returns false if another transaction was faster */
  async function write<Name extends TableName>(
    name: Name,
    key: string,
    version: string | undefined,
    after: RecordOf[Name] | undefined,
    until: number,
  ): Promise<boolean> {
    const table = `svc.${name}`;
    const columns = storedNames(name);
    const values = (row: string): string =>
      `SELECT ${columns} FROM json_populate_record(NULL::${table}, ${row}::text::json)`;
    const place = `${keyColumn(name)} = $1::text AND xmin::text = $2::text`;
    const run = async (statement: string, parameters: string[]): Promise<boolean> =>
      (await query(`${statement} RETURNING true AS done`, parameters, { until })).length > 0;
    if (!after) return run(`DELETE FROM ${table} WHERE ${place}`, [key, version!]);
    const row = JSON.stringify(toRow(name, after));
    if (version !== undefined)
      return run(`UPDATE ${table} SET (${columns}) = (${values("$3")}) WHERE ${place}`, [key, version, row]);
    return run(`INSERT INTO ${table} (${columns}) ${values("$1")} ON CONFLICT (${keyColumn(name)}) DO NOTHING`, [row]);
  }

  return {
    find: async (name, key) => (await read(name, key, deadline()))?.record,

    identitiesOf: (user_id) =>
      query<IdentityRecord>(`${selectFrom("identities")} WHERE row.user_id = $1::text ORDER BY row.position`, [
        user_id,
      ]),

    async counts() {
      const [counts] = await query<Record<TableName, number>>(`SELECT ${COUNTS}`);
      return counts!;
    },

    settings: (prefix) =>
      query<SettingRecord>(`${selectFrom("settings")} WHERE starts_with(row.name, $1::text) ORDER BY row.position`, [
        prefix,
      ]),

    async revision() {
      const [row] = await query<{ revision: string }>(REVISION);
      return row!.revision;
    },

    add: (records) => asConflict(() => transaction((ask) => insertAll(ask, records))),

    async change(name, key, decide) {
      const until = deadline();
      for (;;) {
        const before = await read(name, key, until);
        const after = decide(before?.record);
        if (after === before?.record) return after;
        if (await asConflict(() => write(name, key, before?.version, after, until))) return after;
        if (performance.now() > until)
          throw new StorageUnavailable(`${location}: the record changed during every attempt. Try again`);
      }
    },

    async removeInstance(id) {
      await transaction(async (ask) => {
        await clear(ask, id);
        await ask("DELETE FROM svc.instances WHERE id = $1::text", [id]);
      });
      return true;
    },

    clearInstance: (id) => transaction((ask) => clear(ask, id)),
  };
}

async function clear(ask: Ask, instance_id: string): Promise<void> {
  await ask("DELETE FROM svc.states WHERE instance_id = $1::text", [instance_id]);
  await ask("DELETE FROM svc.users WHERE instance_id = $1::text", [instance_id]);
}

/** A unique value that exists already. The message omits the value, which may be a secret. */
async function asConflict<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    const { code, constraint_name = "", table_name = "" } = error as Record<string, string | undefined>;
    if (code === "23505") {
      const column = constraint_name.replace(`${table_name}_`, "").replace(/_key$/, "");
      const isKey = column === "pkey" && TABLE_NAMES.includes(table_name as TableName);
      const shown = isKey ? keyColumn(table_name as TableName) : column.replace("pkey", "id");
      throw new AlreadyExists(`${table_name}.${shown}: another record has the same`, { cause: error });
    }
    if (isConflict(error)) throw new Conflict(`${table_name}: what it belongs to is not there`, { cause: error });
    throw error;
  }
}
