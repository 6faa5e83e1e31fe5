// Measures what a promise is made of, as ratios within one run: `npm run bench`. Pairs are run in turn, so that a machine
// that slows down slows both; beside each median is the range of the rounds, which is the machine's noise.
// It measures the Node that runs it, and then those of SVC_NODES (`24` unless set), which npm has as packages.
import { spawn } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SignJWT } from "jose";
import { besideWrites } from "./beside.js";
import { onSeparateCores } from "./cores.js";
import { growthOfStates, growthOfUsers } from "./growth.js";
import { load, request } from "./load.js";
import { otherNodes, runUnder } from "./nodes.js";
import { perSecond, ratioRow, report, withCpu } from "./report.js";
import { cpuOf, memoryOf, plainEnv, start as startServer } from "./server.js";
import { compareSignIns } from "./sign-in.js";

const ROOT = new URL("..", import.meta.url).pathname;
const SVC = join(ROOT, "bin/svc.js");
const ROUNDS = Number(process.env.SVC_BENCH_ROUNDS ?? 9);
const STARTS = 15;
const SECONDS = 1.5;
const WARM_UP_SECONDS = 3;

const directory = await mkdtemp(join(tmpdir(), "svc-bench-"));
const rows = [];
try {
  await startUp();
  const cores = await onSeparateCores(async () => {
    await throughput();
    for (const part of [compareSignIns, growthOfStates, growthOfUsers, besideWrites])
      rows.push(...(await part(ROUNDS)));
  });
  report(`Node ${process.version}, medians and ranges of ${STARTS} starts and ${ROUNDS} rounds; ${cores}`, rows);
  for (const version of otherNodes()) await runUnder(version, process.argv.slice(1), directory);
} finally {
  await rm(directory, { recursive: true, force: true });
}

async function startUp() {
  const times = { node: [], version: [], bare: [], serve: [], search: [] };
  const memory = { bare: [], serve: [] };
  await firstAnswer([SVC, "serve", "--port", "0", "--json"]); // makes the store, which the next starts only read
  for (let i = 0; i < STARTS; i++) {
    for (const [name, argv] of [
      ["bare", [join(ROOT, "bench/bare.js")]],
      ["serve", [SVC, "serve", "--port", "0", "--json"]],
    ]) {
      const { ms, rss } = await firstAnswer(argv, i % 5 === 0);
      times[name].push(ms);
      if (rss > 0) memory[name].push(rss);
    }
  }
  const warm = await start([SVC, "serve", "--port", "0", "--json", "--quiet"]);
  await wall([SVC, "users", "search", "email:*@acme.test"]);
  for (let i = 0; i < STARTS; i++) {
    times.node.push(await wall(["-e", "0"]));
    times.version.push(await wall([SVC, "--version"]));
    times.search.push(await wall([SVC, "users", "search", "email:*@acme.test"]));
  }
  await warm.stop();
  const isOld = process.version.startsWith("v20.");
  const ms = (value) => `${value.toFixed(0)} ms`;
  const mib = (value) => `${(value / 1024 / 1024).toFixed(0)} MiB`;
  const search = "svc users search, warm server / node -e 0";
  rows.push(
    ratioRow("svc --version / node -e 0", "≤ 1.5", times.version, times.node, ms),
    ratioRow(search, isOld ? "≤ 3.5" : "≤ 3", times.search, times.node, ms),
    ratioRow("svc serve to its first answer / bare", isOld ? "≤ 5" : "≤ 4", times.serve, times.bare, ms),
    ratioRow("idle memory / bare", "≤ 1.5", memory.serve, memory.bare, mib),
  );
}

async function throughput() {
  const svc = await start([SVC, "serve", "--port", "0", "--json", "--quiet", "--store", "memory"]);
  const { instances } = JSON.parse(await readFile(svc.ready.file, "utf8"));
  const [{ secret_key: key, id: instance_id }] = instances;
  const headers = { "X-Service-Secret-Key": key, Accept: "application/json" };
  const withBody = { ...headers, "Content-Type": "application/json" };
  // Each on a connection of its own: while the tokens are made, the server closes one that is kept.
  const ask = async (path, { headers: own = headers, ...init } = {}) =>
    (await fetch(`http://localhost:${svc.port}${path}`, { headers: { ...own, Connection: "close" }, ...init })).json();
  const [user] = await ask("/api/v1/users");
  const tokens = await Promise.all(Array.from({ length: 100_000 }, (_, i) => mint(key, user, instance_id, i)));
  const [token] = tokens;
  const body = JSON.stringify({ token });
  const verified = await ask("/api/v1/tokens/verify", { method: "POST", headers: withBody, body });
  const verify = (port, each) =>
    request("POST", "/api/v1/tokens/verify", port, withBody, JSON.stringify({ token: each }));

  const jose = [
    join(ROOT, "bench/bare.js"),
    JSON.stringify({ kind: "jose", secret: key, answer: JSON.stringify(verified) }),
  ];
  const route = [join(ROOT, "bench/route.js"), JSON.stringify({ user, token, verified })];
  await compare("verify, ever new tokens / node:http with jose", "≥ 0.65", svc, jose, (port) =>
    tokens.map((each) => verify(port, each)),
  );
  const bare = [join(ROOT, "bench/bare.js"), JSON.stringify({ kind: "parse", answer: JSON.stringify(verified) })];
  await compare("verify, token seen before / a bare POST with a parse", "≥ 0.3", svc, bare, (port) => [
    verify(port, token),
  ]);
  await compare("verify, token seen before / a route of h3", "≥ 0.7", svc, route, (port) => [verify(port, token)]);
  await compare("GET users/:id / a route of h3", "≥ 0.7", svc, route, (port) => [
    request("GET", `/api/v1/users/${user.id}`, port, headers),
  ]);
  await svc.stop();
}

/** @param argv what starts the server that it is compared with */
async function compare(name, limit, svc, argv, requestsFor) {
  const peer = await start(argv);
  const contenders = {
    ours: { ...svc, requests: requestsFor(svc.port) },
    theirs: { ...peer, requests: requestsFor(peer.port) },
  };
  const rates = { ours: [], theirs: [] };
  const cpu = { ours: [], theirs: [] };
  for (const contender of Object.values(contenders)) await load({ ...contender, seconds: WARM_UP_SECONDS });
  for (let i = 0; i < ROUNDS; i++)
    for (const [who, contender] of Object.entries(contenders)) {
      const before = await cpuOf(contender.pid);
      const rate = await load({ ...contender, seconds: SECONDS });
      rates[who].push(rate);
      cpu[who].push(((await cpuOf(contender.pid)) - before) / (rate * SECONDS));
    }
  await peer.stop();
  rows.push(withCpu(ratioRow(name, limit, rates.ours, rates.theirs, perSecond), cpu.ours, cpu.theirs));
}

function mint(key, user, instance_id, jitter) {
  const iat = Math.floor(Date.now() / 1000) - 10;
  const claims = {
    iss: "svc",
    sub: user.id,
    email: user.data.email,
    name: `${user.data.name} ${jitter}`,
    avatar_url: "",
    provider: "google",
    instance_id,
    app_id: "bench",
    iat,
    exp: iat + 3600,
  };
  return new SignJWT(claims).setProtectedHeader({ alg: "HS256", typ: "JWT" }).sign(new TextEncoder().encode(key));
}

function wall(argv) {
  return new Promise((resolve, reject) => {
    const from = performance.now();
    spawn(process.execPath, argv, { cwd: directory, stdio: "ignore", env: plainEnv() })
      .once("error", reject)
      .once("exit", () => resolve(performance.now() - from));
  });
}

/** From the spawn to the first answered request. */
async function firstAnswer(argv, withMemory = false) {
  const from = performance.now();
  const { port, pid, stop } = await start(argv);
  await fetch(`http://127.0.0.1:${port}/.well-known/openid-configuration`);
  const ms = performance.now() - from;
  let rss = 0;
  if (withMemory) {
    await new Promise((resolve) => setTimeout(resolve, 1500));
    rss = await memoryOf(pid);
  }
  await stop();
  return { ms, rss };
}

function start(argv) {
  return startServer(argv, directory);
}
