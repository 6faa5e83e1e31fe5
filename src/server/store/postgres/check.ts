import { fold } from "../../../text/fold.ts";
import { recordFault } from "../record-faults.ts";
import { TABLE_NAMES, type Entry, type TableName } from "../records.ts";
import type { StoreCheck } from "../maintenance.ts";
import type { Warn } from "../store.ts";
import { missingFunctions } from "./functions.ts";
import { hasTrigrams, missingIndexes } from "./indexes.ts";
import { requireStore } from "./version.ts";
import { foldedColumnsOf, selectFrom } from "./rows.ts";
import { withDatabase } from "./database/database.ts";
import { inBatches, type Ask } from "./database/session.ts";

const BATCH = 2000;
const MAX_NAMED = 20;

/** Checks a whole store in a database, for `svc store check`. Nothing is changed. @throws {StoreRefused} */
export async function checkPostgres(url: string, warn: Warn = () => {}): Promise<StoreCheck> {
  return withDatabase(url, warn, async (database) => {
    const { location } = database;
    const { ask, begin } = database.openSession();
    const version = await requireStore(database);
    await begin("ISOLATION LEVEL REPEATABLE READ READ ONLY");
    const tables = {} as Record<TableName, number>;
    for (const table of TABLE_NAMES) {
      const [row] = await ask<{ count: string }>(`SELECT count(*) AS count FROM svc.${table}`);
      tables[table] = Number(row!.count);
    }
    const stale = await staleText(ask);
    const invalid = await invalidRows(ask);
    const lacking = (await missingFunctions(ask)).map((name) => `The store lacks ${name}. Run: svc store migrate`);
    const damage = [...lacking, ...(await brokenIndexes(ask)), ...(await unlistedSessions(ask)), ...invalid, ...stale];
    const dangling = await strayRows(ask);
    const [filling] = await ask("SELECT FROM svc.filling");
    if (filling) damage.unshift("The store is incomplete: a copy or an import was interrupted. Run it again.");
    const notes = [
      ...((await hasTrigrams(ask)) ? [] : ["The extension pg_trgm is missing: searches read every row."]),
      ...(await missingIndexes(ask)).map(
        ({ name }) => `The index ${name} is missing or incomplete. Run: svc store migrate`,
      ),
      ...(invalid.length > 0 ? ["A store with such a value can't be exported or copied. Correct it with SQL."] : []),
      ...(stale.length > 0
        ? ["To write such a column again, copy the store into an empty database: svc store copy"]
        : []),
      ...(dangling.length > 0 ? ["To drop such a row, delete it with SQL."] : []),
    ];
    return { location, kind: `postgres, schema ${version}`, tables, damage, dangling, notes };
  });
}

async function brokenIndexes(ask: Ask): Promise<string[]> {
  const rows = await ask<{ name: string }>(
    "SELECT indexrelid::regclass::text AS name FROM pg_index WHERE NOT indisvalid AND indrelid::regclass::text LIKE 'svc.%'",
  );
  return rows.map(({ name }) => `The index ${name} is not valid. Run: REINDEX INDEX ${name}`);
}

async function firstFaults<Row>(
  batches: AsyncIterable<Row[]>,
  faultOf: (row: Row) => string | undefined,
): Promise<string[]> {
  const faults: string[] = [];
  for await (const rows of batches) {
    faults.push(...rows.flatMap((row) => faultOf(row) ?? []));
    if (faults.length >= MAX_NAMED) break;
  }
  return faults.slice(0, MAX_NAMED);
}

/** Rows that are not records: values that svc never writes, and no import takes. */
async function invalidRows(ask: Ask): Promise<string[]> {
  const faults: string[] = [];
  for (const table of TABLE_NAMES) {
    const batches = inBatches<object>(ask, `${table}_records`, BATCH, selectFrom(table));
    faults.push(...(await firstFaults(batches, (row) => recordFault([table, row] as Entry))));
  }
  return faults.map((fault) => `${fault}.`);
}

/** Rows without their user, which a restore with disabled triggers can leave. */
async function strayRows(ask: Ask): Promise<string[]> {
  const faults: string[] = [];
  for (const table of ["identities", "sessions"]) {
    const rows = await ask<{ id: string }>(
      `SELECT row.id FROM svc.${table} AS row LEFT JOIN svc.users u ON u.instance_id = row.instance_id AND u.id = row.user_id
       WHERE u.id IS NULL ORDER BY row.position LIMIT ${MAX_NAMED}`,
    );
    faults.push(...rows.map(({ id }) => `${table}: ${id} belongs to a missing user.`));
  }
  return faults;
}

/** Lists of sessions are read in the order of another table, which a trigger keeps. Someone may have disabled it. */
async function unlistedSessions(ask: Ask): Promise<string[]> {
  const [row] = await ask<{ count: string }>(
    `SELECT count(*) AS count FROM svc.sessions s LEFT JOIN svc.session_times t ON t.instance_id = s.instance_id AND t.id = s.id
     WHERE t.last_signin_at IS DISTINCT FROM s.last_signin_at`,
  );
  if (row!.count === "0") return [];
  return [
    `sessions: lists miss ${row!.count}, or have them in a wrong place. Run: DELETE FROM svc.session_times; INSERT INTO svc.session_times SELECT instance_id, id, last_signin_at FROM svc.sessions`,
  ];
}

/** Searches read folded text, which only svc writes. A name that was changed by hand leaves it outdated. */
async function staleText(ask: Ask): Promise<string[]> {
  type Row = { id: string; text: string | null; folded: string | null };
  const faults: string[] = [];
  for (const table of ["users", "sessions"] as const)
    for (const column of foldedColumnsOf(table)) {
      const select = `SELECT id, ${column} AS text, ${column}_folded AS folded FROM svc.${table}`;
      const faultOf = ({ id, text, folded }: Row): string | undefined =>
        (text === null ? null : fold(text)) === folded
          ? undefined
          : `${table}: ${id} can't be found by its ${column}: ${column}_folded is out of date.`;
      faults.push(...(await firstFaults(inBatches<Row>(ask, `${table}_${column}`, BATCH, select), faultOf)));
    }
  return faults;
}
