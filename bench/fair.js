// What a long list costs others: `npm run bench -- fair`, with USERS=200000 for fewer users. It takes two minutes and 2 GB.
import { mkdtemp, readFile, rm, symlink } from "node:fs/promises";
import { Agent, get } from "node:http";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { build } from "esbuild";
import { percentile } from "./report.js";
import { start } from "./server.js";

const ROOT = new URL("..", import.meta.url).pathname;
const USERS = Number(process.env["USERS"] ?? 1_000_000);
const SECONDS = 10;
const UNREAD = 100;
const KEY = `sk_bench_${"b".repeat(40)}`;
const CALLBACK = "http://localhost:3000/callback";

const directory = await mkdtemp(join(tmpdir(), "svc-bench-"));
try {
  const outfile = join(directory, "server.mjs");
  await build({
    entryPoints: [join(ROOT, "bench/fair-server.js")],
    outfile,
    bundle: true,
    format: "esm",
    platform: "node",
    target: "node20.19",
    packages: "external",
  });
  // Where the server looks for its packages.
  await symlink(join(ROOT, "node_modules"), join(directory, "node_modules"));
  await measure(outfile);
} finally {
  await rm(directory, { recursive: true, force: true });
}

async function measure(program) {
  const server = await start([program, JSON.stringify({ users: USERS, key: KEY })], ROOT);
  console.log(`Node ${process.version}, ${USERS} users in memory; others' times in ms`);
  try {
    const lists = {
      "nobody lists": [],
      "one lists all": ["/api/v1/users"],
      "three list all": ["/api/v1/users", "/api/v1/users", "/api/v1/users"],
      "one searches (1 character)": ["/api/v1/users/search?query=name:*u*"],
    };
    for (const [name, paths] of Object.entries(lists)) await others(server.port, name, paths);
    await unread(server);
  } finally {
    await server.stop();
  }
}

/** Reads and sign-ins of one client, while others read long lists. */
async function others(port, name, paths) {
  const progress = { isDone: false, bytes: 0, lists: 0 };
  const reading = paths.map(async (path) => {
    while (!progress.isDone) await list(port, path, progress);
  });
  await delay(1000);
  const before = progress.bytes;
  const times = { reads: [], signIns: [] };
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const end = performance.now() + SECONDS * 1000;
  while (performance.now() < end) {
    times.reads.push(await timed(() => ask(port, "/api/v1/users/00000000-0000-4000-8000-000000000007", agent)));
    times.signIns.push(await timed(() => signIn(port, agent)));
  }
  const rate = (progress.bytes - before) / 1e6 / SECONDS;
  progress.isDone = true;
  agent.destroy();
  await Promise.all(reading);
  const text = Object.entries(times).map(
    ([what, all]) =>
      `${what}: p50 ${percentile(all, 50).toFixed(1)}, p99 ${percentile(all, 99).toFixed(1)}, max ${Math.max(...all).toFixed(1)} (${all.length})`,
  );
  console.log(`${name.padEnd(28)} ${text.join("; ")}; lists ${rate.toFixed(0)} MB/s`);
}

/** Sockets that ask for everything and read nothing. */
async function unread({ port, pid }) {
  await delay(2000);
  const before = await rss(pid);
  const sockets = Array.from({ length: UNREAD }, () => {
    const socket = connect(port, "127.0.0.1").on("error", () => undefined);
    socket
      .pause()
      .write(`GET /api/v1/users HTTP/1.1\r\nHost: localhost:${port}\r\nX-Service-Secret-Key: ${KEY}\r\n\r\n`);
    return socket;
  });
  let most = 0;
  for (const end = performance.now() + SECONDS * 1000; performance.now() < end; await delay(100))
    most = Math.max(most, await rss(pid));
  for (const socket of sockets) socket.destroy();
  console.log(`${UNREAD} lists that are not read: ${before.toFixed(0)} MB before, at most ${most.toFixed(0)} MB`);
}

async function rss(pid) {
  return Number(/VmRSS:\s+(\d+)/.exec(await readFile(`/proc/${pid}/status`, "utf8"))[1]) / 1024;
}

async function timed(work) {
  const started = performance.now();
  await work();
  return performance.now() - started;
}

async function signIn(port, agent) {
  const query = new URLSearchParams({ provider: "google", redirect_uri: CALLBACK, login_hint: "ada" });
  let location = `/oauth/authorize?${query.toString()}`;
  while (!location.startsWith(CALLBACK)) {
    const answer = await ask(port, location, agent);
    if (answer.status !== 302) throw new Error(`${answer.status} for ${location}: ${answer.body}`);
    location = answer.location.replace(`http://localhost:${port}`, "");
  }
  if (!location.includes("token=")) throw new Error(location);
}

function ask(port, path, agent) {
  return new Promise((resolve, reject) => {
    const headers = { host: `localhost:${port}`, "x-service-secret-key": KEY };
    get({ host: "127.0.0.1", port, path, agent, headers }, (response) => {
      let body = "";
      response.setEncoding("utf8").on("data", (chunk) => (body += chunk));
      response.on("end", () => resolve({ status: response.statusCode, location: response.headers.location, body }));
    }).on("error", reject);
  });
}

/** Reads a list to its end, or until there is enough. */
function list(port, path, progress) {
  return new Promise((resolve, reject) => {
    const headers = { host: `localhost:${port}`, "x-service-secret-key": KEY };
    const request = get({ host: "127.0.0.1", port, path, agent: false, headers }, (response) => {
      response.on("data", (chunk) => {
        progress.bytes += chunk.length;
        if (progress.isDone) request.destroy();
      });
      response.on("close", resolve);
    });
    request.on("error", (error) => (progress.isDone ? resolve() : reject(error)));
  });
}
