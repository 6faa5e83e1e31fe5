// What users cost a PostgreSQL: the size of each table and index, and repeated sign-ins per second of several processes with
// svc's store, as a share of what pgbench reaches with the same statements in the same rounds.
// `node bench/database-growth.js [users] [rounds]`
import { execFileSync, fork } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fillUsers, INSTANCE, openBench, signIn, sources, storeModule } from "./postgres-users.js";

const USERS = Number(process.argv[2] ?? 1_000_000);
const ROUNDS = Number(process.argv[3] ?? 6);
const SECONDS = 4;
const STEP = 100_000;
/** The connections of each process, as of a server. */
const CONNECTIONS = 10;
const SERVERS = [1, 2, 4];

async function measure() {
  const { url, sql, store, binaries, close } = await openBench(["max_connections = 100"]);
  try {
    for (let from = 0; from < USERS; from += STEP) {
      const begun = performance.now();
      await fillUsers(sql, from, Math.min(USERS, from + STEP));
      console.error(`${from + STEP} users, ${((performance.now() - begun) / 1000).toFixed(0)} s`);
    }
    await sql.unsafe("VACUUM ANALYZE");
    await sizes(sql);
    await sql.unsafe("CHECKPOINT");
    if (ROUNDS > 0) await rates(url, binaries);
    await migrated(url, sql, store);
  } finally {
    await close();
  }
}

async function sizes(sql) {
  const rows = await sql.unsafe(
    `SELECT c.relname AS name, t.relname AS "table", pg_relation_size(c.oid)::bigint AS bytes
     FROM pg_class c LEFT JOIN pg_index i ON i.indexrelid = c.oid LEFT JOIN pg_class t ON t.oid = i.indrelid
     WHERE c.relnamespace = 'svc'::regnamespace AND c.relkind IN ('r', 'i') AND pg_relation_size(c.oid) > 1000000
     ORDER BY coalesce(t.relname, c.relname), t.relname IS NOT NULL, 3 DESC`,
  );
  let total = 0;
  console.log(`\n${USERS} users, each with an identity and a session\n`);
  for (const { name, table, bytes } of rows) {
    total += Number(bytes);
    const shown = `${table === null ? "" : "  "}${name}`.padEnd(34);
    console.log(`${shown} ${(bytes / 1e6).toFixed(1).padStart(8)} MB ${(bytes / USERS).toFixed(0).padStart(6)} B/user`);
  }
  console.log(
    `${"together".padEnd(34)} ${(total / 1e6).toFixed(1).padStart(8)} MB ${(total / USERS).toFixed(0).padStart(6)} B/user\n`,
  );
}

async function rates(url, binaries) {
  const directory = await mkdtemp(join(tmpdir(), "svc-pgbench-"));
  const script = join(directory, "sign-in.sql");
  await writeFile(script, SCRIPT);
  const found = new Map(SERVERS.map((count) => [count, { svc: [], pgbench: [] }]));
  for (let round = 0; round < ROUNDS; round++)
    for (const [count, { svc, pgbench }] of found) {
      svc.push(await ofServers(url, count));
      pgbench.push(ofPgbench(binaries, url, script, count * CONNECTIONS));
      const share = svc.at(-1) / pgbench.at(-1);
      console.log(
        `${count} servers: ${svc.at(-1).toFixed(0)} sign-ins/s, pgbench ${pgbench.at(-1).toFixed(0)}, ${share.toFixed(2)}`,
      );
    }
  console.log();
  for (const [count, { svc, pgbench }] of found)
    console.log(
      `${count} servers / pgbench with as many connections: ${(median(svc) / median(pgbench)).toFixed(2)} (medians of ${ROUNDS})`,
    );
  await rm(directory, { recursive: true, force: true });
}

/** An upgrade that adds a column and creates two indexes again, while users sign in. */
async function migrated(url, sql, store) {
  const { migrate, database, schema } = await sources({
    migrate: "src/server/store/postgres/migrate.ts",
    database: "src/server/store/postgres/database/database.ts",
    schema: "src/server/store/postgres/schema.ts",
  });
  await sql.unsafe("DROP INDEX svc.sessions_email, svc.users_newest");
  const times = [];
  const done = new AbortController();
  const load = Array.from({ length: 4 }, async () => {
    while (!done.signal.aborted) {
      const begun = performance.now();
      await signIn(store, user());
      times.push(performance.now() - begun);
    }
  });
  const begun = performance.now();
  const opened = database.openDatabaseAt(url, console.warn);
  await migrate.migrate(opened, [...schema.MIGRATIONS, "ALTER TABLE svc.users ADD COLUMN later text"]);
  const seconds = ((performance.now() - begun) / 1000).toFixed(0);
  done.abort();
  await Promise.all(load);
  await opened.close();
  const slowest = (Math.max(...times) / 1000).toFixed(1);
  console.log(
    `\nstore migrate: a column and two indexes in ${seconds} s, ${times.length} sign-ins meanwhile, the slowest ${slowest} s`,
  );
}

function ofPgbench(binaries, url, script, clients) {
  const { hostname, port, password } = new URL(url);
  const output = execFileSync(
    join(binaries, "pgbench"),
    [
      "-n",
      "-M",
      "prepared",
      "-f",
      script,
      "-T",
      SECONDS,
      "-c",
      clients,
      "-j",
      "2",
      "-h",
      hostname,
      "-p",
      port,
      "-U",
      "postgres",
      "postgres",
    ].map(String),
    {
      encoding: "utf8",
      env: { ...process.env, PGPASSWORD: decodeURIComponent(password), PGOPTIONS: "-c search_path=pg_catalog" },
    },
  );
  return Number(/tps = ([\d.]+)/.exec(output)[1]);
}

async function ofServers(url, count) {
  const children = Array.from({ length: count }, () => fork(new URL(import.meta.url).pathname, [String(USERS)]));
  await Promise.all(children.map((child) => once(child, "message")));
  const answers = children.map((child) => once(child, "message"));
  for (const child of children) child.send(url);
  await Promise.all(answers);
  const results = children.map((child) => once(child, "message"));
  for (const child of children) child.send("go");
  const done = await Promise.all(results);
  for (const child of children) child.kill();
  return done.reduce((sum, [perSecond]) => sum + perSecond, 0);
}

/** A process that signs users in with the store alone, as many at once as it has connections. */
async function work() {
  const stores = await storeModule();
  process.send("loaded");
  const [url] = await once(process, "message");
  const store = await stores.openPostgresStore(url, { warn: () => {} });
  await Promise.all(Array.from({ length: CONNECTIONS }, () => signIn(store, user())));
  process.send("ready");
  await once(process, "message");
  const end = performance.now() + SECONDS * 1000;
  let count = 0;
  await Promise.all(
    Array.from({ length: CONNECTIONS }, async () => {
      while (performance.now() < end) {
        await signIn(store, user());
        count++;
      }
    }),
  );
  process.send(count / SECONDS);
  await new Promise(() => {});
}

function user() {
  return Math.floor(Math.random() * USERS);
}

function median(values) {
  return values.toSorted((a, b) => a - b)[values.length >> 1];
}

/** The four statements of a sign-in, each in its own transaction, as svc sends them. */
const SCRIPT = `\\set n random(0, ${USERS - 1})
\\set a random(1, 2000000000)
\\set b random(1, 2000000000)
INSERT INTO svc.states (state, instance_id, provider, redirect_uri, binding, created_at, expires_at)
  VALUES (lpad(:a || '00' || :b, 64, '0'), '${INSTANCE}', 'google',
    'https://app.example.com/auth/callback?nonce=0123456789abcdef0123456789abcdef', repeat('0', 64), now(), now() + interval '10 minutes');
DELETE FROM svc.states WHERE state = lpad(:a || '00' || :b, 64, '0') RETURNING redirect_uri \\gset
SELECT a.version, ("user"::jsonb || jsonb_build_object('updated_at', now()))::text AS u,
    (identities->0)::text AS i, (session::jsonb || jsonb_build_object('last_signin_at', now()))::text AS s
  FROM svc.acquaintance('${INSTANCE}', 'google', (1000000000 + :n)::text, 'user' || :n || '@acme.test',
    '10.' || (:n::int >> 16) || '.' || (:n::int >> 8 & 255) || '.' || (:n::int & 255)) a \\gset
SELECT svc.complete_sign_in('${INSTANCE}', 'google', (1000000000 + :n)::text, 'user' || :n || '@acme.test',
  '10.' || (:n::int >> 16) || '.' || (:n::int >> 8 & 255) || '.' || (:n::int & 255), :version, :u::json, :i::json, :s::json);
`;

if (process.send) await work();
else await measure();
process.exit();
