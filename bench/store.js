// Measures the file store, as ratios within one run: `npm run bench -- store`. It takes some minutes and 4 GB.
import { fork } from "node:child_process";
import { mkdtemp, open, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { build } from "esbuild";
import { median, report } from "./report.js";

const ROOT = new URL("..", import.meta.url).pathname;
const ROUNDS = 3;
const [SMALL, LARGE, MANY_USERS, MANY_SESSIONS] = [1000, 100_000, 1_000_000, 1_000_000];

const directory = await mkdtemp(join(tmpdir(), "svc-bench-"));
const rows = [];
try {
  const worker = await bundle();
  const run = (task, options = {}) => inProcess(worker, { task, ...options });
  await signIns(run);
  await writers(run);
  await start(run);
  await manyUsers(run);
} finally {
  await rm(directory, { recursive: true, force: true });
}
report(`Node ${process.version}, medians of ${ROUNDS} rounds`, rows);

/** What a sign-in costs must not depend on who else is there. */
async function signIns(run) {
  const [small, large] = [join(directory, "small/db.json"), join(directory, "large/db.json")];
  await run("make", { path: small, users: SMALL, sessions: SMALL });
  await run("make", { path: large, users: LARGE, sessions: LARGE });
  const times = { small: [], large: [] };
  for (let i = 0; i < ROUNDS; i++) {
    times.small.push(await run("signIns", { path: small }));
    times.large.push(await run("signIns", { path: large }));
  }
  row("an acknowledged sign-in, 100,000 users / 1,000", median(times.large) / median(times.small), "≤ 1.2", {
    ms: [median(times.large), median(times.small)],
  });
}

async function writers(run) {
  const ours = [];
  const bare = [];
  for (let i = 0; i < ROUNDS; i++) {
    ours.push(await run("writes", { path: join(directory, `writes${i}/db.json`) }));
    bare.push(await bareWrites(join(directory, `bare${i}`)));
  }
  const text = `${median(ours).toFixed(0)} / ${median(bare).toFixed(0)} a second`;
  rows.push({
    name: "64 concurrent durable writes / bare loop",
    ratio: median(ours) / median(bare),
    limit: "≥ 0.5",
    detail: text,
  });
}

async function start(run) {
  const path = join(directory, "start/db.json");
  await run("make", { path, users: LARGE, sessions: MANY_SESSIONS });
  const times = { open: [], parse: [] };
  for (let i = 0; i < ROUNDS; i++) {
    times.open.push((await run("open", { path })).ms);
    times.parse.push(await run("parse", { path }));
  }
  row("start, 100,000 users and 1,000,000 sessions / JSON.parse", median(times.open) / median(times.parse), "≤ 2", {
    ms: [median(times.open), median(times.parse)],
  });
  const { p99 } = await run("busy", { path });
  rows.push({
    name: "event loop delay, p99, search + compaction + writes",
    ratio: p99,
    limit: "≤ 50",
    detail: "ms",
  });
}

async function manyUsers(run) {
  const path = join(directory, "many/db.json");
  await run("make", { path, users: MANY_USERS, sessions: 0 });
  const { rss, bytes, searches } = await run("searches", { path });
  rows.push({
    name: "KB of memory for a user with its identity",
    ratio: rss / MANY_USERS / 1000,
    limit: "≤ 1.5",
    detail: `${(rss / 1e6).toFixed(0)} MB for ${MANY_USERS}, from a db.json of ${(bytes / 1e6).toFixed(0)} MB`,
  });
  for (const { query, found, ms, first } of searches)
    console.log(
      `  ${query.padEnd(44)} ${ms.toFixed(2).padStart(8)} ms, ${found} rows (the first time ${first.toFixed(0)} ms)`,
    );
}

function row(name, ratio, limit, { ms: [ours, other] }) {
  rows.push({ name, ratio, limit, detail: `${ours.toFixed(2)} / ${other.toFixed(2)} ms` });
}

/** Lines as long as ours, by 64 writers who wait for one sync together. */
async function bareWrites(path) {
  const handle = await open(path, "w");
  const line = Buffer.from(`${"x".repeat(420)}\n`);
  let waiting = [];
  let isWriting = false;
  const drain = async () => {
    isWriting = true;
    while (waiting.length > 0) {
      const group = waiting;
      waiting = [];
      await handle.write(Buffer.concat(group.map(() => line)));
      await handle.datasync();
      for (const done of group) done();
    }
    isWriting = false;
  };
  const write = () =>
    new Promise((resolve) => {
      waiting.push(resolve);
      if (!isWriting) queueMicrotask(() => void drain());
      isWriting = true;
    });
  const COUNT = 20_000;
  const started = performance.now();
  let left = COUNT;
  await Promise.all(
    Array.from({ length: 64 }, async () => {
      while (left-- > 0) await write();
    }),
  );
  const seconds = (performance.now() - started) / 1000;
  await handle.close();
  return COUNT / seconds;
}

/** Each task in a process of its own, so that none inherits the other's memory. */
function inProcess(worker, message) {
  return new Promise((resolve, reject) => {
    const child = fork(worker, { execArgv: ["--expose-gc", "--max-old-space-size=8000"] });
    child.once("message", ({ error, result }) => (error === undefined ? resolve(result) : reject(new Error(error))));
    child.once("exit", (code) => code !== 0 && reject(new Error(`${message.task} ended with ${code}`)));
    child.send(message);
  });
}

/** The store is no entry of the package, so its sources are bundled with the tasks. */
async function bundle() {
  const outfile = join(ROOT, "node_modules/.cache/svc-bench/store-tasks.mjs");
  await build({
    entryPoints: [join(ROOT, "bench/store-tasks.js")],
    outfile,
    bundle: true,
    platform: "node",
    format: "esm",
    packages: "external",
    logLevel: "error",
  });
  return outfile;
}
