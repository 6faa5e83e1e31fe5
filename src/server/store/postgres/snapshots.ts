import { byTable, MOVED_NAMES, TENANT_NAMES, type MovedName, type TenantCounts } from "../records.ts";
import { CLOCK_SETTING, Conflict, type SnapshotInfo, type SnapshotStore } from "../store.ts";
import type { Database } from "./database/database.ts";
import type { Ask } from "./database/session.ts";
import { clearInstance, storedNames, storedColumnsOf, withoutWriters } from "./rows.ts";

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
        for (const kind of MOVED_NAMES) await insertSaved(ask, name, kind);
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

    countsOf: (name, instance_id) => countsIn(query, name, instance_id),

    async restoreInstance(name, instance_id) {
      let counts: TenantCounts | undefined;
      await withoutWriters(database, async (ask) => {
        counts = await countsIn(ask, name, instance_id);
        if (!counts) return;
        const [there] = await ask("SELECT true AS there FROM svc.instances WHERE id = $1::text", [instance_id]);
        if (!there) throw new Conflict("the instance was deleted meanwhile");
        await clearInstance(ask, instance_id);
        for (const kind of TENANT_NAMES) await insertSaved(ask, name, kind, instance_id);
      });
      return counts;
    },

    async delete(name) {
      const [gone] = await query("DELETE FROM svc.snapshots WHERE name = $1::text RETURNING true AS gone", [name]);
      return gone !== undefined;
    },
  };
}

async function countsIn(ask: Ask, name: string, instance_id: string): Promise<TenantCounts | undefined> {
  const rows = await ask<{ kind: MovedName; count: number }>(
    `SELECT saved.kind, count(*)::int AS count FROM svc.snapshot_records AS saved
     WHERE saved.snapshot = $1::text AND saved.record->>(CASE saved.kind WHEN 'instances' THEN 'id' ELSE 'instance_id' END) = $2::text
     GROUP BY saved.kind`,
    [name, instance_id],
  );
  const counts = new Map(rows.map(({ kind, count }) => [kind, count]));
  return counts.has("instances") ? byTable(TENANT_NAMES, (kind) => counts.get(kind) ?? 0) : undefined;
}

/** Puts a snapshot's records into their table. @param instance_id absent: those of all instances */
async function insertSaved(ask: Ask, name: string, kind: MovedName, instance_id?: string): Promise<void> {
  const made = storedColumnsOf(kind).map((column) => `made.${column.name}`);
  const own = instance_id === undefined ? "" : " AND saved.record->>'instance_id' = $3::text";
  await ask(
    `INSERT INTO svc.${kind} (${storedNames(kind)})
     SELECT ${made.join(", ")}
     FROM svc.snapshot_records AS saved, json_populate_record(NULL::svc.${kind}, saved.record) AS made
     WHERE saved.snapshot = $1::text AND saved.kind = $2::text${own} ORDER BY saved.position`,
    [name, kind, ...(instance_id === undefined ? [] : [instance_id])],
  );
}

function infoOf({ name, created_at, counts }: Row): SnapshotInfo {
  return { name, created_at, records: byTable(MOVED_NAMES, (table) => counts?.[table] ?? 0) };
}
