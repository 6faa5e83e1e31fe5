// What one whole sign-in costs in things that can be counted: `npm run bench -- counts`. They vary far less than time, and say
// whether a change was one. Promises, syncs and stats are counted in one run, memory in another, as counting takes memory.
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { signIns } from "./flow.js";
import { start } from "./server.js";
import { SEED } from "./sign-in.js";

const ROOT = new URL("..", import.meta.url).pathname;
const WARM_UP = 1_000;
const COUNTED = 500;
/** Of one sign-in at once, no two share a sync. */
const LANES = 1;

const CONTENDERS = {
  svc: [join(ROOT, "bin/svc.js"), "serve", "--port", "0", "--json", "--quiet", "--seed", "seed.json"],
  plain: [join(ROOT, "bench/plain.js")],
};

const directory = await mkdtemp(join(tmpdir(), "svc-bench-"));
try {
  await writeFile(join(directory, "seed.json"), JSON.stringify(SEED));
  console.log(`\nNode ${process.version}, for one sign-in, on average over ${COUNTED}, one at a time\n`);
  for (const [name, argv] of Object.entries(CONTENDERS)) {
    const counted = await countsOf(argv);
    const memory = await memoryOf(argv);
    const row = Object.entries({ ...counted, ...memory }).map(([what, value]) => `${value.toFixed(1)} ${what}`);
    console.log(`${name.padEnd(8)} ${row.join(", ")}`);
  }
} finally {
  await rm(directory, { recursive: true, force: true });
}

/** @returns promises, syncs and stats */
async function countsOf(argv) {
  const file = join(directory, "counts.json");
  process.env.SVC_BENCH_COUNTS = file;
  const server = await start(["--import", join(ROOT, "bench/counts-preload.js"), ...argv], directory);
  const read = async () => {
    await rm(file, { force: true });
    process.kill(server.pid, "SIGUSR2");
    for (;;) {
      const text = await readFile(file, "utf8").catch(() => "");
      if (text.endsWith("}")) return JSON.parse(text);
      await delay(10);
    }
  };
  const run = await runner(server);
  await run(WARM_UP);
  const before = await read();
  await run(COUNTED);
  const after = await read();
  await server.stop();
  return Object.fromEntries(Object.entries(after).map(([what, n]) => [what, (n - before[what]) / COUNTED]));
}

/** @returns KiB that were allocated, and that outlived two collections of the young generation, by V8's own trace */
async function memoryOf(argv) {
  const server = await start(["--trace-gc-nvp", ...argv], directory);
  let text = "";
  server.stdout.on("data", (piece) => (text += piece));
  const run = await runner(server);
  await run(WARM_UP);
  text = "";
  await run(COUNTED);
  await server.stop();
  const sum = (name) => {
    const found = [...text.matchAll(new RegExp(`\\b${name}=(\\d+)`, "g"))];
    return found.reduce((total, [, bytes]) => total + Number(bytes), 0) / COUNTED / 1024;
  };
  return { "KiB allocated": sum("allocated"), "KiB promoted": sum("promoted") };
}

async function runner(server) {
  const { file, secret_key } = server.ready;
  const key = secret_key ?? JSON.parse(await readFile(file, "utf8")).instances[0].secret_key;
  return (most) => signIns({ ...server, key, lanes: LANES, seconds: Infinity, most });
}
