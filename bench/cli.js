// What a command costs from a shell, as ratios within one run: `npm run build && node bench/cli.js`.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { median } from "./report.js";
import { plainEnv } from "./server.js";

const ROOT = new URL("..", import.meta.url).pathname;
const SVC = join(ROOT, "bin/svc.js");
const ROUNDS = Number(process.env.SVC_BENCH_ROUNDS ?? 15);
/** One page, and a hundred. */
const COUNTS = [1_000, 100_000];
/** Without a bound V8 lets garbage lie as long as the machine has room, which says nothing of what is needed. */
const SMALL_HEAP = ["--max-old-space-size=16", "--max-semi-space-size=1"];
/** It keeps no compiled code. */
const IS_OLD = process.version.startsWith("v20.");

/** Runs a command, whose output is thrown away, and prints the most memory that it had, in MiB. */
const PEAK = `
  const { readFileSync, openSync } = require("node:fs");
  const child = require("node:child_process").spawn(process.execPath, process.argv.slice(1), {
    stdio: ["ignore", openSync("/dev/null", "w"), "inherit"],
  });
  let peak = 0;
  setInterval(() => {
    let status = "";
    try {
      status = readFileSync("/proc/" + child.pid + "/status", "utf8");
    } catch {} // It has ended.
    peak = Math.max(peak, Number(/VmHWM:\\s+(\\d+)/.exec(status)?.[1] ?? 0));
  }, 2).unref();
  child.once("exit", () => console.log(Math.round(peak / 1024)));
`;

const directory = await mkdtemp(join(tmpdir(), "svc-bench-cli-"));
// With a home of its own, where the first round leaves what it compiled.
const { NODE_COMPILE_CACHE: _, NODE_DISABLE_COMPILE_CACHE: __, XDG_CACHE_HOME: ___, ...plain } = plainEnv();
const env = { ...plain, HOME: directory };
try {
  await startUp();
  await serverStart();
  await memory();
} finally {
  await rm(directory, { recursive: true, force: true });
}

async function startUp() {
  const server = await serve("start", COUNTS[0]);
  const token = (await run(server, [SVC, "sign-in", "--as", "ada", "--token"])).stdout;
  const commands = {
    "svc --version": [[SVC, "--version"], 1.5],
    "svc --help": [[SVC, "--help"], IS_OLD ? 3.5 : 3],
    "svc tokens verify --local": [[SVC, "tokens", "verify", "--local"], IS_OLD ? 3.5 : 3],
    "svc users search": [[SVC, "users", "search", "email:user7@*"], IS_OLD ? 3.5 : 3],
  };
  for (const [argv] of Object.values(commands)) await run(server, argv, token);
  const times = { node: [] };
  for (let i = 0; i < ROUNDS; i++) {
    times.node.push((await run(server, ["-e", "0"])).ms);
    for (const [name, [argv]] of Object.entries(commands)) {
      const { ms, code, stdout } = await run(server, argv, token);
      if (code !== 0 || stdout === "") throw new Error(`${name} ended with ${code}`);
      (times[name] ??= []).push(ms);
    }
  }
  await server.stop();
  const node = median(times.node);
  for (const [name, [, most]] of Object.entries(commands)) {
    const ms = median(times[name]);
    report(`${name} / node -e 0`, ms / node, most, `${ms.toFixed(0)} / ${node.toFixed(0)} ms`);
  }
}

/** From the spawn to the first answer, of a store that is there. */
async function serverStart() {
  const argv = [SVC, "serve", "--port", "0", "--json", "--quiet"];
  const uncompiled = { ...env, NODE_DISABLE_COMPILE_CACHE: "1" };
  const starts = {
    bare: () => firstAnswer([join(ROOT, "bench/bare.js")], env),
    "svc serve": () => firstAnswer(argv, env),
    "svc serve, nothing compiled before": () => firstAnswer(argv, uncompiled),
  };
  const times = {};
  // The first makes the store, and the second compiles what it takes to read one.
  for (let i = 0; i < 2; i++) await starts["svc serve"]();
  for (let i = 0; i < ROUNDS; i++)
    for (const [name, start] of Object.entries(starts)) (times[name] ??= []).push(await start());
  const { bare, ...ours } = times;
  for (const [name, all] of Object.entries(ours)) {
    const detail = `${median(all).toFixed(0)} / ${median(bare).toFixed(0)} ms`;
    report(`${name} / bare`, median(all) / median(bare), IS_OLD ? 5 : 4, detail);
  }
}

async function firstAnswer(argv, environment) {
  const from = performance.now();
  const child = spawn(process.execPath, argv, {
    cwd: directory,
    env: environment,
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [line] = await once(child.stdout, "data");
  child.stdout.resume();
  const { port } = JSON.parse(String(line).split("\n")[0]);
  await (await fetch(`http://127.0.0.1:${port}/.well-known/openid-configuration`)).text();
  const ms = performance.now() - from;
  child.kill("SIGTERM");
  await once(child, "exit");
  return ms;
}

/** The most that a search takes of memory: in a small heap. */
async function memory() {
  for (const format of ["ids", "ndjson", "csv", "tsv"]) {
    const peaks = [];
    for (const count of COUNTS) {
      const server = await serve(`memory-${count}`, count);
      const { stdout } = await run(server, [
        "-e",
        PEAK,
        "--",
        ...SMALL_HEAP,
        SVC,
        "users",
        "search",
        "email:*@bench.test",
        "--output",
        format,
      ]);
      peaks.push(Number(stdout));
      await server.stop();
    }
    const [few, many] = peaks;
    report(`--output ${format}, peak memory of 100,000 users / 1,000`, many / few, 1.4, `${many} / ${few} MiB`);
  }
}

async function serve(name, count) {
  const cwd = join(directory, name);
  const seed = {
    instances: [
      {
        name: "Bench",
        subdomain: "bench",
        users: Array.from({ length: count }, (unused, i) => ({ email: `user${i}@bench.test`, name: `User ${i}` })),
      },
    ],
    personas: [{ id: "ada", name: "Ada", email: "ada@bench.test", google: { sub: "1", email_verified: true } }],
  };
  await mkdir(cwd, { recursive: true });
  await writeFile(join(cwd, "seed.json"), JSON.stringify(seed));
  const child = spawn(
    process.execPath,
    [SVC, "serve", "--port", "0", "--store", "memory", "--seed", "seed.json", "--json", "--quiet"],
    { cwd, env, stdio: ["ignore", "pipe", "inherit"] },
  );
  await once(child.stdout, "data");
  child.stdout.resume();
  return {
    cwd,
    async stop() {
      child.kill("SIGTERM");
      await once(child, "exit");
    },
  };
}

async function run({ cwd }, argv, stdin = "") {
  const from = performance.now();
  const child = spawn(process.execPath, argv, { cwd, env, stdio: ["pipe", "pipe", "inherit"] });
  let stdout = "";
  child.stdout.on("data", (text) => (stdout += text));
  child.stdin.on("error", () => {}).end(stdin);
  const [code] = await once(child, "close");
  return { ms: performance.now() - from, code, stdout };
}

function report(name, ratio, most, detail) {
  console.log(
    `${ratio <= most ? "✓" : "✗"} ${name.padEnd(60)} ${ratio.toFixed(2).padStart(6)}   asked ≤ ${most}   ${detail}`,
  );
}
