// What requests cost as a server holds more: outstanding sign-ins, typed accounts, and users. Part of `npm run bench`; by
// itself: `node bench/growth.js`, with LARGE=1000000 for more users.
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { APP, pickerOf, signIns } from "./flow.js";
import { load, request } from "./load.js";
import { perSecond, ratioRow, report } from "./report.js";
import { memoryOf, start } from "./server.js";
import { PERSONAS } from "./sign-in.js";

const SVC = new URL("../bin/svc.js", import.meta.url).pathname;
const SERVE = [SVC, "serve", "--port", "0", "--json", "--quiet"];
const SMALL = 1_000;
const LARGE = Number(process.env.LARGE ?? 100_000);
const WARM_UP_SECONDS = 3;
/** Accounts on one page of the picker. */
const A_PAGE = 10;
/** By then V8 has given back the room that new objects took, however much is kept of them: on newer Nodes 100 MB. */
const QUIET_MS = 20_000;

/** @returns the rows of the report: what sign-ins cost when 50,000 are outstanding, and the picker with 1,000 typed accounts */
export async function growthOfStates(rounds) {
  return inDirectory(async (directory) => {
    const [few, many] = [await contender(directory), await contender(directory)];
    // So that both show a whole page, and a link to the next.
    await load({ port: few.port, requests: few.typed.slice(0, A_PAGE), expected: 302 });
    await load({ port: many.port, requests: many.typed, expected: 302 });
    await delay(QUIET_MS);
    const before = await memoryOf(many.pid);
    let outstanding = 0;
    while (outstanding < 50_000) outstanding += 1.5 * (await load({ ...many, requests: many.begin, expected: 302 }));
    await delay(QUIET_MS);
    const bytes = ((await memoryOf(many.pid)) - before) / Math.min(outstanding, 50_000);
    const rates = { begin: { few: [], many: [] }, picker: { few: [], many: [] } };
    for (let i = 0; i < rounds; i++)
      for (const [name, { port, begin, picker }] of Object.entries({ few, many })) {
        rates.begin[name].push(await load({ port, requests: begin, expected: 302, seconds: 0.5 }));
        rates.picker[name].push(await load({ port, requests: picker }));
      }
    await Promise.all([few.stop(), many.stop()]);
    const { begin, picker } = rates;
    return [
      ratioRow("/oauth/authorize, 50,000 outstanding / few", "≥ 0.9", begin.many, begin.few, perSecond),
      ratioRow(`picker, 1,000 accounts typed in / ${A_PAGE}`, "≥ 0.9", picker.many, picker.few, perSecond),
      { name: "  kB of memory for an outstanding sign-in", limit: "≤ 3", ratio: bytes / 1000, detail: "at most" },
    ];
  });
}

/** @returns the rows of the report: whole sign-ins, durable, among few users and among many, and what a user takes */
export async function growthOfUsers(rounds) {
  return inDirectory(async (directory) => {
    const servers = {};
    for (const [name, count] of Object.entries({ small: SMALL, large: LARGE }))
      servers[name] = await withUsers(join(directory, `${name}.json`), directory, count);
    const { small, large } = servers;
    const aUser = async () => ((await memoryOf(large.pid)) - (await memoryOf(small.pid))) / (LARGE - SMALL) / 1000;
    const atStart = await aUser();
    await delay(QUIET_MS);
    const memory = { ratio: await aUser(), detail: `${atStart.toFixed(2)} right after the start` };
    const rates = { small: [], large: [] };
    for (const server of [small, large]) await signIns({ ...server, seconds: WARM_UP_SECONDS });
    for (let i = 0; i < rounds; i++)
      for (const [name, server] of Object.entries(servers)) rates[name].push(await signIns(server));
    await Promise.all([small.stop(), large.stop()]);
    const of = (count) => count.toLocaleString("en");
    return [
      ratioRow(`whole sign-in, ${of(LARGE)} users / ${of(SMALL)}`, "≥ 0.9", rates.large, rates.small, perSecond),
      { name: "  kB of memory for a user with an identity", limit: "≤ 1.5", ...memory },
    ];
  });
}

/** A server on a store with so many users, as it is after a start: what read the seed has ended. */
export async function withUsers(store, directory, count) {
  const seed = `${store}.seed`;
  const users = Array.from({ length: count }, (_, n) => ({
    email: `user${n}@acme.test`,
    name: `User Number ${n}`,
    identities: [{ provider: "google", uid: String(1_000_000_000 + n), email: `user${n}@acme.test` }],
  }));
  const instances = [{ name: "Bench", subdomain: "bench", users }];
  await writeFile(seed, JSON.stringify({ instances, personas: PERSONAS }));
  const seeded = await start([...SERVE, "--store", store, "--seed", seed], directory);
  await seeded.stop();
  const server = await start([...SERVE, "--store", store], directory);
  const file = JSON.parse(await readFile(server.ready.file, "utf8"));
  return { ...server, key: file.instances[0].secret_key };
}

/** A server, and requests that begin sign-ins, show a picker, and type accounts in. */
async function contender(directory) {
  const server = await start([...SERVE, "--store", "memory"], directory);
  const { port } = server;
  const begin = `/oauth/authorize?provider=github&redirect_uri=${encodeURIComponent(APP)}`;
  const picker = await pickerOf(server);
  const typed = (n) => request("GET", `${picker}&email=typed${n}%40acme.test`, port);
  return {
    ...server,
    begin: [request("GET", begin, port)],
    picker: [request("GET", picker, port)],
    typed: Array.from({ length: 1000 }, (_, n) => typed(n)),
  };
}

export async function inDirectory(work) {
  const directory = await mkdtemp(join(tmpdir(), "svc-bench-"));
  try {
    return await work(directory);
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

if (process.argv[1] === new URL(import.meta.url).pathname) {
  const rounds = Number(process.argv[2] ?? 9);
  const rows = [...(await growthOfStates(rounds)), ...(await growthOfUsers(rounds))];
  report(`Node ${process.version}, medians and ranges of ${rounds} rounds`, rows);
}
