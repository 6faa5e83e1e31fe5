// What requests wait for while others write: verifications and searches beside sign-ins. Part of `npm run bench`; by itself, after `npm run build`: `node bench/beside.js [rounds]`.
import { join } from "node:path";
import { Connection, keyHeaders, signIns, tokenOf } from "./flow.js";
import { inDirectory, withUsers } from "./growth.js";
import { percentile, report } from "./report.js";

const USERS = 20_000;
const READERS = 4;
const SECONDS = 2;
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
      return rows;
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

function row(name, ours, theirs) {
  const p99 = (times) => percentile(times, 99);
  const text = (times) => `${p99(times).toFixed(1)} ms of ${times.length}`;
  return { name, ratio: p99(ours) / p99(theirs), detail: `${text(ours)} / ${text(theirs)}` };
}

if (process.argv[1] === new URL(import.meta.url).pathname) {
  const rounds = Number(process.argv[2] ?? 9);
  report(`Node ${process.version}, ${rounds} rounds of ${SECONDS} s`, await besideWrites(rounds));
}
