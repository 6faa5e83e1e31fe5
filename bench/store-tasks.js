// What bench/store.js has done in processes of their own.
import { randomUUID } from "node:crypto";
import { readFile, stat } from "node:fs/promises";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { setTimeout as delay } from "node:timers/promises";
import { openFileStore } from "../src/server/store/file/file-store.ts";
import { USER_FIELDS } from "../src/wire/search/fields.ts";
import { parseQuery } from "../src/wire/search/query.ts";
import { instanceOf } from "./instance.js";
import { percentile } from "./report.js";

const INSTANCE = "00000000-0000-4000-8000-000000000001";
const START = Date.UTC(2023, 0, 1);
const FIRST = ["ada", "grace", "alan", "edsger", "barbara", "donald", "linus", "margaret", "ken", "dennis"];
const LAST = [
  "lovelace",
  "hopper",
  "turing",
  "dijkstra",
  "liskov",
  "knuth",
  "torvalds",
  "hamilton",
  "thompson",
  "ritchie",
];
const DOMAINS = ["acme.com", "globex.net", "initech.org"];
const time = (n) => new Date(START + n * 1000).toISOString();
const warn = (message) => console.error(message);

const tasks = { make, signIns, writes, open, parse, busy, searches };

process.once("message", ({ task, ...options }) => {
  tasks[task](options).then(
    (result) => process.send({ result }, () => process.exit(0)),
    (error) => process.send({ error: error.stack }, () => process.exit(1)),
  );
});

async function make({ path, users, sessions }) {
  const store = await openFileStore(path, { warn });
  const people = Array.from({ length: users }, (_, n) => user(n));
  await store.replace({
    instances: [instanceOf(INSTANCE, START)],
    personas: [],
    users: people,
    identities: people.map(identity),
    sessions: Array.from({ length: sessions }, (_, n) => session(n, people[(n * 7919) % users], sessions)),
  });
  await store.close();
}

/** @returns the median of one sign-in after the other, in ms, half of them of new users */
async function signIns({ path }) {
  const store = await openFileStore(path, { warn });
  const times = [];
  for (let n = 0; n < 1000; n++) {
    const started = performance.now();
    await store.completeSignIn(arrival(n % 2 === 0 ? 100 + n : 50_000_000 + n));
    times.push(performance.now() - started);
  }
  await store.close();
  return percentile(times, 50);
}

/** @returns durable writes a second, of 64 writers */
async function writes({ path }) {
  const store = await openFileStore(path, { warn });
  const COUNT = 20_000;
  const states = Array.from({ length: COUNT }, state);
  let left = COUNT;
  const started = performance.now();
  await Promise.all(
    Array.from({ length: 64 }, async () => {
      while (left-- > 0) await store.saveState(states[left]);
    }),
  );
  const seconds = (performance.now() - started) / 1000;
  await store.close();
  return COUNT / seconds;
}

async function open({ path }) {
  const started = performance.now();
  const store = await openFileStore(path, { warn });
  const ms = performance.now() - started;
  await store.close();
  return { ms };
}

/** Reads the same file and parses it by `JSON.parse`, in pieces where one string of it would be too long. */
async function parse({ path }) {
  const started = performance.now();
  const bytes = await readFile(path);
  const kept = [];
  const PIECE = 256 << 20;
  for (let start = bytes.indexOf("\n{") + 1; start > 0;) {
    const end = Math.min(start + PIECE, bytes.length);
    const last = bytes.lastIndexOf("},\n", end);
    const stop = last < start ? bytes.lastIndexOf("}\n]", end) : last;
    const text = bytes.toString("utf8", start, stop + 1).replace(/\n\],\n"\w+":\[\n(?:\],\n"\w+":\[\n)*/g, ",");
    kept.push(JSON.parse(`[${text}]`));
    const next = bytes.indexOf("\n{", stop);
    start = next < 0 ? 0 : next + 1;
  }
  return performance.now() - started;
}

/** @returns how late the event loop is, in ms, while one searches, others write, and the journal is compacted */
async function busy({ path }) {
  const store = await openFileStore(path, { warn });
  const query = parseQuery("email:*hopper7*", USER_FIELDS);
  const delays = monitorEventLoopDelay({ resolution: 1 });
  delays.enable();
  const end = performance.now() + 15_000;
  const until = async (work) => {
    while (performance.now() < end) await work();
  };
  let compactions = 0;
  let size = await sizeOf(path);
  const searching = until(async () => {
    for await (const batch of store.users(INSTANCE, { query })) if (batch.length === 0) throw new Error("empty");
    await delay(5);
  });
  const writing = Array.from({ length: 16 }, (_, w) =>
    until(() => store.completeSignIn(arrival(50_000_000 + w * 1_000_000 + Math.floor(Math.random() * 1e6)))),
  );
  const compacting = until(async () => {
    await delay(200);
    const now = await sizeOf(path);
    if (now !== size) compactions++;
    size = now;
  });
  await Promise.all([searching, compacting, ...writing]);
  // By closing it is compacted in any case, which the delays then tell of.
  await store.close();
  delays.disable();
  return { p99: delays.percentile(99) / 1e6, max: delays.max / 1e6, compactions };
}

async function searches({ path }) {
  globalThis.gc();
  const before = process.memoryUsage().rss;
  const store = await openFileStore(path, { warn });
  globalThis.gc();
  const rss = process.memoryUsage().rss - before;
  const found = [];
  for (const query of [
    "email:grace.hopper1@globex.net",
    "email:ada.hopper77*",
    "email:*777@acme.com",
    "email:*hopper777*",
    "name:*hopper*",
  ]) {
    const times = [];
    let rows = 0;
    for (let i = 0; i < 11; i++) {
      rows = 0;
      const started = performance.now();
      for await (const batch of store.users(INSTANCE, { query: parseQuery(query, USER_FIELDS) })) rows += batch.length;
      times.push(performance.now() - started);
    }
    found.push({ query, found: rows, first: times[0], ms: percentile(times.slice(1), 50) });
  }
  const { size } = await stat(path);
  await store.close();
  return { rss, bytes: size, searches: found };
}

async function sizeOf(path) {
  return (await stat(path)).mtimeMs;
}

function user(n) {
  const [first, last] = [FIRST[n % 10], LAST[Math.floor(n / 10) % 10]];
  return {
    id: randomUUID(),
    instance_id: INSTANCE,
    email: `${first}.${last}${n}@${DOMAINS[n % 3]}`,
    name: `${first} ${last}`,
    avatar_url: `https://pictures.test/a/${n}`,
    email_verified_at: time(n),
    password_digest: null,
    created_at: time(n),
    updated_at: time(n),
  };
}

function identity(owner, n) {
  return {
    id: randomUUID(),
    instance_id: INSTANCE,
    user_id: owner.id,
    provider: "google",
    uid: String(1_000_000_000 + n),
    email: owner.email,
    email_verified: true,
    access_token: null,
    refresh_token: null,
    token_expires_at: null,
    created_at: owner.created_at,
    updated_at: owner.updated_at,
  };
}

function session(n, owner, count, id = randomUUID()) {
  return {
    id,
    session_id: `svc_session_${id}`,
    instance_id: INSTANCE,
    user_id: owner.id,
    provider: "google",
    name: owner.name,
    email: owner.email,
    ip_address: `10.0.${n % 256}.${Math.floor(n / 256) % 256}`,
    geo_data: {},
    logged_in_at: time(n),
    last_signin_at: time((n * 31) % count),
    revoked_at: null,
    created_at: time(n),
  };
}

function state() {
  const now = Date.now();
  return {
    state: (randomUUID() + randomUUID()).replaceAll("-", ""),
    instance_id: INSTANCE,
    provider: "google",
    redirect_uri: "http://localhost:3000/callback",
    code_verifier: null,
    binding: null,
    created_at: new Date(now).toISOString(),
    expires_at: new Date(now + 600_000).toISOString(),
  };
}

/** Whoever has the n-th google account signs in, for the first time or again. */
function arrival(n) {
  const email = user(n).email;
  const now = new Date().toISOString();
  return {
    instance_id: INSTANCE,
    provider: "google",
    uid: String(1_000_000_000 + n),
    email,
    ip_address: "127.0.0.1",
    resolveUser({ known }) {
      const who = known ? { ...known.user, updated_at: now } : { ...user(n), created_at: now };
      return { user: who, identity: known ? { ...known.identity, updated_at: now } : identity(who, n) };
    },
    openSession: (who, active) =>
      active ? { ...active, last_signin_at: now } : { ...session(n, who, 1), last_signin_at: now },
  };
}
