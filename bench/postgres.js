// What PostgreSQL costs: the driver against the same statements by hand, and searches with and without the trigram index
// against the store in memory. `node bench/postgres.js [users]`; SVC_TEST_POSTGRES_URL names a server other than its own.
import { randomUUID } from "node:crypto";
import { mkdir, rm } from "node:fs/promises";
import { build } from "esbuild";
import { Pool } from "pg";
import { instanceOf } from "./instance.js";

const ROOT = new URL("..", import.meta.url).pathname;
const USERS = Number(process.argv[2] ?? 100_000);
const ROUNDS = 15;
const CALLS = 500;
const AT_ONCE = 16;
const INSTANCE = "00000000-0000-4000-8000-00000000000a";

// The sources, made into modules that Node can load; beside the packages, so that these are found.
const out = `${ROOT}node_modules/.cache/svc-bench`;
await mkdir(out, { recursive: true });
await build({
  entryPoints: {
    postgres: `${ROOT}src/server/store/postgres/postgres-store.ts`,
    transfer: `${ROOT}src/server/store/postgres/transfer.ts`,
    memory: `${ROOT}src/server/store/memory/memory-store.ts`,
    query: `${ROOT}src/wire/search/query.ts`,
    fields: `${ROOT}src/wire/search/fields.ts`,
    cluster: `${ROOT}test/postgres/_cluster.ts`,
  },
  bundle: true,
  format: "esm",
  platform: "node",
  packages: "external",
  outdir: out,
  outExtension: { ".js": ".mjs" },
});
const load = (name) => import(`${out}/${name}.mjs`);
const { openPostgresStore } = await load("postgres");
const { openPostgresTarget } = await load("transfer");
const { openMemoryStore } = await load("memory");
const { parseQuery } = await load("query");
const { USER_FIELDS } = await load("fields");

const url = await database();
const pool = new Pool({ connectionString: url, max: 10 });
/** What somebody would write by hand who uses the same package. */
const sql = async (parts, ...values) =>
  (
    await pool.query(
      parts.reduce((text, part, n) => `${text}$${n}${part}`),
      values,
    )
  ).rows;
const store = await openPostgresStore(url, { warn: (message) => console.log(message) });
const records = makeRecords();
try {
  await fill();
  await collect(store.users(INSTANCE, { limit: 1 }));
  console.log(
    `\nNode ${process.version}, ${USERS} users, medians of ${ROUNDS} rounds, ${CALLS} calls each, ${AT_ONCE} at once\n`,
  );
  await ratios();
  await searches();
} finally {
  await store.close();
  await pool.end();
  await rm(out, { recursive: true, force: true });
}
process.exit();

async function database() {
  const given = process.env.SVC_TEST_POSTGRES_URL;
  const name = `svc_bench_${Date.now()}`;
  const { startCluster } = await load("cluster");
  const base = given ?? (await startCluster(["shared_buffers = '512MB'", "max_wal_size = '4GB'"])).url("postgres");
  const admin = new Pool({ connectionString: base, max: 1 });
  await admin.query(`CREATE DATABASE ${name}`);
  await admin.end();
  const address = new URL(base);
  address.pathname = `/${name}`;
  return address.href;
}

function makeRecords() {
  const first = ["Ada", "Grace", "Alan", "Mary", "Edsger", "Barbara", "Donald", "Radia", "Ken", "Frances"];
  const last = [
    "Lovelace",
    "Hopper",
    "Turing",
    "Shelley",
    "Dijkstra",
    "Liskov",
    "Knuth",
    "Perlman",
    "Thompson",
    "Allen",
  ];
  const domains = ["acme.test", "navy.test", "bletchley.test", "geneva.test", "example.test"];
  const start = Date.UTC(2020, 0, 1);
  const users = [];
  const identities = [];
  const sessions = [];
  for (let n = 0; n < USERS; n++) {
    const created_at = new Date(start + n * 1000).toISOString();
    const name = `${first[n % 10]} ${last[Math.floor(n / 10) % 10]}`;
    const handle = ((n * 2654435761) % 4294967296).toString(36);
    const user = {
      id: `00000000-0000-4000-8000-${n.toString(16).padStart(12, "0")}`,
      instance_id: INSTANCE,
      email: `${name.split(" ")[0].toLowerCase()}.${handle}@${domains[n % 5]}`,
      name: `${name} ${handle}`,
      avatar_url: null,
      email_verified_at: null,
      password_digest: null,
      created_at,
      updated_at: created_at,
    };
    users.push(user);
    identities.push({
      id: `00000000-0000-4000-9000-${n.toString(16).padStart(12, "0")}`,
      instance_id: INSTANCE,
      user_id: user.id,
      provider: "google",
      uid: String(n),
      email: user.email,
      email_verified: true,
      access_token: null,
      refresh_token: null,
      token_expires_at: null,
      created_at,
      updated_at: created_at,
    });
    sessions.push(sessionOf(user, undefined, created_at));
  }
  return { instances: [instanceOf(INSTANCE, start)], users, identities, sessions, personas: [] };
}

function sessionOf(user, active, moment = new Date().toISOString()) {
  return {
    id: active?.id ?? randomUUID(),
    session_id: active?.session_id ?? `svc_session_${randomUUID()}`,
    instance_id: INSTANCE,
    user_id: user.id,
    provider: "google",
    name: user.name,
    email: user.email,
    ip_address: "203.0.113.7",
    geo_data: {},
    logged_in_at: active?.logged_in_at ?? moment,
    last_signin_at: moment,
    revoked_at: null,
    created_at: active?.created_at ?? moment,
  };
}

async function fill() {
  const begun = performance.now();
  const target = await openPostgresTarget(url);
  await target.begin("bench");
  await target.put([["instances", records.instances[0]]]);
  for (const table of ["users", "identities", "sessions"]) {
    for (let n = 0; n < USERS; n += 5000)
      await target.put(records[table].slice(n, n + 5000).map((record) => [table, record]));
  }
  await target.finish();
  await target.close();
  console.log(`filled in ${((performance.now() - begun) / 1000).toFixed(1)} s`);
}

/** The driver's calls, and what somebody would write by hand who wants the same. */
async function ratios() {
  const pick = () => Math.floor(Math.random() * USERS);
  const states = { driver: [], bare: [] };
  const state = () => (randomUUID() + randomUUID()).replaceAll("-", "");
  const begun = new Date();
  const times = { created_at: begun.toISOString(), expires_at: new Date(begun.getTime() + 600_000).toISOString() };
  const saved = (value) => ({
    state: value,
    instance_id: INSTANCE,
    provider: "google",
    redirect_uri: "http://localhost:3000/callback",
    code_verifier: null,
    binding: null,
    ...times,
  });
  const row = (record, folded) => ({
    ...record,
    ...Object.fromEntries(folded.map((name) => [`${name}_folded`, record[name]?.toLowerCase() ?? null])),
  });

  let conflicts = 0;
  await ratio(
    "find a user",
    () => store.findUser(INSTANCE, records.users[pick()].id),
    () => sql`SELECT id, instance_id, email, name, avatar_url, email_verified_at, password_digest, created_at, updated_at,
      (SELECT string_agg(provider, ' ' ORDER BY position) FROM svc.identities WHERE user_id = row.id) AS providers
      FROM svc.users AS row WHERE id = ${records.users[pick()].id} AND instance_id = ${INSTANCE}`,
  );
  await ratio(
    "a page of 50 users",
    () => collect(store.users(INSTANCE, { limit: 50 })),
    () => sql`SELECT id, instance_id, email, name, avatar_url, email_verified_at, password_digest, created_at, updated_at,
      (SELECT string_agg(provider, ' ' ORDER BY position) FROM svc.identities WHERE user_id = row.id) AS providers
      FROM svc.users AS row WHERE instance_id = ${INSTANCE} ORDER BY created_at DESC, id LIMIT 50`,
  );
  await ratio(
    "save a state",
    () => {
      states.driver.push(state());
      return store.saveState(saved(states.driver.at(-1)));
    },
    () => {
      states.bare.push(state());
      return sql`SELECT svc.save_state(${JSON.stringify(saved(states.bare.at(-1)))}::text::json, 1000)`;
    },
  );
  await ratio(
    "take a state",
    () => store.takeState(states.driver.pop() ?? "none"),
    () => sql`DELETE FROM svc.states WHERE state = ${states.bare.pop() ?? "none"}
      RETURNING state, instance_id, provider, redirect_uri, code_verifier, binding, created_at, expires_at`,
  );
  await ratio(
    "complete a sign-in",
    () => {
      const user = records.users[pick()];
      return store.completeSignIn({
        instance_id: INSTANCE,
        provider: "google",
        uid: String(Number.parseInt(user.id.slice(-12), 16)),
        email: user.email,
        ip_address: "203.0.113.7",
        resolveUser: ({ known }) => known,
        openSession: sessionOf,
      });
    },
    async () => {
      const n = pick();
      const user = records.users[n];
      const who = [INSTANCE, "google", String(n), user.email, "203.0.113.7"];
      const [found] = await sql`SELECT * FROM svc.acquaintance(${who[0]}, ${who[1]}, ${who[2]}, ${who[3]}, ${who[4]})`;
      const session = row(sessionOf(found.user, found.session), ["name", "email", "ip_address"]);
      const [{ written }] =
        await sql`SELECT svc.complete_sign_in(${who[0]}, ${who[1]}, ${who[2]}, ${who[3]}, ${who[4]}, ${found.version},
        ${JSON.stringify(row(user, ["email", "name", "avatar_url"]))}::text::json, ${JSON.stringify(found.identities[0])}::text::json,
        ${JSON.stringify(session)}::text::json) AS written`;
      if (!written) conflicts++;
    },
  );
  // What the driver would have tried again.
  if (conflicts > CALLS / 10) throw new Error(`${conflicts} sign-ins by hand wrote nothing`);
}

async function ratio(name, driver, bare) {
  const measured = { driver: [], bare: [] };
  for (let round = 0; round <= ROUNDS; round++) {
    const order = round % 2 === 0 ? ["driver", "bare"] : ["bare", "driver"];
    for (const which of order) {
      const ms = await timed(which === "driver" ? driver : bare);
      // The first round warms up.
      if (round > 0) measured[which].push(ms);
    }
  }
  const [ours, theirs] = [median(measured.driver), median(measured.bare)];
  // Of each pair by itself: other work on the machine comes and goes.
  const quotient = median(measured.driver.map((ms, round) => ms / measured.bare[round]));
  console.log(
    `${quotient <= 1.3 ? "✓" : "✗"} ${name.padEnd(24)} ${quotient.toFixed(2)}   asked ≤ 1.3   ${ours.toFixed(3)} ms / ${theirs.toFixed(3)} ms a call`,
  );
}

/** Milliseconds a call, of many that are made some at a time. */
async function timed(call) {
  let left = CALLS;
  const begun = performance.now();
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      while (left-- > 0) await call();
    }),
  );
  return (performance.now() - begun) / CALLS;
}

async function searches() {
  const one = records.users[Math.floor(USERS / 2)];
  const part = one.email.slice(one.email.indexOf(".") + 1, one.email.indexOf("@"));
  const terms = [
    ["exact", `email:${one.email}`],
    ["prefix", `email:${one.email.slice(0, one.email.indexOf("@") - 1)}*`],
    ["suffix", `email:*${one.email.slice(one.email.indexOf("@") - 4)}`],
    ["contains", `name:*${part.slice(0, 5)}*`],
    ["nobody", "name:*xyzzyx*"],
  ];
  const memory = openMemoryStore();
  await memory.seed(records);
  const results = { trigrams: await search(store, terms), plain: undefined, memory: await search(memory, terms) };
  await sql`DROP INDEX svc.users_email_trigrams, svc.users_name_trigrams`;
  results.plain = await search(store, terms);
  console.log(
    `\n${"search, ms".padEnd(26)}${["rows", "trigrams", "no index", "memory"].map((text) => text.padStart(11)).join("")}`,
  );
  for (const [name, text] of terms) {
    const rows = [results.trigrams, results.plain, results.memory].map((found) => found[name]);
    const same = rows.every(({ ids }) => ids === rows[0].ids);
    const cells = [String(rows[0].count), ...rows.map(({ ms }) => ms.toFixed(2))];
    console.log(`${same ? "✓" : "✗"} ${name.padEnd(24)}${cells.map((cell) => cell.padStart(11)).join("")}   ${text}`);
  }
}

async function search(where, terms) {
  const found = {};
  for (const [name, text] of terms) {
    const query = parseQuery(text, USER_FIELDS);
    const times = [];
    let rows = [];
    for (let round = 0; round <= ROUNDS; round++) {
      const begun = performance.now();
      rows = await collect(where.users(INSTANCE, { query }));
      if (round > 0) times.push(performance.now() - begun);
    }
    found[name] = { ms: median(times), count: rows.length, ids: rows.map(({ user }) => user.id).join() };
  }
  return found;
}

async function collect(pages) {
  const rows = [];
  for await (const batch of pages) rows.push(...batch);
  return rows;
}

function median(numbers) {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)];
}
