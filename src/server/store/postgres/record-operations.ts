import { keyColumn } from "../columns.ts";
import {
  MOVED_NAMES,
  TABLE_NAMES,
  type IdentityRecord,
  type RecordOf,
  type SettingRecord,
  type TableName,
} from "../records.ts";
import { Conflict, StorageUnavailable, type Store } from "../store.ts";
import type { Database } from "./database.ts";
import type { Ask } from "./session.ts";
import { isConflict } from "./failures.ts";
import { selected, storedColumnsOf, toRow } from "./rows.ts";
import { insert } from "./write.ts";

type RecordOperations = Pick<
  Store,
  "find" | "identitiesOf" | "counts" | "add" | "change" | "removeInstance" | "clearInstance" | "settings" | "revision"
>;

/** Runs what must be one transaction; `lock` is taken first, and says what no other transaction may do meanwhile. */
export type Together = (work: (ask: Ask) => Promise<void>, lock?: string) => Promise<void>;

const COUNTS = TABLE_NAMES.map((name) => `(SELECT count(*)::int FROM svc.${name}) AS ${name}`).join(", ");

/** A row's version changes with every write, also by hand. */
const REVISION = `SELECT md5(concat_ws('|', ${(["instances", "personas", "settings"] as const)
  .map(
    (name) => `(SELECT string_agg(own.${keyColumn(name)} || ' ' || own.xmin::text, ',' ORDER BY own.position)
      FROM svc.${name} AS own)`,
  )
  .join(", ")})) AS revision`;

/** What reads and changes records one by one, whatever they mean: all but lists and sign-ins. */
export function createRecordOperations({ location, query, deadline }: Database, together: Together): RecordOperations {
  async function there<Name extends TableName>(
    name: Name,
    key: string,
    until: number,
  ): Promise<{ record: RecordOf[Name]; version: string } | undefined> {
    if (key.includes("\0")) return undefined;
    const [row] = await query<RecordOf[Name] & { row_version: string }>(
      `SELECT ${selected(name, "row")}, row.xmin::text AS row_version FROM svc.${name} AS row
       WHERE row.${keyColumn(name)} = $1::text`,
      [key],
      { until },
    );
    if (!row) return undefined;
    const { row_version: version, ...record } = row;
    return { record: record as unknown as RecordOf[Name], version };
  }

  /** False: another transaction was faster. */
  async function write<Name extends TableName>(
    name: Name,
    key: string,
    version: string | undefined,
    after: RecordOf[Name] | undefined,
    until: number,
  ): Promise<boolean> {
    const columns = storedColumnsOf(name)
      .map((column) => column.name)
      .join(", ");
    const source = `SELECT ${columns} FROM json_populate_record(NULL::svc.${name}, $1::text::json)`;
    const row = after && JSON.stringify(toRow(name, after));
    const place = `${keyColumn(name)} = $2::text AND xmin::text = $3::text`;
    const [done] = await (row === undefined
      ? query(
          `DELETE FROM svc.${name} WHERE ${place.replace("$2", "$1").replace("$3", "$2")} RETURNING true AS done`,
          [key, version!],
          { until },
        )
      : version === undefined
        ? query(
            `INSERT INTO svc.${name} (${columns}) ${source} ON CONFLICT (${keyColumn(name)}) DO NOTHING RETURNING true AS done`,
            [row],
            { until },
          )
        : query(
            `UPDATE svc.${name} SET (${columns}) = (${source}) WHERE ${place} RETURNING true AS done`,
            [row, key, version],
            { until },
          ));
    return done !== undefined;
  }

  return {
    find: async (name, key) => (await there(name, key, deadline()))?.record,

    identitiesOf: (user_id) =>
      query<IdentityRecord>(
        `SELECT ${selected("identities", "row")} FROM svc.identities AS row WHERE row.user_id = $1::text ORDER BY row.position`,
        [user_id],
      ),

    async counts() {
      const [counts] = await query<Record<TableName, number>>(`SELECT ${COUNTS}`);
      return counts!;
    },

    settings: (prefix) =>
      query<SettingRecord>(
        `SELECT ${selected("settings", "row")} FROM svc.settings AS row WHERE starts_with(row.name, $1::text) ORDER BY row.position`,
        [prefix],
      ),

    async revision() {
      const [row] = await query<{ revision: string }>(REVISION);
      return row!.revision;
    },

    add: (records) =>
      asConflict(() =>
        together(async (ask) => {
          for (const name of MOVED_NAMES) await insert(ask, name, records[name] ?? []);
        }),
      ),

    async change(name, key, decide) {
      const until = deadline();
      for (;;) {
        const before = await there(name, key, until);
        const after = decide(before?.record);
        if (after === before?.record) return after;
        if (await asConflict(() => write(name, key, before?.version, after, until))) return after;
        if (performance.now() > until)
          throw new StorageUnavailable(`${location}: others were faster each time, for seconds`);
      }
    },

    async removeInstance(id) {
      await together(async (ask) => {
        await ask("DELETE FROM svc.states WHERE instance_id = $1::text", [id]);
        await ask("DELETE FROM svc.users WHERE instance_id = $1::text", [id]);
        await ask("DELETE FROM svc.instances WHERE id = $1::text", [id]);
      });
      return true;
    },

    clearInstance: (id) =>
      together(async (ask) => {
        await ask("DELETE FROM svc.states WHERE instance_id = $1::text", [id]);
        await ask("DELETE FROM svc.users WHERE instance_id = $1::text", [id]);
      }),
  };
}

/** A unique value that is there already. The value itself may be a secret, and is not repeated. */
async function asConflict<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    const {
      code,
      constraint_name = "",
      table_name = "",
    } = error as {
      code?: string;
      constraint_name?: string;
      table_name?: string;
    };
    if (code === "23505") {
      const column = constraint_name
        .replace(`${table_name}_`, "")
        .replace(/_key$/, "")
        .replace("pkey", keyOfTable(table_name));
      throw new Conflict(`${table_name}.${column}: another record has the same`, { cause: error });
    }
    if (isConflict(error)) throw new Conflict(`${table_name}: what it belongs to is not there`, { cause: error });
    throw error;
  }
}

function keyOfTable(name: string): string {
  return (TABLE_NAMES as readonly string[]).includes(name) ? keyColumn(name as TableName) : "id";
}
