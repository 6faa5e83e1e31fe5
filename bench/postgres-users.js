// A PostgreSQL with any number of users, made by SQL, for the benches that need many.
import { execFileSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { build } from "esbuild";
import postgres from "postgres";
import { instanceOf } from "./instance.js";

const ROOT = new URL("..", import.meta.url).pathname;
const OUT = `${ROOT}node_modules/.cache/svc-bench-users`;
export const INSTANCE = "00000000-0000-4000-8000-00000000000a";
/** When the first user came. */
export const AT = Date.UTC(2026, 0, 1);

/** Modules of the sources, beside the packages so that these are found. */
export async function sources(entryPoints) {
  await mkdir(OUT, { recursive: true });
  await build({
    entryPoints: Object.fromEntries(Object.entries(entryPoints).map(([name, path]) => [name, ROOT + path])),
    bundle: true,
    format: "esm",
    platform: "node",
    packages: "external",
    outdir: OUT,
    outExtension: { ".js": ".mjs" },
  });
  return Object.fromEntries(
    await Promise.all(Object.keys(entryPoints).map(async (name) => [name, await import(`${OUT}/${name}.mjs`)])),
  );
}

/** The module of the store, once `openBench` has made it: for further processes, which must not write it meanwhile. */
export const storeModule = () => import(`${OUT}/store.mjs`);

/** The directory with `pgbench` and `pg_waldump`, which the packages of the tests do not bring. */
function programs() {
  const given =
    process.env.SVC_TEST_POSTGRES_BIN ?? execFileSync("pg_config", ["--bindir"], { encoding: "utf8" }).trim();
  if (!existsSync(`${given}/pgbench`)) throw new Error("Name a directory with pgbench in SVC_TEST_POSTGRES_BIN.");
  process.env.SVC_TEST_POSTGRES_BIN = given;
  return given;
}

/** An empty store in a cluster of its own. @param settings of PostgreSQL */
export async function openBench(settings = []) {
  const binaries = programs();
  const { cluster: clusters, store: stores } = await sources({
    cluster: "test/postgres/_cluster.ts",
    store: "src/server/store/postgres/postgres-store.ts",
  });
  const cluster = await clusters.startCluster(["shared_buffers = '512MB'", "max_wal_size = '4GB'", ...settings]);
  const url = cluster.url("postgres");
  const store = await stores.openPostgresStore(url, { warn: (message) => console.warn(message) });
  const sql = postgres(url, { max: 1, onnotice: () => {} });
  await store.seed({
    instances: [instanceOf(INSTANCE, AT)],
    personas: [],
    users: [],
    identities: [],
    sessions: [],
  });
  const close = async () => {
    await store.close();
    await sql.end();
    await cluster.control("stop", "-m", "immediate");
  };
  return { binaries, cluster, url, store, sql, close };
}

const FIRST = "(ARRAY['Ada','Grace','Alan','Mary','Edsger','Barbara','Donald','Radia','Ken','Frances'])[1 + n % 10]";
const LAST =
  "(ARRAY['Lovelace','Hopper','Turing','Shelley','Dijkstra','Liskov','Knuth','Perlman','Thompson','Allen'])[1 + n / 10 % 10]";
const NAME = `${FIRST} || ' ' || ${LAST} || ' ' || to_hex(n)`;
const TIME = `'${new Date(AT).toISOString()}'::timestamptz + n * interval '1 second'`;
const IP = "'10.' || (n >> 16) || '.' || (n >> 8 & 255) || '.' || (n & 255)";
/** A random id, in the form of those that svc makes; the same for the same user. */
const idOf = (kind) => `(md5('${kind}' || n)::uuid)::text`;

/** Users with an identity and a session each, from one number to another. */
export async function fillUsers(sql, from, to) {
  const numbers = `generate_series(${from}, ${to - 1}) AS n`;
  await sql.unsafe(`INSERT INTO svc.users (id, instance_id, email, email_folded, name, name_folded, created_at, updated_at)
    SELECT ${idOf("user")}, '${INSTANCE}', 'user' || n || '@acme.test', 'user' || n || '@acme.test',
      ${NAME}, lower(${NAME}), ${TIME}, ${TIME} FROM ${numbers}`);
  await sql.unsafe(`INSERT INTO svc.identities (id, instance_id, user_id, provider, uid, email, email_verified, access_token, created_at, updated_at)
    SELECT ${idOf("identity")}, '${INSTANCE}', ${idOf("user")}, 'google', (1000000000 + n)::text, 'user' || n || '@acme.test',
      true, repeat('a', 60), ${TIME}, ${TIME} FROM ${numbers}`);
  await sql.unsafe(`INSERT INTO svc.sessions (id, session_id, instance_id, user_id, provider, name, name_folded, email, email_folded,
      ip_address, ip_address_folded, geo_data, logged_in_at, last_signin_at, created_at)
    SELECT ${idOf("session")}, 'svc_session_' || ${idOf("key")}, '${INSTANCE}', ${idOf("user")}, 'google', ${NAME}, lower(${NAME}),
      'user' || n || '@acme.test', 'user' || n || '@acme.test', ${IP}, ${IP}, '{"country":"US","city":"Springfield"}',
      ${TIME}, ${TIME}, ${TIME} FROM ${numbers}`);
}

/** What a server asks of the store for the repeated sign-in of a user. */
export async function signIn(store, n) {
  const state = randomBytes(32).toString("hex");
  const now = new Date().toISOString();
  await store.saveState({
    state,
    instance_id: INSTANCE,
    provider: "google",
    redirect_uri: "https://app.example.com/auth/callback?nonce=0123456789abcdef0123456789abcdef",
    code_verifier: null,
    binding: "0".repeat(64),
    created_at: now,
    expires_at: new Date(Date.now() + 600_000).toISOString(),
  });
  await store.takeState(state);
  await store.completeSignIn({
    instance_id: INSTANCE,
    provider: "google",
    uid: String(1_000_000_000 + n),
    email: `user${n}@acme.test`,
    ip_address: `10.${n >> 16}.${(n >> 8) & 255}.${n & 255}`,
    resolveUser: ({ known }) => ({
      user: { ...known.user, updated_at: now },
      identity: { ...known.identity, access_token: "a".repeat(60), updated_at: now },
    }),
    openSession: (_, active) => ({ ...active, last_signin_at: now }),
  });
}
