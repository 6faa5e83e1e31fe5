// What searches cost on PostgreSQL, by kind of term, and in the document that the file store has in memory: the first
// rows, and all rows.
// `node bench/searches.js [users]`; SVC_TEST_POSTGRES_URL names an empty database.
import { mkdir, rm } from "node:fs/promises";
import { build } from "esbuild";
import postgres from "postgres";

const ROOT = new URL("..", import.meta.url).pathname;
const USERS = Number(process.argv[2] ?? 100_000);
const ROUNDS = 5;
const INSTANCE = "00000000-0000-4000-8000-00000000000a";

const out = `${ROOT}node_modules/.cache/svc-bench-searches`;
await mkdir(out, { recursive: true });
await build({
  entryPoints: {
    postgres: `${ROOT}src/server/store/postgres/postgres-store.ts`,
    memory: `${ROOT}src/server/store/memory/memory-store.ts`,
    query: `${ROOT}src/wire/search/query.ts`,
    fields: `${ROOT}src/wire/search/fields.ts`,
  },
  bundle: true,
  format: "esm",
  platform: "node",
  packages: "external",
  outdir: out,
  outExtension: { ".js": ".mjs" },
});
const { openPostgresStore } = await import(`${out}/postgres.mjs`);
const { openMemoryStore } = await import(`${out}/memory.mjs`);
const { parseQuery } = await import(`${out}/query.mjs`);
const { USER_FIELDS } = await import(`${out}/fields.mjs`);

const url = process.env.SVC_TEST_POSTGRES_URL;
if (url === undefined) throw new Error("Set SVC_TEST_POSTGRES_URL to an empty database.");
const store = await openPostgresStore(url, { warn: console.log });
const sql = postgres(url, { max: 1, onnotice: () => {} });

const begun = performance.now();
await sql.unsafe(`
  INSERT INTO svc.instances (id, app_id, name, subdomain, active, publishable_key, secret_key, default_provider, redirect_uris, connections, created_at)
    VALUES ('${INSTANCE}', 'app', 'Acme', 'acme', true, 'pk_bench', 'sk_bench', 'google', '[]', '{}', now());
  INSERT INTO svc.users (id, instance_id, email, name, email_folded, name_folded, created_at, updated_at)
    SELECT gen_random_uuid()::text, '${INSTANCE}', who || '@' || site, who, who || '@' || site, who, at, at
    FROM (SELECT n, 'user ' || substr(md5(n::text), 1, 12) AS who,
            (ARRAY['acme.test', 'navy.test', 'bletchley.test'])[n % 3 + 1] AS site,
            '2020-01-01'::timestamptz + n * interval '1 second' AS at
          FROM generate_series(1, ${USERS}) AS n) AS made;
  INSERT INTO svc.identities (id, instance_id, user_id, provider, uid, email, email_verified, created_at, updated_at)
    SELECT gen_random_uuid()::text, instance_id, id, provider, id, email, true, created_at, created_at
    FROM (SELECT *, row_number() OVER (ORDER BY created_at) AS n FROM svc.users) AS own,
      LATERAL (VALUES ('google', n % 100 > 0 AND n % 3 < 2), ('github', n % 100 > 0 AND n % 3 > 0),
        ('twitter', n <= 50)) AS made (provider, is_there)
    WHERE is_there;
  ANALYZE svc.users, svc.identities;`);
console.log(`${USERS} users in ${((performance.now() - begun) / 1000).toFixed(0)} s\n`);

const memory = openMemoryStore();
await memory.seed(await content());

const TERMS = [
  ["exact", `email:nobody@acme.test`],
  ["prefix", "name:user*"],
  ["three characters", "name:*abc*"],
  ["two characters", "name:*ab*"],
  ["one character, common", "name:*a*"],
  ["one character, absent", "name:*z*"],
  ["one character, at the end", "email:*z"],
  ["two characters, absent", "name:*zz*"],
  ["negation, most match", "-name:*a*"],
  ["negation, none match", "-name:*user*"],
  ["provider of most", "provider:github"],
  ["provider of few, the oldest", "provider:twitter"],
  ["provider, prefix", "provider:goo*"],
  ["provider of none", "provider:x"],
  ["without a provider", "provider:null"],
  ["negation of a provider", "-provider:github"],
  ["provider or none", "provider:twitter provider:null"],
  ["provider and a name", "provider:github name:*abc*"],
  ["either end of a year", "created_at<2020-01-01T00:00:10Z created_at>2020-02-01"],
  ["negation, with a date", "-name:*user* created_at>=2020-01-01T00:00:00Z created_at<2020-01-01T00:10:00Z"],
];
console.log(
  `${" ".repeat(28)}${["PostgreSQL, 50", "all", "memory, 50", "all"].map((title, n) => title.padStart(n % 2 === 0 ? 14 : 22)).join(" ")}`,
);
for (const [name, text] of TERMS) {
  const query = parseQuery(text, USER_FIELDS);
  const cells = [];
  for (const asked of [store, memory]) {
    cells.push((await median(() => take(asked.users(INSTANCE, { query, limit: 50 })))).padStart(14));
    cells.push((await outcome(() => take(asked.users(INSTANCE, { query })))).padStart(22));
  }
  console.log(`${name.padEnd(28)}${cells.join(" ")}`);
}
await store.close();
await sql.end();
await rm(out, { recursive: true, force: true });

/** The same users and identities, for a store in memory. */
async function content() {
  const users = [];
  const identities = [];
  for await (const batch of store.users(INSTANCE, {}))
    for (const { user, providers } of batch) {
      const { id: user_id, email, created_at } = user;
      users.push(user);
      for (const provider of providers)
        identities.push({
          id: `${provider} ${user_id}`,
          instance_id: INSTANCE,
          user_id,
          provider,
          uid: user_id,
          email,
          email_verified: true,
          created_at,
          updated_at: created_at,
        });
    }
  return { instances: await store.instances(), personas: [], users, identities, sessions: [] };
}

async function take(pages) {
  let count = 0;
  for await (const batch of pages) count += batch.length;
  return count;
}

async function median(work) {
  const times = [];
  for (let round = 0; round < ROUNDS; round++) {
    const start = performance.now();
    try {
      await work();
    } catch (error) {
      return error.name;
    }
    times.push(performance.now() - start);
  }
  return `${times.toSorted((a, b) => a - b)[Math.floor(ROUNDS / 2)].toFixed(1)} ms`;
}

async function outcome(work) {
  const start = performance.now();
  try {
    const count = await work();
    return `${(performance.now() - start).toFixed(0)} ms, ${count} rows`;
  } catch (error) {
    return `${error.name} after ${(performance.now() - start).toFixed(0)} ms`;
  }
}
