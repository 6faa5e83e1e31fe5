// Below the faces: what the documents configure and seed is read as a server does.
import { execFile } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { parseConfig } from "../../src/server/config.ts";
import { parseSeed } from "../../src/server/seed/parse.ts";
import { blocks, browse, installed, run, serving, type Block, type Jars } from "../_documents.ts";
import { temporaryDirectory } from "../_files.ts";
import { PAGES } from "../_pages.ts";
import { ROOT } from "../_paths.ts";

/** These run this very test, or take over the terminal. */
const FROM_A_CLONE = ["npm ci && npm start", "npm ci && npm test"];
/** Languages of pictures and excerpts, which nothing runs. */
const SHOWN = ["mermaid", "text"];
/** These have a test of their own, which brings a file or a database, or logs in first. */
const hasOwnTest = ({ page, section }: Block): boolean =>
  ["docs/import.md", "docs/postgres.md"].includes(page) || (page === "docs/cli.md" && section === "Answer a ticket");

const written = (...languages: string[]): Block[] =>
  blocks.filter((block) => languages.includes(block.language) && !hasOwnTest(block));
/** The example file that a block is an excerpt of, if any: the examples have their own tests. */
const excerptOf = ({ code }: Block): string | undefined => /^\/\/ (examples\/\S+)$/m.exec(code)?.[1];
const isVitest = ({ code }: Block): boolean => code.includes('"svc-identity/testing/vitest"');
const programs = written("js", "ts").filter((block) => excerptOf(block) === undefined);
const nodePrograms = programs.filter((block) => !isVitest(block));

describe("The documents", () => {
  it("contain programs that type-check in strict mode", async () => {
    expect(programs.length).toBeGreaterThanOrEqual(5);
    const directory = await installed();
    const files = await Promise.all(
      programs.map(async ({ code }, n) => {
        await writeFile(join(directory, `${n}.mts`), `${code}\nexport {};\n`);
        return `${n}.mts`;
      }),
    );
    const strict = "--strict --noUncheckedIndexedAccess --exactOptionalPropertyTypes";
    const options = `--noEmit --target es2023 --module nodenext --types node --skipLibCheck ${strict}`.split(" ");
    const tsc = join(ROOT, "node_modules/typescript/bin/tsc");
    await promisify(execFile)(process.execPath, [tsc, "--ignoreConfig", ...options, ...files], {
      cwd: directory,
    }).catch((error: { stdout: string }) => expect.fail(error.stdout));
  }, 120_000);

  it.each(nodePrograms)("contain a program that runs: $name", { timeout: 120_000 }, async ({ code }) => {
    const directory = await installed();
    const env = await serving(directory);
    const file = /^\/\/ ([\w.-]+)$/m.exec(code)?.[1] ?? "program.js";
    // `npm init` writes the one, and the page says where the other is needed.
    const type = file.endsWith(".mjs") ? "commonjs" : "module";
    await writeFile(join(directory, "package.json"), JSON.stringify({ type }));
    await writeFile(join(directory, file), code);
    // One that Vitest, beside it, does not take for its own.
    const isTest = /-test\.m?js$/.test(file);
    const program = run(directory, [process.execPath, ...(isTest ? ["--test"] : []), file], { ...env, PORT: "0" });
    if (!code.includes("app.listen(")) return expect(await program.code, program.output()).toBe(0);
    // An application: a user signs in to it.
    expect(await program.until(/(http:\/\/localhost:\d+)/)).toBe("http://localhost:0");
  });

  it("contain Vitest tests that pass, in whole files", { timeout: 240_000 }, async () => {
    const directory = await installed();
    const files = programs.filter(isVitest);
    for (const { code } of files) await writeFile(join(directory, /^\/\/ ([\w.-]+)$/m.exec(code)![1]!), code);
    const vitest = run(directory, [process.execPath, join(ROOT, "node_modules/vitest/vitest.mjs"), "run"]);
    expect(await vitest.code, vitest.output()).toBe(0);
    expect(vitest.output()).toContain(`${files.length} passed`);
  });

  it.each(written("js").filter((block) => excerptOf(block) !== undefined))(
    "quote the examples exactly: $name",
    async (block) => {
      const text = await readFile(join(ROOT, excerptOf(block)!), "utf8");
      expect(text).toContain(block.code.split("\n").slice(1).join("\n"));
    },
  );

  it.each(written("python"))("contain a Python test that passes: $name", { timeout: 120_000 }, async ({ code }) => {
    const directory = await installed();
    const env = await serving(directory);
    await writeFile(join(directory, "test.py"), code);
    const python = run(directory, ["python3", "test.py"], env);
    expect(await python.code, python.output()).toBe(0);
  });

  it("contain an application that signs a user in", { timeout: 120_000 }, async () => {
    const [{ code } = { code: "" }] = written("js").filter((block) => block.code.includes("app.listen("));
    const directory = await installed();
    const env = await serving(directory);
    await writeFile(join(directory, "package.json"), '{ "type": "module" }');
    await writeFile(join(directory, "app.js"), code);
    const port = String(20_000 + (process.pid % 20_000));
    const program = run(directory, [process.execPath, "app.js"], { ...env, PORT: port });
    const origin = await program.until(/(http:\/\/localhost:\d+)/);
    const jars: Jars = new Map();
    const page = await browse(`${origin}/sign-in`, jars);
    expect(JSON.parse(/<pre [^>]*>([^<]*)<\/pre>/.exec(page)![1]!)).toMatchObject({ email: "ada@acme.test" });
    const [, method, action] = /<form method="(\w+)" action="([^"]+)"><button>Sign out</.exec(page)!;
    const out = await fetch(`${origin}${action}`, { method: method!.toUpperCase(), redirect: "manual" });
    expect([out.status, out.headers.get("set-cookie")]).toEqual([303, expect.stringMatching(/^token=;/)]);
    // A sign-in that began elsewhere, such as one of another instance on the front page.
    const stray = await fetch(`${origin}/callback?token=${jars.get(new URL(origin).host)!.get("token")}`);
    expect([stray.status, stray.headers.get("content-type"), await stray.text()]).toEqual([
      401,
      "text/plain; charset=utf-8",
      "Not signed in. No sign-in began here: the address has no nonce. Begin one at the application",
    ]);
    const forced = await fetch(`${origin}/sign-in`, { headers: { "sec-fetch-site": "cross-site" } });
    expect([forced.status, await forced.text()]).toEqual([
      400,
      expect.stringMatching(/^A sign-in begins with a click[^<]*\. <a href="\/sign-in">Sign in<\/a>$/),
    ]);
    const signedOut = await fetch(`${origin}/me`);
    expect([signedOut.status, await signedOut.text()]).toEqual([401, '<a href="/sign-in">Sign in</a>']);
  });

  it.each(written("sh").filter(({ code }) => !FROM_A_CLONE.includes(code)))(
    "contain commands that work: $name",
    { timeout: 120_000 },
    async ({ code, page }) => {
      const directory = await installed();
      await writeFile(join(directory, "package.json"), '{ "type": "module" }');
      for (const program of programs.filter((block) => block.page === page))
        await writeFile(join(directory, /^\/\/ ([\w.-]+)$/m.exec(program.code)?.[1] ?? "program.js"), program.code);
      const startsServer = /\bserve\b/.test(code);
      if (!startsServer) await serving(directory);
      await writeFile(join(directory, "app.js"), "process.env.SVC_SECRET_KEY.startsWith('sk_') || process.exit(1);");
      const shell = run(directory, ["bash", "-ec", code], { SVC_BROWSER: "true" });
      if (startsServer) await shell.until(/(Front door)/);
      else expect(await shell.code, shell.output()).toBe(0);
    },
  );

  it("make a package of npm init start the examples, which are ES modules", async () => {
    const setup = written("sh").find(({ page, code }) => page === "examples/README.md" && code.includes("npm pkg set"));
    // With npm itself, which installed() stands in for.
    const directory = temporaryDirectory();
    await writeFile(join(directory, "package.json"), '{ "type": "commonjs" }');
    await writeFile(join(directory, "main.js"), 'import "node:fs";');
    const shell = run(directory, ["bash", "-ec", `${setup?.code}\nnode main.js`]);
    expect(await shell.code, shell.output()).toBe(0);
  });

  it.each(written("json"))("contain settings that svc accepts: $name", ({ code }) => {
    const isSeed = code.includes('"instances"');
    const read = (): object => (isSeed ? parseSeed(code, "seed", new Date()) : parseConfig(code, "svc.config.json"));
    expect(read).not.toThrow();
  });

  it("have a test for every block of code", () => {
    const tried = ["js", "ts", "sh", "python", "json"];
    const left = blocks.filter((block) => !hasOwnTest(block) && ![...tried, ...SHOWN].includes(block.language));
    expect(left.map(({ name }) => name)).toEqual([]);
    expect(blocks.length).toBeGreaterThan(30);
  });

  it("set up a clone in one line for each purpose", () => {
    const commands = written("sh").map(({ code }) => code);
    expect(commands).toEqual(expect.arrayContaining(FROM_A_CLONE));
  });

  it("never name the npm package svc, which is another package", async () => {
    const workflows = ["verify", "service-container"].map((name) => `examples/github-actions/${name}.yml`);
    for (const page of [...PAGES, ...workflows]) {
      expect(await readFile(join(ROOT, page), "utf8"), page).not.toMatch(/npx (--yes )?svc[ \n]/);
    }
  });
});

it("docs/architecture.md names files that exist", async () => {
  const text = await readFile(join(ROOT, "docs/architecture.md"), "utf8");
  const files = [...text.matchAll(/`((?:src|test|bin)\/[\w./-]+\.(?:ts|js))`/g)].map(([, file = ""]) => file);
  expect(files.length).toBeGreaterThan(20);
  for (const file of files) await readFile(join(ROOT, file));
});
