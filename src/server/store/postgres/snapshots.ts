import { byTable, MOVED_NAMES, type MovedName } from "../records.ts";
import { CLOCK_SETTING, type SnapshotInfo, type SnapshotStore } from "../store.ts";
import type { Database } from "./database/database.ts";
import { storedColumnsOf, withoutWriters } from "./rows.ts";

/** Copies of all records, and of the clock. */
export const SNAPSHOT_TABLES = `
CREATE TABLE svc.snapshots (
  name text COLLATE "C" PRIMARY KEY,
  created_at timestamptz(3) NOT NULL,
  clock json
);
CREATE TABLE svc.snapshot_records (
  snapshot text COLLATE "C" NOT NULL REFERENCES svc.snapshots ON DELETE CASCADE,
  kind text COLLATE "C" NOT NULL,
  position bigint NOT NULL,
  record json NOT NULL,
  PRIMARY KEY (snapshot, kind, position)
);
`;

const LIST = `SELECT s.name, s.created_at,
    (SELECT json_object_agg(k.kind, k.count) FROM (
      SELECT r.kind, count(*)::int AS count FROM svc.snapshot_records r WHERE r.snapshot = s.name GROUP BY r.kind) k) AS counts
  FROM svc.snapshots s WHERE s.name NOT LIKE '.%'`;

interface Row {
  readonly name: string;
  readonly created_at: string;
  readonly counts: Partial<Record<MovedName, number>> | null;
}

/** Stored in the database, so that every process has them. */
export function createSnapshots(database: Database): SnapshotStore {
  const { query } = database;
  return {
    list: async () => (await query<Row>(LIST)).map(infoOf),

    async save(name, created_at) {
      await withoutWriters(database, async (ask) => {
        await ask("DELETE FROM svc.snapshots WHERE name = $1::text", [name]);
        await ask(
          `INSERT INTO svc.snapshots (name, created_at, clock) VALUES ($1::text, $2::text::timestamptz,
            (SELECT own.value FROM svc.settings AS own WHERE own.name = $3::text))`,
          [name, created_at, CLOCK_SETTING],
        );
        for (const kind of MOVED_NAMES)
          await ask(
            `INSERT INTO svc.snapshot_records (snapshot, kind, position, record)
             SELECT $1::text, $2::text, own.position, row_to_json(own) FROM svc.${kind} AS own`,
            [name, kind],
          );
      });
      const [saved] = await query<Row>(LIST.replace("s.name NOT LIKE '.%'", "s.name = $1::text"), [name]);
      return infoOf(saved ?? { name, created_at, counts: null });
    },

    async restore(name, dropped) {
      const [there] = await query("SELECT true AS there FROM svc.snapshots WHERE name = $1::text", [name]);
      if (!there) return false;
      await withoutWriters(database, async (ask) => {
        await ask("DELETE FROM svc.states");
        for (const kind of MOVED_NAMES.toReversed()) await ask(`DELETE FROM svc.${kind}`);
        for (const kind of MOVED_NAMES) {
          const columns = storedColumnsOf(kind).map(({ name: column }) => column);
          await ask(
            `INSERT INTO svc.${kind} (${columns.join(", ")})
             SELECT ${columns.map((column) => `made.${column}`).join(", ")}
             FROM svc.snapshot_records AS saved, json_populate_record(NULL::svc.${kind}, saved.record) AS made
             WHERE saved.snapshot = $1::text AND saved.kind = $2::text ORDER BY saved.position`,
            [name, kind],
          );
        }
        await ask("DELETE FROM svc.settings WHERE name = $1::text OR starts_with(name, $2::text)", [
          CLOCK_SETTING,
          dropped ?? CLOCK_SETTING,
        ]);
        await ask(
          `INSERT INTO svc.settings (name, value)
           SELECT $2::text, s.clock FROM svc.snapshots s WHERE s.name = $1::text AND s.clock IS NOT NULL`,
          [name, CLOCK_SETTING],
        );
      });
      return true;
    },

    async delete(name) {
      const [gone] = await query("DELETE FROM svc.snapshots WHERE name = $1::text RETURNING true AS gone", [name]);
      return gone !== undefined;
    },
  };
}

function infoOf({ name, created_at, counts }: Row): SnapshotInfo {
  return { name, created_at, records: byTable(MOVED_NAMES, (table) => counts?.[table] ?? 0) };
}
