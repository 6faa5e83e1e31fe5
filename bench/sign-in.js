// Whole sign-ins per second against the same by hand: `npm run bench:sign-in`.
// Rounds are run in turn and medians taken, so that a machine that slows down slows both.
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { signIns } from "./flow.js";
import { median, report } from "./report.js";
import { start } from "./server.js";

const ROOT = new URL("..", import.meta.url).pathname;
const ROUNDS = Number(process.argv[2] ?? 9);

/** Six accounts, all of which can sign in. */
const SEED = {
  instances: [{ name: "Bench", subdomain: "bench" }],
  personas: ["ada", "alan", "grace", "mary", "charles", "hedy"].map((id, n) => ({
    id,
    name: id,
    email: `${id}@acme.test`,
    github: { id: 2000 + n, login: id, emails: [{ email: `${id}@acme.test`, primary: true, verified: true }] },
  })),
};

const directory = await mkdtemp(join(tmpdir(), "svc-bench-"));
try {
  await writeFile(join(directory, "seed.json"), JSON.stringify(SEED));
  const svc = await start(
    [join(ROOT, "bin/svc.js"), "serve", "--port", "0", "--json", "--quiet", "--seed", "seed.json"],
    directory,
  );
  const hand = await start([join(ROOT, "bench/by-hand.js")], directory);
  const { instances } = JSON.parse(await readFile(join(directory, ".svc/server.json"), "utf8"));
  const ours = { port: svc.port, key: instances[0].secret_key };
  const theirs = { port: hand.port, key: hand.ready.secret_key };
  const rates = { ours: [], theirs: [] };
  await signIns({ ...ours, seconds: 1 });
  await signIns({ ...theirs, seconds: 1 });
  for (let round = 0; round < ROUNDS; round++) {
    rates.ours.push(await signIns(ours));
    rates.theirs.push(await signIns(theirs));
  }
  await Promise.all([svc.stop(), hand.stop()]);
  const ratios = rates.ours.map((rate, round) => rate / rates.theirs[round]);
  report(`Node ${process.version}, medians of ${ROUNDS} rounds, 16 sign-ins at once`, [
    {
      name: "whole sign-in, durable / by hand on node:http",
      ratio: median(ratios),
      limit: "≥ 0.5",
      detail: `${Math.round(median(rates.ours))} / ${Math.round(median(rates.theirs))} per second, ratios ${Math.min(...ratios).toFixed(2)} to ${Math.max(...ratios).toFixed(2)}`,
    },
  ]);
} finally {
  await rm(directory, { recursive: true, force: true });
}
