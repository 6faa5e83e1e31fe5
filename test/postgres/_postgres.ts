import { randomBytes } from "node:crypto";
import postgres, { type Sql } from "postgres";
import { afterAll, onTestFinished } from "vitest";
import { sharedServer, urlOf } from "./_cluster.ts";

export { startCluster, type Cluster } from "./_cluster.ts";

/** A connection to a database as its administrator. */
export function admin(url: string): Sql {
  const sql = postgres(url, { max: 1, onnotice: () => {}, fetch_types: false });
  onTestFinished(() => sql.end({ timeout: 0 }));
  return sql;
}

/** An empty database on the server that the run shares, or on the one of `SVC_TEST_POSTGRES_URL`. */
export async function createDatabase(options = ""): Promise<string> {
  const given = process.env["SVC_TEST_POSTGRES_URL"];
  const url = new URL(given ?? urlOf((await sharedServer()).port, "postgres"));
  const name = `svc_test_${randomBytes(6).toString("hex")}`;
  await execute(url.href, `CREATE DATABASE ${name} ${options}`);
  url.pathname = `/${name}`;
  return url.href;
}

/** Statements, by the administrator of a database. */
export async function execute(url: string, text: string): Promise<void> {
  const sql = postgres(url, { max: 1, onnotice: () => {}, fetch_types: false });
  try {
    await sql.unsafe(text);
  } finally {
    await sql.end();
  }
}

// Children before the records that they belong to.
const TABLES = [
  "settings",
  "snapshots",
  "sessions",
  "session_times",
  "identities",
  "users",
  "states",
  "personas",
  "instances",
  "filling",
];

/** What empties all tables of a database, which costs less over a connection that is kept. To be called in a `describe`. */
export function useEmptying(): (url: string) => Promise<void> {
  const statements = TABLES.map((table) => `DELETE FROM svc.${table}`).join("; ");
  let sql: Sql | undefined;
  afterAll(() => sql?.end());
  return async (url) => {
    sql ??= postgres(url, { max: 1, onnotice: () => {}, fetch_types: false });
    await sql.unsafe(statements);
  };
}
