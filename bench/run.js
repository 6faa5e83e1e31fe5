// Measures what a promise is made of, as ratios within one run: `npm run bench`.
// Pairs are run in turn and medians taken, so that a machine that slows down slows both.
import { spawn } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SignJWT } from "jose";
import { load, request } from "./load.js";
import { median, report } from "./report.js";
import { plainEnv, start as startServer } from "./server.js";

const ROOT = new URL("..", import.meta.url).pathname;
const SVC = join(ROOT, "bin/svc.js");
const ROUNDS = 5;
const STARTS = 15;

const directory = await mkdtemp(join(tmpdir(), "svc-bench-"));
const rows = [];
try {
  await startUp();
  await throughput();
} finally {
  await rm(directory, { recursive: true, force: true });
}
report(`Node ${process.version}, medians of ${STARTS} starts and ${ROUNDS} rounds`, rows);

async function startUp() {
  const times = { node: [], version: [], bare: [], serve: [] };
  const memory = { bare: [], serve: [] };
  await firstAnswer([SVC, "serve", "--port", "0", "--json"]); // makes the store, which the next starts only read
  for (let i = 0; i < STARTS; i++) {
    times.node.push(await wall(["-e", "0"]));
    times.version.push(await wall([SVC, "--version"]));
    for (const [name, argv] of [
      ["bare", [join(ROOT, "bench/bare.js")]],
      ["serve", [SVC, "serve", "--port", "0", "--json"]],
    ]) {
      const { ms, rss } = await firstAnswer(argv, i % 5 === 0);
      times[name].push(ms);
      if (rss > 0) memory[name].push(rss);
    }
  }
  const ms = (name) => `${median(times[name]).toFixed(0)} ms`;
  row(
    "svc --version / node -e 0",
    median(times.version) / median(times.node),
    "≤ 1.5",
    `${ms("version")} / ${ms("node")}`,
  );
  row(
    "svc serve to its first answer / bare",
    median(times.serve) / median(times.bare),
    "≤ 3",
    `${ms("serve")} / ${ms("bare")}`,
  );
  const mib = (name) => `${(median(memory[name]) / 1024).toFixed(0)} MiB`;
  row("idle memory / bare", median(memory.serve) / median(memory.bare), "≤ 1.5", `${mib("serve")} / ${mib("bare")}`);
}

async function throughput() {
  const svc = await start([SVC, "serve", "--port", "0", "--json", "--quiet", "--store", "memory"]);
  const { instances } = JSON.parse(await readFile(join(directory, ".svc/server.json"), "utf8"));
  const [{ secret_key: key, publishable_key, id: instance_id }] = instances;
  const headers = { "X-Service-Secret-Key": key, Accept: "application/json" };
  const get = async (path) => (await fetch(`http://localhost:${svc.port}${path}`, { headers })).text();
  const [user] = JSON.parse(await get("/api/v1/users"));
  const [session] = JSON.parse(await get("/api/v1/sessions"));

  const tokens = await Promise.all(Array.from({ length: 100_000 }, (_, i) => mint(key, user, instance_id, i)));
  const verify = (port, token) =>
    request(
      "POST",
      "/api/v1/tokens/verify",
      port,
      { ...headers, "Content-Type": "application/json" },
      JSON.stringify({ token }),
    );
  const answer = await (
    await fetch(`http://localhost:${svc.port}/api/v1/tokens/verify`, {
      method: "POST",
      headers: { ...headers, "Content-Type": "application/json" },
      body: JSON.stringify({ token: tokens[0] }),
    })
  ).text();
  await compare(
    "verify, ever new tokens / bare with jose",
    "≥ 0.75",
    svc,
    { kind: "jose", secret: key, answer },
    (port) => tokens.map((token) => verify(port, token)),
  );
  await compare("verify, token seen before / bare", "≥ 0.6", svc, { kind: "body", answer }, (port) => [
    verify(port, tokens[0]),
  ]);

  const reads = {
    "GET users/:id": `/api/v1/users/${user.id}`,
    "GET users": "/api/v1/users",
    "GET users/search": "/api/v1/users/search?query=email%3A*%40acme.test",
    "GET sessions/:id": `/api/v1/sessions/${session.data.session_id}`,
    "GET sessions": "/api/v1/sessions",
    "GET sessions/search": "/api/v1/sessions/search?query=provider%3Agithub",
    "GET instances/search": `/api/v1/instances/search?query=publishable_key%3A${publishable_key}`,
    "GET discovery": "/.well-known/openid-configuration",
  };
  for (const [name, path] of Object.entries(reads)) {
    await compare(`${name} / bare`, "≥ 0.6", svc, { kind: "read", answer: await get(path) }, (port) => [
      request("GET", path, port, headers),
    ]);
  }
  await svc.stop();
}

async function compare(name, limit, svc, bareOptions, requestsFor) {
  const bare = await start([join(ROOT, "bench/bare.js"), JSON.stringify(bareOptions)]);
  const ours = [];
  const theirs = [];
  const [ourRequests, theirRequests] = [requestsFor(svc.port), requestsFor(bare.port)];
  await load({ port: svc.port, requests: ourRequests, seconds: 0.7 });
  await load({ port: bare.port, requests: theirRequests, seconds: 0.7 });
  for (let i = 0; i < ROUNDS; i++) {
    ours.push(await load({ port: svc.port, requests: ourRequests }));
    theirs.push(await load({ port: bare.port, requests: theirRequests }));
  }
  await bare.stop();
  row(
    name,
    median(ours) / median(theirs),
    limit,
    `${Math.round(median(ours))} / ${Math.round(median(theirs))} per second`,
  );
}

function row(name, ratio, limit, detail) {
  rows.push({ name, ratio, limit, detail });
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
    rss = Number(/VmRSS:\s+(\d+)/.exec(await readFile(`/proc/${pid}/status`, "utf8"))?.[1]);
  }
  await stop();
  return { ms, rss };
}

function start(argv) {
  return startServer(argv, directory);
}
