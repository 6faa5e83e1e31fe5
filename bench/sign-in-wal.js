// What a repeated sign-in writes to PostgreSQL: bytes of WAL, and the tables and indexes that it touches. `node
// bench/sign-in-wal.js [users]`
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { fillUsers, openBench, signIn } from "./postgres-users.js";

const USERS = Number(process.argv[2] ?? 20_000);
const SIGN_INS = 1000;

const { sql, store, cluster, binaries, close } = await openBench(["full_page_writes = off", "autovacuum = off"]);
try {
  await fillUsers(sql, 0, USERS);
  await sql.unsafe("VACUUM ANALYZE");
  // Of different users, as they come.
  const users = Array.from({ length: SIGN_INS }, (_, n) => Math.floor((n * USERS) / SIGN_INS));
  await Promise.all([signIn(store, 1), signIn(store, 2)]);
  await sql.unsafe("CHECKPOINT");
  const [{ from }] = await sql.unsafe("SELECT pg_current_wal_lsn() AS from");
  for (const n of users) await signIn(store, n);
  const [{ to, bytes }] = await sql.unsafe(
    `SELECT pg_current_wal_lsn() AS to, pg_wal_lsn_diff(pg_current_wal_lsn(), '${from}')::int AS bytes`,
  );
  const names = new Map(
    (
      await sql.unsafe(
        "SELECT relfilenode AS node, relname AS name, relkind AS kind FROM pg_class WHERE relnamespace = 'svc'::regnamespace",
      )
    ).map((row) => [String(row.node), row]),
  );
  const touched = new Map();
  const log = execFileSync(join(binaries, "pg_waldump"), ["-p", join(cluster.data, "pg_wal"), "-s", from, "-e", to], {
    encoding: "utf8",
    maxBuffer: 1 << 30,
  });
  for (const line of log.split("\n")) {
    const size = Number(/len \(rec\/tot\):\s*\d+\/\s*(\d+)/.exec(line)?.[1] ?? 0);
    const node = /rel \d+\/\d+\/(\d+)/.exec(line)?.[1];
    const name = names.get(node)?.name ?? "transactions and others";
    const { count = 0, sum = 0 } = touched.get(name) ?? {};
    touched.set(name, { count: count + 1, sum: sum + size });
  }
  console.log(`${bytes / SIGN_INS} bytes of WAL for a repeated sign-in, full-page images left out\n`);
  for (const [name, { count, sum }] of [...touched].toSorted(([, a], [, b]) => b.sum - a.sum))
    console.log(
      `${name.padEnd(32)} ${(count / SIGN_INS).toFixed(2)} records ${(sum / SIGN_INS).toFixed(0).padStart(6)} bytes`,
    );
  const hot = await sql.unsafe(
    "SELECT relname AS name, n_tup_upd::int AS updates, n_tup_hot_upd::int AS hot FROM pg_stat_user_tables WHERE n_tup_upd > 0 ORDER BY 1",
  );
  console.log();
  for (const { name, updates, hot: own } of hot) console.log(`${name}: ${own} of ${updates} updates without an index`);
} finally {
  await close();
}
process.exit();
