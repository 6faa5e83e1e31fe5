import type { InstanceRecord, PersonaRecord } from "../records.ts";
import { StorageUnavailable, StoreNotEmpty, type Store, type OpenStoreOptions } from "../store.ts";
import { parseAddress } from "./database/address.ts";
import { clockDifference } from "./database/clock.ts";
import { openDatabaseAt, type Database } from "./database/database.ts";
import { rootCauseOf, isHanging } from "./database/failures.ts";
import { asRefusal, databaseUnusable } from "./database/reasons.ts";
import { isLocal } from "./database/tls.ts";
import { MISSING_FUNCTIONS, missingFunctions } from "./functions.ts";
import { hasTrigrams, missingIndexes } from "./indexes.ts";
import { createLists } from "./lists.ts";
import { migrate } from "./migrate.ts";
import { createRecordOperations } from "./record-operations.ts";
import { insertAll, isEmpty, removeAll, selectFrom, withoutWriters } from "./rows.ts";
import { MIGRATIONS } from "./schema.ts";
import { completeSignIn, createStates } from "./sign-in.ts";
import { createSnapshots } from "./snapshots.ts";
import { schemaVersion } from "./version.ts";

const MAX_CLOCK_DIFFERENCE_MS = 60_000;
const MAY_WRITE = ["states", "users", "identities", "sessions"]
  .flatMap((table) => [
    `has_sequence_privilege('svc.${table}_position', 'USAGE')`,
    ...["INSERT", "UPDATE", "DELETE"].map((right) => `has_table_privilege('svc.${table}', '${right}')`),
  ])
  .join(" AND ");

/**
 * 64 KB that can't be compressed, because a small row may fit into an existing page. They are taken back at once, and the
 * server removes what is left of them.
 */
const TRY_SPACE = `DO $$ BEGIN
  INSERT INTO svc.settings (name, value)
    SELECT 'room', to_json(string_agg(md5(random()::text), '')) FROM generate_series(1, 2048);
  RAISE EXCEPTION 'taken back';
EXCEPTION WHEN raise_exception THEN NULL;
END $$`;

/**
 * Opens the store in a PostgreSQL database, and creates its schema if there is none. Any number of processes may use it
 * at the same time.
 * @throws {StoreRefused} if it can't be reached or used; the message says what to do
 */
export async function openPostgresStore(url: string, { warn, onCommit }: OpenStoreOptions): Promise<Store> {
  const database = openDatabaseAt(url, warn);
  try {
    await makeReady(database);
    const store = databaseStore(database);
    await store.probe().catch((error: unknown) => {
      if (!(error instanceof StorageUnavailable)) throw error;
      // Reads work, and the rest may by itself.
      const mayPass = ["store_read_only", "clock_differs"].includes(error.code) || isHanging(rootCauseOf(error));
      if (!mayPass) throw error;
      warn(`${error.message.replace(/\.?$/, ".")} Until that changes the server is not ready.`);
    });
    database.serve();
    return observed(store, onCommit);
  } catch (error) {
    await database.close();
    throw asRefusal(database.location, error);
  }
}

/** The hosts of an address that are not this machine. @throws {ServeError} */
export function foreignHosts(url: string, env: Readonly<Record<string, string | undefined>>): string[] {
  return parseAddress(url, env)
    .hosts.map(({ host }) => host)
    .filter((host) => !isLocal(host));
}

async function makeReady(database: Database): Promise<void> {
  const { location, query, warn } = database;
  const version = await schemaVersion(database, true);
  if (version > MIGRATIONS.length)
    warn(`${location} has the schema version ${version} of a newer svc, which this one may serve. Update it soon.`);
  else if (version < MIGRATIONS.length || (await missingFunctions(query)).length > 0) {
    const { from, to, restored = [] } = await migrate(database);
    if (from < to)
      warn(
        `${location}: ${from === 0 ? "created the schema svc" : `updated the schema from version ${from}`}, version ${to}.`,
      );
    if (restored.length > 0) warn(`${location}: put back what another program had removed: ${restored.join(", ")}.`);
  }
  if (!(await hasTrigrams(query)))
    warn(
      `${location}: the extension pg_trgm is missing, so a search for a part of a text reads every row. ` +
        "Have it added (CREATE EXTENSION pg_trgm), then run: svc store migrate",
    );
  const [missing] = await missingIndexes(query);
  if (missing) warn(`${location}: the index ${missing.name} is missing or incomplete. Run: svc store migrate`);
  const [settings] = await query<{ filling: boolean; fsync: string }>(
    "SELECT EXISTS (SELECT FROM svc.filling) AS filling, current_setting('fsync') AS fsync",
  );
  if (settings!.filling)
    throw databaseUnusable(
      `${location} is incomplete: a svc store copy or import was interrupted. Run it again, or empty the database with: DROP SCHEMA svc CASCADE`,
    );
  if (settings!.fsync === "off")
    warn(`${location}: the server runs with fsync=off. What svc acknowledges can be lost when the machine fails.`);
}

function databaseStore(database: Database): Store {
  const { query } = database;
  return {
    location: database.location,
    connections: database.connections,
    ...createLists(database),
    ...createStates(database),
    ...createRecordOperations(database),
    snapshots: createSnapshots(database),
    completeSignIn: (signIn) => completeSignIn(database, signIn),

    instances: () => query<InstanceRecord>(`${selectFrom("instances")} ORDER BY row.position`),

    personas: () => query<PersonaRecord>(`${selectFrom("personas")} ORDER BY row.position`),

    seed: (records) =>
      withoutWriters(database, async (ask) => {
        if (!(await isEmpty(ask))) throw new StoreNotEmpty("A store that is not empty can't be seeded");
        await insertAll(ask, records);
      }),

    replace: (records) =>
      withoutWriters(database, async (ask) => {
        await removeAll(ask);
        await insertAll(ask, records);
      }),

    now: database.clock.now,
    clockAheadMs: database.clock.ahead,
    hangingCommits: database.hangingCommits,
    timeouts: database.timeouts,

    probe: () => probe(database),
    close: database.close,
  };
}

async function probe(database: Database): Promise<void> {
  const { location, query, clock } = database;
  await database.check();
  const [rights] = await query<{ writes: boolean; missing: string | null }>(
    `SELECT ${MAY_WRITE} AS writes, ${MISSING_FUNCTIONS} AS missing FROM (SELECT FROM svc.instances LIMIT 1) AS first`,
  );
  if (rights && rights.missing !== null)
    throw new StorageUnavailable(`${location} lacks ${rights.missing}. Run: svc store migrate`, {
      code: "store_unavailable",
    });
  if (rights?.writes === false)
    throw new StorageUnavailable(
      `${location} may not be written by this user. Grant it INSERT, UPDATE and DELETE on all tables of the schema svc, and USAGE on its sequences.`,
      { code: "store_read_only" },
    );
  // Applications, whose clocks are right, would refuse the tokens of one of us.
  const ahead = clock.ahead();
  if (Math.abs(ahead) >= MAX_CLOCK_DIFFERENCE_MS)
    throw new StorageUnavailable(`${location}: ${clockDifference(ahead)} Set both clocks by NTP.`, {
      code: "clock_differs",
    });
  // A server that is not ready gets no writes, which could otherwise show that there is space again.
  if (!database.isFull()) return;
  await query(TRY_SPACE);
  database.noteRoom();
}

/** The same store, with a callback for the duration of its writes. */
function observed(store: Store, onCommit: ((seconds: number) => void) | undefined): Store {
  if (!onCommit) return store;
  async function time<T>(write: Promise<T>): Promise<T> {
    const started = performance.now();
    const result = await write;
    onCommit!((performance.now() - started) / 1000);
    return result;
  }
  return {
    ...store,
    deleteUser: (instance_id, id) => time(store.deleteUser(instance_id, id)),
    pruneSessions: (instance_id, before, limit) => time(store.pruneSessions(instance_id, before, limit)),
    saveState: (record) => time(store.saveState(record)),
    claimState: (state) => time(store.claimState(state)),
    completeSignIn: (signIn) => time(store.completeSignIn(signIn)),
  };
}
