// What requests wait for while others write: verifications and searches beside sign-ins, and sign-ins while the journal is
// compacted. Part of `npm run bench`; by itself, after `npm run build`: `node bench/beside.js [rounds]`.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { Connection, keyHeaders, signIns, tokenOf } from "./flow.js";
import { inDirectory, withUsers } from "./growth.js";
import { percentile, report } from "./report.js";

/** The journal of a document of this size is compacted every few thousand sign-ins. */
const USERS = 20_000;
const READERS = 4;
const SECONDS = 2;
/** For one compaction; a slow disk takes longer than most. */
const MOST_SECONDS = 120;
const WARM_UP_SECONDS = 3;

/** @returns the rows of the report */
export async function besideWrites(rounds) {
  return inDirectory(async (directory) => {
    const server = await withUsers(join(directory, "db.json"), directory, USERS);
    try {
      await signIns({ ...server, seconds: WARM_UP_SECONDS });
      const token = await tokenOf(server);
      const reads = {
        "verify, token seen before": ["POST", "/api/v1/tokens/verify", JSON.stringify({ token })],
        "users/search of 3 letters": ["GET", "/api/v1/users/search?query=email%3A*777*&limit=20", ""],
      };
      const rows = [];
      for (const [name, read] of Object.entries(reads)) rows.push(await readBesideWrites(name, server, read, rounds));
      return [...rows, await signInsBesideCompaction(server, join(directory, "db.journal.old"), rounds)];
    } finally {
      await server.stop();
    }
  });
}

async function readBesideWrites(name, server, read, rounds) {
  const times = { alone: [], beside: [] };
  for (let i = 0; i < rounds; i++) {
    times.alone.push(...(await timesOf(server, read)));
    const writing = signIns({ ...server, seconds: SECONDS });
    times.beside.push(...(await timesOf(server, read)));
    await writing;
  }
  return row(`${name}, p99 beside 16 sign-ins / alone`, times.beside, times.alone);
}

/** How long reads take, in ms, of some clients that ask again at once. */
async function timesOf({ port, key }, [method, path, body]) {
  const times = [];
  const end = performance.now() + SECONDS * 1000;
  await Promise.all(
    Array.from({ length: READERS }, async () => {
      const connection = new Connection(port);
      while (performance.now() < end) {
        const begun = performance.now();
        const answer = await connection.request(method, path, keyHeaders(key), body);
        if (answer.status !== 200) throw new Error(`${answer.status}: ${answer.body}`);
        times.push(performance.now() - begun);
      }
      connection.close();
    }),
  );
  return times;
}

/** @param old the file that is there while the journal is compacted */
async function signInsBesideCompaction(server, old, wanted) {
  const compactions = [];
  const done = [];
  const isEnough = () => compactions.filter(({ end }) => end !== undefined).length >= wanted;
  const watch = new AbortController();
  const watching = watchFile(old, compactions, watch.signal);
  await signIns({
    ...server,
    seconds: MOST_SECONDS * wanted,
    isEnough,
    note: (begin, end) => void done.push({ begin, end }),
  });
  watch.abort();
  await watching;
  const isBeside = ({ begin, end }) => compactions.some((one) => begin < (one.end ?? Infinity) && end > one.begin);
  const timesOfAll = (all) => all.map(({ begin, end }) => end - begin);
  const beside = timesOfAll(done.filter(isBeside));
  const between = timesOfAll(done.filter((one) => !isBeside(one)));
  const name = `sign-in, p99 in ${compactions.length} compactions / between`;
  if (beside.length === 0) return { name, detail: `none in ${MOST_SECONDS * wanted} s` };
  return row(name, beside, between);
}

/** Notes when a file is there. */
async function watchFile(path, periods, signal) {
  let isThere = false;
  while (!signal.aborted) {
    const now = performance.now();
    if (existsSync(path) !== isThere) {
      isThere = !isThere;
      if (isThere) periods.push({ begin: now });
      else periods.at(-1).end = now;
    }
    await delay(1);
  }
}

function row(name, ours, theirs) {
  const p99 = (times) => percentile(times, 99);
  const text = (times) => `${p99(times).toFixed(1)} ms of ${times.length}`;
  return { name, ratio: p99(ours) / p99(theirs), detail: `${text(ours)} / ${text(theirs)}` };
}

if (process.argv[1] === new URL(import.meta.url).pathname) {
  const rounds = Number(process.argv[2] ?? 9);
  report(`Node ${process.version}, ${rounds} rounds of ${SECONDS} s`, await besideWrites(rounds));
}
