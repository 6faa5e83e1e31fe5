// What the test kit costs a test, in units of `node -e 0`, measured in turn: `npm run bench -- kit`. The peers stand beside it.
import { execFile, spawnSync } from "node:child_process";
import { cp, mkdtemp, mkdir, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { otherNodes, runUnder } from "./nodes.js";
import { report, ratioRow } from "./report.js";
import { plainEnv } from "./server.js";

const ROOT = new URL("..", import.meta.url).pathname;
const ROUNDS = Number(process.env.SVC_BENCH_ROUNDS ?? 9);
const FILES = 40;
const EMULATE = "emulate@0.12.2";
const IS_OLD = process.version.startsWith("v20.");

/** Whole programs, beyond `node -e 0`. */
const PROGRAMS = {
  kit: `import { createTestService } from "svc-identity/testing"; await (await createTestService()).close();`,
  client: `import "svc-identity";`,
  verify: `import "svc-identity/verify";`,
  oauth2: `import { OAuth2Server } from "oauth2-mock-server";
    const server = new OAuth2Server();
    await server.issuer.keys.generate("RS256");
    await server.start();
    await server.stop();`,
  emulate: `import { createEmulator } from "emulate"; await (await createEmulator({ service: "github", port: 0 })).close();`,
};
/** Parts of one program, which prints how long each took. */
const PARTS = `import { createTestService } from "svc-identity/testing";
  const svc = await createTestService();
  const took = async (work, times = 1) => {
    const start = performance.now();
    for (let n = 0; n < times; n++) await work();
    return (performance.now() - start) / times;
  };
  const first = await took(() => svc.signIn({ as: "ada" }));
  const later = await took(() => svc.signIn({ as: "ada" }), 50);
  const reset = await took(() => svc.reset(), 10);
  const users = await took(() => svc.users.generate(500));
  await svc.close();
  console.log(JSON.stringify({ first, later, reset, users }));`;

const directory = await mkdtemp(join(tmpdir(), "svc-bench-kit-"));
const env = plainEnv();
try {
  await prepare();
  await measure();
  if (process.env.SVC_BENCH_VITEST !== "off") await vitest();
  for (const version of otherNodes()) await runUnder(version, [join(ROOT, "bench/kit.js")], directory);
} finally {
  await rm(directory, { recursive: true, force: true });
}

async function prepare() {
  const modules = join(directory, "node_modules");
  await writeFile(join(directory, "package.json"), '{ "type": "module", "private": true }');
  const install = ["install", EMULATE, "--no-audit", "--no-fund", "--ignore-scripts"];
  await promisify(execFile)("npm", install, { cwd: directory }).catch(() => delete PROGRAMS.emulate);
  // As npm installs it: Vitest transforms what is linked from elsewhere, and leaves what is in node_modules to Node.
  for (const part of ["package.json", "dist", "fixtures"])
    await cp(join(ROOT, part), join(modules, "svc-identity", part), { recursive: true });
  await symlink(join(ROOT, "node_modules"), join(modules, "svc-identity/node_modules"));
  for (const name of ["oauth2-mock-server", "vitest"])
    await symlink(join(ROOT, "node_modules", name), join(modules, name));
  for (const [name, code] of Object.entries(PROGRAMS)) await writeFile(join(directory, `${name}.js`), code);
  await writeFile(join(directory, "parts.js"), PARTS);
  // It does not run on every Node.
  if (PROGRAMS.emulate && run(["emulate.js"]).status !== 0) delete PROGRAMS.emulate;
}

async function measure() {
  const names = Object.keys(PROGRAMS);
  const units = [];
  const spent = Object.fromEntries(names.map((name) => [name, []]));
  const parts = { first: [], later: [], reset: [], users: [] };
  for (let round = 0; round < ROUNDS; round++) {
    units.push(run(["-e", "0"]).ms);
    for (const name of names) spent[name].push(run([`${name}.js`]).ms - units[round]);
    const took = JSON.parse(run(["parts.js"]).stdout);
    for (const name of Object.keys(parts)) parts[name].push(took[name]);
  }
  const ms = (value) => `${value.toFixed(1)} ms`;
  const row = (name, limit, values) => ratioRow(name, limit, values, units, ms);
  report(`The kit on Node ${process.version}, in units of node -e 0 (${ROUNDS} rounds)`, [
    row("import, createTestService(), close()", IS_OLD ? "≤ 3.5" : "≤ 3", spent.kit),
    row('import "svc-identity"', "≤ 1", spent.client),
    row('import "svc-identity/verify"', "≤ 1", spent.verify),
    row("the first sign-in", "≤ 0.4", parts.first),
    row("later sign-ins", "≤ 0.025", parts.later),
    row("reset()", "≤ 0.04", parts.reset),
    row("500 generated users", "≤ 1.5", parts.users),
    row("oauth2-mock-server: a server and a key", undefined, spent.oauth2),
    PROGRAMS.emulate
      ? row(`${EMULATE}: github`, undefined, spent.emulate)
      : { name: EMULATE, detail: "could not be installed, or needs a newer Node" },
  ]);
}

/** A run of many files of one test each, with the fixture and without. */
async function vitest() {
  const times = { with: [], without: [] };
  for (const kind of ["with", "without"]) {
    await mkdir(join(directory, kind));
    const from = kind === "with" ? "svc-identity/testing/vitest" : "vitest";
    const body = kind === "with" ? `({ svc }) => void (await svc.signIn({ as: "ada" }))` : `() => undefined`;
    for (let file = 0; file < FILES; file++)
      await writeFile(
        join(directory, kind, `${file}.test.js`),
        `import { test } from "${from}";\ntest("one", async ${body});\n`,
      );
  }
  const program = join(ROOT, "node_modules/vitest/vitest.mjs");
  for (let round = 0; round < Math.ceil(ROUNDS / 3); round++)
    for (const kind of ["with", "without"]) {
      const { ms, status, stdout } = run([program, "run", "--dir", kind]);
      if (status !== 0) throw new Error(stdout);
      times[kind].push(ms);
    }
  const seconds = (value) => `${(value / 1000).toFixed(1)} s`;
  report(`${FILES} files of one test each with Vitest`, [
    ratioRow("with the fixture, beside without", "≤ 1.6", times.with, times.without, seconds),
  ]);
}

function run(argv) {
  const start = performance.now();
  const { status, stdout } = spawnSync(process.execPath, argv, { cwd: directory, env, encoding: "utf8" });
  return { ms: performance.now() - start, status, stdout };
}
