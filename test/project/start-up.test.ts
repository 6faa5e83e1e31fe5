import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { expect, it } from "vitest";
import { directory, run, serve, useProcesses, type StartOptions } from "../_bin.ts";
import { ROOT } from "../_paths.ts";

useProcesses();

interface SourceMap {
  readonly sources: readonly string[];
}

/** Makes a process report, when it exits, which parts of the command it loaded. */
function observed(name: string): { options: StartOptions; loaded(): string[] } {
  const hook = join(directory, `${name}.cjs`);
  const list = join(directory, `${name}.json`);
  writeFileSync(
    hook,
    `process.on("exit", () => require("fs").writeFileSync(${JSON.stringify(list)}, JSON.stringify(Object.keys(require.cache))));`,
  );
  return {
    options: { cwd: directory, env: { NODE_OPTIONS: `--require=${hook}` } },
    /** The sources of all parts, as paths in the project. */
    loaded() {
      const loaded = JSON.parse(readFileSync(list, "utf8")) as string[];
      // What the bundler adds has no source: its runtime, and parts that only name what is in others.
      const parts = loaded.filter((path) => path.includes("/dist/") && existsSync(`${path}.map`));
      const maps = parts.map((path) => JSON.parse(readFileSync(`${path}.map`, "utf8")) as SourceMap);
      return maps.flatMap(({ sources }) => sources.map((source) => relative(ROOT, join(ROOT, "dist/cli", source))));
    },
  };
}

/** What few commands and few servers need. */
const RARE = /node_modules\/(@inquirer|postgres|prom-client|maxmind|tldts)\//;

it("svc --version loads nothing of its commands", async () => {
  const { options, loaded } = observed("version");
  expect(await run(["--version"], options)).toMatchObject({ code: 0, stderr: "" });
  expect(loaded()).toEqual(["src/cli/main.ts"]);
});

it("svc users search starts without the server, other commands, prompts or the help's topics", async () => {
  await serve(["--store", "memory"], { cwd: directory });
  const { options, loaded } = observed("search");
  expect(await run(["users", "search", "email:*@acme.test", "--fields", "id"], options)).toMatchObject({ code: 0 });
  const sources = loaded();
  expect(sources).toContain("src/cli/commands/users/index.ts");
  const rest = /^src\/(server\/|cli\/commands\/(sign-in|dev|store|doctor)\/|cli\/help\/topics)/;
  expect(sources.filter((path) => RARE.test(path) || rest.test(path))).toEqual([]);
});

it("svc serve starts without PostgreSQL, metrics, made-up people, prompts or the search of the command line", async () => {
  const { options, loaded } = observed("serve");
  const { child, ended } = await serve(["--store", "db.json"], options);
  child.kill("SIGTERM");
  expect(await ended).toMatchObject({ code: 0 });
  const sources = loaded();
  expect(sources).toContain("src/server/start.ts");
  expect(
    sources.filter(
      (path) => RARE.test(path) || /^src\/(cli\/(commands\/users|search)\/|server\/control\/people)/.test(path),
    ),
  ).toEqual([]);
});

it("Importing the library does not load undici; its first call does", () => {
  const program = `
    import { createRequire } from "node:module";
    import { createClient } from "svc-identity";
    import "svc-identity/testing";
    const { cache } = createRequire(import.meta.url);
    const loaded = () => Object.keys(cache).some((path) => /[\\\\/]undici[\\\\/]/.test(path));
    const client = createClient({ baseUrl: "http://127.0.0.1:1" });
    const before = loaded();
    await client.discovery({ retry: 0 }).catch(() => {});
    console.log(before, loaded());`;
  const args = ["--input-type=module", "--eval", program];
  expect(execFileSync(process.execPath, args, { cwd: ROOT, encoding: "utf8" })).toBe("false true\n");
});
