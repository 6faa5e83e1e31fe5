// Whole sign-ins per second against the same on the same packages used plainly, against the same by hand, and against
// `emulate` where it runs: `npm run bench -- sign-in`. Rounds are run in turn, so that a machine that slows down slows all.
// `SVC_BENCH_WARM_UP=300 node bench/sign-in.js 2` shows in a minute that it works, and no figures to believe.
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onSeparateCores } from "./cores.js";
import { startEmulate } from "./emulate.js";
import { signIns } from "./flow.js";
import { otherNodes, runUnder } from "./nodes.js";
import { perSecond, ratioRow, report, withCpu } from "./report.js";
import { cpuOf, start } from "./server.js";

const ROOT = new URL("..", import.meta.url).pathname;
const SECONDS = 2;
/** Until what runs is compiled: in sign-ins, or the slower one would be measured the colder. */
const WARM_UP = Number(process.env.SVC_BENCH_WARM_UP ?? 4_000);

/** Six accounts, all of which can sign in. */
export const PERSONAS = ["ada", "alan", "grace", "mary", "charles", "hedy"].map((id, n) => ({
  id,
  name: id,
  email: `${id}@acme.test`,
  google: { sub: String(1000 + n), email_verified: true },
  github: { id: 2000 + n, login: id, emails: [{ email: `${id}@acme.test`, primary: true, verified: true }] },
}));
export const SEED = { instances: [{ name: "Bench", subdomain: "bench" }], personas: PERSONAS };

/** @returns the rows of the report */
export async function compareSignIns(rounds) {
  const directory = await mkdtemp(join(tmpdir(), "svc-bench-"));
  const servers = [];
  try {
    await writeFile(join(directory, "seed.json"), JSON.stringify(SEED));
    const serve = ["serve", "--port", "0", "--json", "--quiet", "--seed", "seed.json"];
    const svc = await start([join(ROOT, "bin/svc.js"), ...serve], directory);
    servers.push(svc);
    const plain = await start([join(ROOT, "bench/plain.js")], directory);
    servers.push(plain);
    const hand = await start([join(ROOT, "bench/by-hand.js")], directory);
    servers.push(hand);
    const emulate = await startEmulate(directory);
    if (emulate.stop) servers.push(emulate);
    const { instances } = JSON.parse(await readFile(svc.ready.file, "utf8"));
    const options = {
      svc: { ...svc, key: instances[0].secret_key },
      plain: { ...plain, key: plain.ready.secret_key },
      hand: { ...hand, key: hand.ready.secret_key },
      // `emulate` is GitHub, and so must be what it is compared with.
      ...(emulate.stop && {
        github: { ...svc, key: instances[0].secret_key, provider: "github" },
        whole: emulate.whole,
        emulate,
      }),
    };
    const contenders = Object.entries(options);
    for (const [, contender] of contenders) await warmUp(contender);
    const rates = {};
    const cpu = {};
    for (let round = 0; round < rounds; round++)
      for (const [name, contender] of contenders) {
        const { rate, cpuOfOne } = await measure(contender);
        (rates[name] ??= []).push(rate);
        (cpu[name] ??= []).push(cpuOfOne);
      }
    const row = (name, limit, ours, theirs) =>
      withCpu(ratioRow(name, limit, rates[ours], rates[theirs], perSecond), cpu[ours], cpu[theirs]);
    const besideEmulate = (what, limit, theirs) =>
      emulate.missing
        ? { name: what, limit, detail: `left out: ${emulate.missing}` }
        : row(what, limit, "github", theirs);
    return [
      row("whole sign-in, durable / the plain stack", "≥ 0.6", "svc", "plain"),
      row("whole sign-in, durable / by hand on node:http", undefined, "svc", "hand"),
      besideEmulate("whole sign-in at GitHub, durable / emulate and an application, durable", "≥ 1", "whole"),
      besideEmulate("whole sign-in at GitHub, durable / emulate's GitHub alone, in memory", undefined, "emulate"),
    ];
  } finally {
    await Promise.all(servers.map(({ stop }) => stop()));
    await rm(directory, { recursive: true, force: true });
  }
}

/** As many sign-ins for each, in as many parts as it takes. */
async function warmUp(contender) {
  const { most = WARM_UP } = contender;
  for (let done = 0; done < WARM_UP; done += most) {
    await contender.beforeRound?.();
    await signIns({ ...contender, most: Math.min(most, WARM_UP - done), seconds: Infinity });
  }
}

/** Sign-ins per second, and microseconds of the server's CPU time for one. */
async function measure(contender) {
  await contender.beforeRound?.();
  const before = await cpuOf(contender.pid);
  const begun = performance.now();
  const rate = await signIns({ ...contender, seconds: SECONDS });
  const done = (rate * (performance.now() - begun)) / 1000;
  return { rate, cpuOfOne: ((await cpuOf(contender.pid)) - before) / done };
}

if (process.argv[1] === new URL(import.meta.url).pathname) {
  const rounds = Number(process.argv[2] ?? 9);
  let rows;
  const cores = await onSeparateCores(async () => (rows = await compareSignIns(rounds)));
  report(`Node ${process.version}, medians and ranges of ${rounds} rounds, 16 sign-ins at once; ${cores}`, rows);
  const directory = await mkdtemp(join(tmpdir(), "svc-bench-"));
  try {
    for (const version of otherNodes()) await runUnder(version, process.argv.slice(1), directory);
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}
