import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { build } from "esbuild";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ROOT } from "../_paths.ts";

const run = promisify(execFile);

/** The Node that runs the tests; `SVC_NODES=22,24,26` adds others, installed from npm. */
const OTHERS = (process.env["SVC_NODES"] ?? "").split(",").filter((version) => version !== "");
const ENTRIES: Readonly<Record<string, string>> = {
  "svc-identity": "createClient",
  "svc-identity/verify": "verifyToken",
  "svc-identity/sign-in": "beginSignIn",
  "svc-identity/middleware": "withAuth",
  "svc-identity/server": "serve",
  "svc-identity/testing": "createTestService",
};

/** Where the `package.json` of a package is, rather than one of its parts. */
const IS_PACKAGE = /node_modules\/(?:@[^/]+\/)?[^@/][^/]*$/;

let directory: string;

async function npm(cwd: string, ...args: string[]): Promise<string> {
  const { stdout } = await run("npm", [...args, "--no-audit", "--no-fund", "--prefer-offline"], { cwd });
  return stdout;
}

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "svc-package-"));
  // Packs the existing build, which the test run has just made.
  const packed = await npm(ROOT, "pack", "--ignore-scripts", "--json", "--pack-destination", directory);
  const [{ filename }] = JSON.parse(packed) as [{ filename: string }];
  await writeFile(join(directory, "package.json"), '{ "name": "application", "private": true }');
  await npm(directory, "install", join(directory, filename));
}, 300_000);
afterAll(() => rm(directory, { recursive: true, force: true }));

it("The README states the package's weight as npm installs it", async () => {
  const readme = await readFile(join(ROOT, "README.md"), "utf8");
  const [, packages, megabytes] = /^\| Weight[^|]*\| (\d+) packages, (\d+) MB /m.exec(readme)!;
  const modules = join(directory, "node_modules");
  const files = (await readdir(modules, { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile());
  const installed = files.filter(({ name, parentPath }) => name === "package.json" && IS_PACKAGE.test(parentPath));
  const sizes = await Promise.all(files.map(async ({ name, parentPath }) => (await stat(join(parentPath, name))).size));
  const bytes = sizes.reduce((sum, size) => sum + size, 0);
  // A dependency's new version may change both a little.
  expect(Math.abs(installed.length - Number(packages)), `${installed.length} packages`).toBeLessThan(8);
  expect(Math.abs(bytes / 1_000_000 - Number(megabytes)), `${bytes} bytes`).toBeLessThan(4);
});

it("The package has its documents as one text, and an index whose pages it contains", async () => {
  const root = join(directory, "node_modules/svc-identity");
  const [index, all] = await Promise.all(
    ["llms.txt", "llms-full.txt"].map((name) => readFile(join(root, name), "utf8")),
  );
  const pages = [...index!.matchAll(/^- \[[^\]]+\]\(https:\S+?\/main\/(\S+)\)/gm)].map(([, page]) => page!);
  expect(pages).toContain("docs/agents.md");
  for (const page of pages) expect(all, page).toContain(await readFile(join(root, page), "utf8"));
});

async function nodeOf(version: string): Promise<string> {
  if (version === process.version) return process.execPath;
  const home = join(directory, `node-${version}`);
  await mkdir(home);
  await writeFile(join(home, "package.json"), "{}");
  // Its installation links the binary of this machine, which a package of its own brings.
  await npm(home, "install", `node@${version}`, "--foreground-scripts");
  return join(home, "node_modules/node/bin/node");
}

describe.each([process.version, ...OTHERS])("The package from its tarball, on Node %s", (version) => {
  let node: string;
  beforeAll(async () => {
    node = await nodeOf(version);
  }, 300_000);

  it.each(Object.entries(ENTRIES))("%s can be imported and required", async (entry, name) => {
    const imported = `import { ${name} } from "${entry}"; process.stdout.write(typeof ${name});`;
    const required = `process.stdout.write(typeof require("${entry}").${name});`;
    const text = async (file: string, code: string): Promise<string> => {
      await writeFile(join(directory, file), code);
      return (await run(node, ["--no-warnings", join(directory, file)], { cwd: directory })).stdout;
    };
    expect(await text("imported.mjs", imported)).toBe("function");
    expect(await text("required.cjs", required)).toBe("function");
  });

  it("has a command that prints help, serves, signs in and verifies", async () => {
    const svc = join(directory, "node_modules/.bin/svc");
    const { stdout } = await run(node, [svc, "--help"], { cwd: directory });
    expect(stdout).toContain("svc serve");
    const own = ["-e", "process.stdout.write(process.env.SVC_BASE_URL)"];
    const served = await run(node, [svc, "exec", "--", process.execPath, ...own], { cwd: directory });
    expect(served.stdout).toMatch(/^http:\/\/localhost:\d+$/);
    // Compiled code is not kept where other users could write.
    const home = await mkdtemp(join(directory, "home-"));
    const temporary = await mkdtemp(join(directory, "temporary-"));
    const env = { ...process.env, HOME: home, TMPDIR: temporary, XDG_CACHE_HOME: "", NODE_COMPILE_CACHE: undefined };
    await run(node, [svc, "help", "environment"], { cwd: directory, env });
    expect(await readdir(temporary)).toEqual([]);
    const { stdout: keeps } = await run(node, ["-p", "'enableCompileCache' in module"], { cwd: directory });
    expect(await readdir(home)).toEqual(keeps.trim() === "true" ? [".cache"] : []);
    const script = `
      import { serve } from "svc-identity/server";
      import { createClient } from "svc-identity";
      const server = await serve({ port: 0, store: "memory" });
      const [{ secret_key: secretKey }] = server.instances;
      const svc = createClient({ secretKey, baseUrl: server.url });
      let url = await svc.signInUrl({ redirectUri: "http://localhost:1/", provider: "google", loginHint: "ada" });
      while (!url.startsWith("http://localhost:1/")) url = (await fetch(url, { redirect: "manual" })).headers.get("location");
      const { data } = await svc.tokens.verify(new URL(url).searchParams.get("token"));
      process.stdout.write(data.email);
      await svc.close();
      await server.close();`;
    await writeFile(join(directory, "whole.mjs"), script);
    expect((await run(node, ["--no-warnings", join(directory, "whole.mjs")], { cwd: directory })).stdout).toBe(
      "ada@acme.test",
    );
  });
});

it("The client of the tarball is bundled for the edge, where Node's modules do not exist", async () => {
  const stdin = { contents: 'export { createClient } from "svc-identity";', resolveDir: directory };
  const conditions = ["workerd", "worker"];
  const quiet = { write: false, metafile: true, logLevel: "silent" } as const;
  const { metafile } = await build({ stdin, conditions, platform: "browser", bundle: true, ...quiet });
  expect(Object.keys(metafile.inputs).filter((path) => path.includes("undici"))).toEqual([]);
});

it.each([
  ["nodenext", "nodenext"],
  ["bundler", "esnext"],
])("The package's types are resolved by moduleResolution %s", async (moduleResolution, module) => {
  const compile = async (entries: [string, string][], ...more: string[]): Promise<void> => {
    const source = entries.map(
      ([entry, name]) =>
        `import * as ${name}Entry from "${entry}";\nimport { ${name} } from "${entry}";\n` +
        `export const ${name}Type: (...args: never[]) => unknown = ${name};\n` +
        // An application's own declarations may name every type of the entry.
        `export const ${name}All = { ...${name}Entry };\n`,
    );
    await writeFile(join(directory, "application.ts"), source.join(""));
    const tsc = join(ROOT, "node_modules/typescript/bin/tsc");
    const options = [
      "--noEmit",
      "--declaration",
      "--strict",
      "--target",
      "es2023",
      "--lib",
      "es2023,dom",
      "--ignoreConfig",
    ];
    const how = ["--module", module, "--moduleResolution", moduleResolution, ...more];
    await run(process.execPath, [tsc, ...options, ...how, "application.ts"], { cwd: directory }).catch(
      (error: { stdout: string }) => expect.fail(error.stdout),
    );
  };
  // The client also runs in browsers and at the edge, without Node's types.
  await compile(
    Object.entries(ENTRIES).filter(([entry]) => !/(server|testing)$/.test(entry)),
    "--types",
    "",
  );
  await compile(Object.entries(ENTRIES), "--typeRoots", join(ROOT, "node_modules/@types"), "--types", "node");
});
