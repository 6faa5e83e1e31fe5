import { MOVED_NAMES, TABLE_NAMES, type Entry, type RecordOf } from "../records.ts";
import { StoreRefused, type Source, type Target } from "../store.ts";
import type { Database } from "./database.ts";
import { causeOf, refusal } from "./failures.ts";
import { migrate, schemaVersion } from "./migrate.ts";
import { selected } from "./rows.ts";
import { MIGRATIONS } from "./schema.ts";
import type { Session } from "./session.ts";
import { openToolDatabase, type Warn } from "./tool.ts";
import { insertEntries, isEmpty, removeAll } from "./write.ts";

const BATCH = 1000;

interface Alone {
  readonly database: Database;
  readonly location: string;
  readonly session: Session;
  close(): Promise<void>;
}

/** A database for one purpose, with the one session that serves it. */
function openAlone(url: string, warn: Warn): Alone {
  const database = openToolDatabase(url, warn);
  const session = database.openSession(false);
  const close = async (): Promise<void> => {
    await session.close();
    await database.close();
  };
  return { database, location: database.location, session, close };
}

/** A store in a database, to be read whole, as it is when this is called. @throws {StoreRefused} */
export async function openPostgresSource(url: string, warn: Warn = () => {}): Promise<Source> {
  const { database, location, session, close } = openAlone(url, warn);
  const { ask } = session;
  let cursors = 0;

  async function* entries(): AsyncIterable<readonly Entry[]> {
    for (const table of MOVED_NAMES) {
      const name = `entries_${++cursors}`;
      await ask(
        `DECLARE ${name} NO SCROLL CURSOR FOR SELECT ${selected(table, "row")} FROM svc.${table} AS row ORDER BY row.position`,
      );
      for (;;) {
        const rows = await ask<RecordOf[typeof table]>(`FETCH ${BATCH} FROM ${name}`);
        if (rows.length === 0) break;
        yield rows.map((row) => [table, row] as unknown as Entry);
      }
      await ask(`CLOSE ${name}`);
    }
  }

  try {
    await ready(database, "read");
    // From here on one moment is seen, however much is written meanwhile.
    await session.begin("ISOLATION LEVEL REPEATABLE READ READ ONLY");
    await ask("SELECT FROM svc.instances LIMIT 1");
    return { location, entries, close };
  } catch (error) {
    await close();
    throw asRefusal(database, error);
  }
}

/** A database to be filled from elsewhere. One at a time may do that. @throws {StoreRefused} */
export async function openPostgresTarget(url: string, warn: Warn = () => {}): Promise<Target> {
  const { database, location, session, ...alone } = openAlone(url, warn);
  const { ask, transaction } = session;
  // A transaction that stays open: a pooler would leave a connection's own lock behind for others.
  const lock = database.openSession(false);
  const close = async (): Promise<void> => {
    await lock.close();
    await alone.close();
  };

  try {
    await ready(database, "write");
    await lock.begin();
    const [row] = await lock.ask<{ ours: boolean }>("SELECT pg_try_advisory_xact_lock(7820, 1) AS ours");
    if (!row!.ours) throw new StoreRefused("locked", `Another process is filling ${location}.`);
  } catch (error) {
    await close();
    throw asRefusal(database, error);
  }

  return {
    location,

    begin: (fingerprint) =>
      transaction(async () => {
        const [filling] = await ask<{ fingerprint: string; entries: string }>("SELECT * FROM svc.filling");
        if (filling?.fingerprint === fingerprint) return Number(filling.entries);
        if (!filling && !(await isEmpty(ask)))
          throw new StoreRefused(
            "unusable",
            `${location} already contains a store, which is never overwritten. Use an empty database, or empty this one with: DROP SCHEMA svc CASCADE`,
          );
        await removeAll(ask);
        await ask("DELETE FROM svc.filling");
        await ask("INSERT INTO svc.filling VALUES ($1::text, 0)", [fingerprint]);
        return 0;
      }),

    put: (entries) =>
      transaction(async () => {
        await insertEntries(ask, entries);
        await ask("UPDATE svc.filling SET entries = entries + $1::text::bigint", [String(entries.length)]);
      }),

    finish: () =>
      transaction(async () => {
        await ask("DELETE FROM svc.filling");
        // So that searches are planned well from the first one on.
        for (const table of TABLE_NAMES) await ask(`ANALYZE svc.${table}`);
      }),

    close,
  };
}

async function ready(database: Database, purpose: "read" | "write"): Promise<void> {
  const version = await schemaVersion(database);
  if (version === MIGRATIONS.length) {
    if (purpose === "write") return;
    const [row] = await database.query<{ filling: boolean }>("SELECT EXISTS (SELECT FROM svc.filling) AS filling");
    if (row!.filling)
      throw new StoreRefused(
        "unusable",
        `${database.location} is itself incomplete: a copy or an import into it was interrupted.`,
      );
    return;
  }
  if (purpose === "write") return void (await migrate(database));
  throw new StoreRefused(
    "unusable",
    version === 0
      ? `${database.location} contains no store.`
      : `${database.location} has an older schema. Run: svc store migrate`,
  );
}

function asRefusal(database: Database, error: unknown): StoreRefused {
  return error instanceof StoreRefused ? error : refusal(database.location, causeOf(error));
}
