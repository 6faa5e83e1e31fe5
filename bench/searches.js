// What searches cost on PostgreSQL, by kind of term: the first rows, all rows, and the plan.
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
    query: `${ROOT}src/wire/query.ts`,
    fields: `${ROOT}src/wire/fields.ts`,
  },
  bundle: true,
  format: "esm",
  platform: "node",
  packages: "external",
  outdir: out,
  outExtension: { ".js": ".mjs" },
});
const { openPostgresStore } = await import(`${out}/postgres.mjs`);
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
  ANALYZE svc.users;`);
console.log(`${USERS} users in ${((performance.now() - begun) / 1000).toFixed(0)} s\n`);

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
  ["negation, with a date", "-name:*user* created_at>=2020-01-01T00:00:00Z created_at<2020-01-01T00:10:00Z"],
];
for (const [name, text] of TERMS) {
  const query = parseQuery(text, USER_FIELDS);
  const first = await median(() => take(store.users(INSTANCE, { query, limit: 50 })));
  const whole = await outcome(() => take(store.users(INSTANCE, { query })));
  console.log(`${name.padEnd(28)} first 50: ${first.padStart(10)}   all: ${whole}`);
}
await store.close();
await sql.end();
await rm(out, { recursive: true, force: true });

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
