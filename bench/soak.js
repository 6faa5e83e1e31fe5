// Leaves a server under an even load and looks for a trend: `npm run bench -- soak [minutes] [store]`.
// The store is a file unless another is named, such as postgres://ada@localhost/svc, which must be empty.
import { spawn } from "node:child_process";
import { mkdtemp, readFile, readdir, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as delay } from "node:timers/promises";
import { median } from "./report.js";

const SVC = new URL("../bin/svc.js", import.meta.url).pathname;
const MINUTES = Number(process.argv[2] ?? 60);
const FLOWS_PER_SECOND = Number(process.env.SVC_SOAK_RATE ?? 40);
const SAMPLES = 60;
const HEAP = new URL("heap.js", import.meta.url).href;
const PEOPLE = 2_000;
const SECRET_KEY = "sk_soak_0123456789abcdefghijklmnopqrstuvwxyz";
const APP = "http://localhost:3000/callback";

const directory = await mkdtemp(join(tmpdir(), "svc-soak-"));
const store = process.argv[3] ?? join(directory, "db.json");
const { child, url } = await startServer();
const times = { authorize: [], callback: [], verify: [], search: [] };
let failures = 0;
let flows = 0;
try {
  const end = performance.now() + MINUTES * 60_000;
  const load = run(end);
  const samples = await sample(end);
  await load;
  report(samples);
} finally {
  child.kill("SIGTERM");
  await new Promise((resolve) => child.once("exit", resolve));
  await rm(directory, { recursive: true, force: true });
}

async function startServer() {
  const personas = Array.from({ length: PEOPLE }, (_, n) => ({
    id: `p${n}`,
    name: `Person ${n}`,
    email: `p${n}@acme.test`,
    google: { sub: String(n), email_verified: true },
  }));
  const instances = [{ name: "Acme", subdomain: "acme", secret_key: SECRET_KEY }];
  const seed = join(directory, "seed.json");
  await writeFile(seed, JSON.stringify({ instances, personas }));
  const args = ["serve", "--port", "0", "--json", "--quiet", "--metrics", "--seed", seed, "--store", store];
  const server = spawn(process.execPath, ["--expose-gc", "--import", HEAP, SVC, ...args], {
    cwd: directory,
    stdio: ["ignore", "pipe", "inherit", "ipc"],
  });
  const line = await new Promise((resolve, reject) => {
    createInterface({ input: server.stdout }).on("line", resolve);
    server.once("exit", () => reject(new Error("svc serve did not start")));
  });
  return { child: server, url: JSON.parse(line).url };
}

/** As many sign-ins a second as are asked for, however long each takes; each is followed by what applications do. */
async function run(end) {
  const started = performance.now();
  const running = new Set();
  for (let n = 0; performance.now() < end; n++) {
    await delay(Math.max(0, started + (n * 1000) / FLOWS_PER_SECOND - performance.now()));
    const one = flow(n % PEOPLE)
      .catch(() => failures++)
      .finally(() => running.delete(one));
    running.add(one);
  }
  await Promise.all(running);
}

async function flow(person) {
  const query = new URLSearchParams({ provider: "google", redirect_uri: APP, login_hint: `p${person}` });
  const begun = await ask("authorize", `${url}/oauth/authorize?${query}`);
  const picked = await ask(undefined, begun.headers.get("location"));
  const done = await ask("callback", picked.headers.get("location"));
  const token = new URL(done.headers.get("location")).searchParams.get("token");
  const headers = { "x-service-secret-key": SECRET_KEY, "content-type": "application/json" };
  const verified = await ask("verify", `${url}/api/v1/tokens/verify`, {
    method: "POST",
    headers,
    body: JSON.stringify({ token }),
  });
  if (person % 10 === 0) {
    await ask("search", `${url}/api/v1/users/search?query=${encodeURIComponent(`email:p${person}*`)}`, { headers });
    await ask(undefined, `${url}/api/v1/users/${verified.body.id}`, { method: "DELETE", headers });
  }
  flows++;
}

async function ask(name, address, init = {}) {
  const started = performance.now();
  const answer = await fetch(address, { redirect: "manual", ...init });
  const text = await answer.text();
  if (name) times[name].push(performance.now() - started);
  if (answer.status >= 400) throw new Error(`${answer.status} ${text}`);
  return { headers: answer.headers, body: text === "" ? undefined : JSON.parse(text) };
}

async function sample(end) {
  const samples = [];
  const every = (MINUTES * 60_000) / SAMPLES;
  while (performance.now() < end) {
    await delay(every);
    const status = await readFile(`/proc/${child.pid}/status`, "utf8");
    const fds = await readdir(`/proc/${child.pid}/fd`);
    const journal = await stat(join(directory, "db.journal")).catch(() => undefined);
    const window = Object.fromEntries(Object.keys(times).map((name) => [name, p99(times[name].splice(0))]));
    samples.push({
      heap: (await heapUsed()) / 2 ** 20,
      memory: Number(/VmRSS:\s+(\d+)/.exec(status)[1]) / 1024,
      handles: fds.length,
      journal: (journal?.size ?? 0) / 1024,
      ...window,
    });
  }
  return samples;
}

/** What the server keeps once its garbage is collected, in bytes. */
function heapUsed() {
  return new Promise((resolve) => {
    child.once("message", (memory) => resolve(memory.heapUsed));
    child.send("");
  });
}

function p99(values) {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length * 0.99)] ?? 0;
}

/** The middle of the run against its end: the beginning only warms up. */
function report(samples) {
  const third = Math.floor(samples.length / 3);
  const [middle, last] = [samples.slice(third, 2 * third), samples.slice(2 * third)];
  console.log(
    `\nNode ${process.version}, ${MINUTES} minutes, ${flows} sign-ins, ${failures} failures; medians of thirds\n`,
  );
  const rows = {
    heap: "MiB after garbage collection",
    memory: "MiB",
    handles: "",
    journal: "KiB",
    authorize: "ms p99",
    callback: "ms p99",
    verify: "ms p99",
  };
  for (const [name, unit] of Object.entries({ ...rows, search: "ms p99" })) {
    const of = (part) => median(part.map((one) => one[name])).toFixed(1);
    const most = Math.max(...samples.map((one) => one[name])).toFixed(1);
    console.log(
      `${name.padEnd(10)} first ${of(samples.slice(0, third))}  middle ${of(middle)}  last ${of(last)}  most ${most} ${unit}`,
    );
  }
}
