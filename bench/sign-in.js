// Whole sign-ins per second against the same by hand, and against `emulate` where it runs: `npm run bench:sign-in`.
// Rounds are run in turn, so that a machine that slows down slows all.
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { installEmulate } from "./emulate.js";
import { chooseAccount, signIns, signInUnverified } from "./flow.js";
import { median, perSecond, ratioRow, report } from "./report.js";
import { cpuOf, start } from "./server.js";

const ROOT = new URL("..", import.meta.url).pathname;
const SECONDS = 2;
/** Until what runs is compiled: in sign-ins, or the slower one would be measured the colder. */
const WARM_UP = 4_000;
const WARM_UP_SECONDS = 60;

/** Six accounts, all of which can sign in. */
export const PERSONAS = ["ada", "alan", "grace", "mary", "charles", "hedy"].map((id, n) => ({
  id,
  name: id,
  email: `${id}@acme.test`,
  github: { id: 2000 + n, login: id, emails: [{ email: `${id}@acme.test`, primary: true, verified: true }] },
}));
const SEED = { instances: [{ name: "Bench", subdomain: "bench" }], personas: PERSONAS };

/** @returns the rows of the report */
export async function compareSignIns(rounds) {
  const directory = await mkdtemp(join(tmpdir(), "svc-bench-"));
  const servers = [];
  try {
    await writeFile(join(directory, "seed.json"), JSON.stringify(SEED));
    const serve = ["serve", "--port", "0", "--json", "--quiet", "--seed", "seed.json"];
    const svc = await start([join(ROOT, "bin/svc.js"), ...serve], directory);
    servers.push(svc);
    const hand = await start([join(ROOT, "bench/by-hand.js")], directory);
    servers.push(hand);
    const emulate = await installEmulate(directory);
    const { instances } = JSON.parse(await readFile(join(directory, ".svc/server.json"), "utf8"));
    const contenders = {
      svc: { ...svc, key: instances[0].secret_key },
      hand: { ...hand, key: hand.ready.secret_key },
    };
    const rates = { svc: [], hand: [], emulate: [] };
    const cpu = { svc: [], hand: [] };
    const callbacks = [];
    for (const options of Object.values(contenders))
      await signIns({ ...options, seconds: WARM_UP_SECONDS, most: WARM_UP });
    for (let round = 0; round < rounds; round++) {
      for (const [name, options] of Object.entries(contenders)) {
        const { rate, cpuOfOne } = await measure(options);
        rates[name].push(rate);
        cpu[name].push(cpuOfOne);
      }
      if (emulate.rate) rates.emulate.push(await emulate.rate());
    }
    // Apart, because it leaves as many sign-ins unfinished.
    for (let round = 0; round < rounds; round++) {
      const unverified = await measure({ ...contenders.svc, signIn: signInUnverified });
      const chosen = await measure({ ...contenders.svc, signIn: chooseAccount });
      callbacks.push(unverified.cpuOfOne - chosen.cpuOfOne);
    }
    const micros = (value) => `${Math.round(value)} µs`;
    const withEmulate = "whole sign-in, durable / emulate, in memory";
    return [
      ratioRow("whole sign-in, durable / by hand on node:http", "≥ 0.5", rates.svc, rates.hand, perSecond),
      ratioRow("  CPU time of one", "≤ 2", cpu.svc, cpu.hand, micros),
      {
        name: "  ms of CPU for its callback",
        limit: "≤ 0.3",
        ratio: median(callbacks) / 1000,
        detail: `${micros(Math.min(...callbacks))} to ${micros(Math.max(...callbacks))}`,
      },
      emulate.missing
        ? { name: withEmulate, limit: "≥ 1.5", detail: `left out: ${emulate.missing}` }
        : ratioRow(withEmulate, "≥ 1.5", rates.svc, rates.emulate, perSecond),
    ];
  } finally {
    await Promise.all(servers.map(({ stop }) => stop()));
    await rm(directory, { recursive: true, force: true });
  }
}

/** Sign-ins per second, and microseconds of the server's CPU time for one. */
async function measure(options) {
  const before = await cpuOf(options.pid);
  const rate = await signIns({ ...options, seconds: SECONDS });
  return { rate, cpuOfOne: ((await cpuOf(options.pid)) - before) / (rate * SECONDS) };
}

if (process.argv[1] === new URL(import.meta.url).pathname) {
  const rounds = Number(process.argv[2] ?? 9);
  const rows = await compareSignIns(rounds);
  report(`Node ${process.version}, medians and ranges of ${rounds} rounds, 16 sign-ins at once`, rows);
}
