import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
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

/** Every file below a directory of the installed package. */
async function filesOf(...path: string[]): Promise<string[]> {
  const root = join(directory, "node_modules", ...path);
  const entries = await readdir(root, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map(({ name, parentPath }) => join(parentPath, name));
}

describe("The installed package", () => {
  const isKeyring = (path: string): boolean => path.includes("/@napi-rs/");

  it("weighs what docs/compare.md and docs/architecture.md say", async () => {
    const [readme, page] = await Promise.all(
      ["docs/compare.md", "docs/architecture.md"].map((file) => readFile(join(ROOT, file), "utf8")),
    );
    const files = await filesOf();
    const weigh = async (paths: string[]): Promise<{ packages: number; megabytes: number }> => {
      const sizes = await Promise.all(paths.map(async (path) => (await stat(path)).size));
      const packages = paths.filter((path) => basename(path) === "package.json" && IS_PACKAGE.test(dirname(path)));
      return { packages: packages.length, megabytes: sizes.reduce((sum, size) => sum + size, 0) / 1_000_000 };
    };
    const [all, without] = [await weigh(files), await weigh(files.filter((path) => !isKeyring(path)))];
    // A dependency's new version may change both a little.
    const stated = [
      [all, /^\| Weight[^|]*\| (\d+) packages, (\d+) MB /m.exec(readme!)],
      [all, /installs\s(\d+)\spackages,\swhich\sare\s(\d+)\sMB/.exec(page!)],
      [without, /they\sare\s(\d+),\swhich\sare\s(\d+)\sMB/.exec(page!)],
    ] as const;
    for (const [{ packages, megabytes }, match] of stated) {
      expect(Math.abs(packages - Number(match?.[1])), `${packages} packages`).toBeLessThan(4);
      expect(Math.abs(megabytes - Number(match?.[2])), `${megabytes} MB`).toBeLessThan(1.5);
    }
    expect(without.packages).toBeLessThanOrEqual(66);
    expect(without.megabytes).toBeLessThanOrEqual(17);
  });

  it("has a row in docs/architecture.md for each package that it needs", async () => {
    const [, page = ""] = (await readFile(join(ROOT, "docs/architecture.md"), "utf8")).split("## Packages");
    const manifest = JSON.parse(
      await readFile(join(directory, "node_modules/svc-identity/package.json"), "utf8"),
    ) as Record<"dependencies" | "optionalDependencies", Record<string, string>> & { name: string };
    const needed = Object.keys({ ...manifest.dependencies, ...manifest.optionalDependencies });
    const rows = [...page.matchAll(/^\| `([^`]+)` /gm)].map(([, name]) => name);
    expect(rows.toSorted()).toEqual([manifest.name, ...needed].toSorted());
  });

  it("imports the packages that svc is built on in its library", async () => {
    const files = (await filesOf("svc-identity/dist")).filter((path) => /dist\/(?:lib\/)?[^/]+\.js$/.test(path));
    const texts = await Promise.all(files.map((path) => readFile(path, "utf8")));
    const imported = texts.flatMap((text) => [
      ...text.matchAll(/(?:^(?:import|export)\b.*|\bimport\()"([a-z@][^"]*)"/gm),
    ]);
    const packages = imported.map(([, specifier = ""]) => specifier.split("/")[0]!);
    expect([...new Set(packages.filter((name) => !name.startsWith("node:")))].toSorted()).toEqual(
      ["h3", "jose", "listhen", "lowdb", "srvx", "undici"].toSorted(),
    );
  });

  it("has the licence of every package that is copied into it", async () => {
    const dist = join(directory, "node_modules/svc-identity/dist");
    const notice = await readFile(join(dist, "THIRD-PARTY-LICENSES.txt"), "utf8");
    const files = [...(await filesOf("svc-identity/dist/lib")), ...(await filesOf("svc-identity/dist/testing"))];
    const texts = await Promise.all(files.map((path) => readFile(path, "utf8")));
    // The bundler names the file that a part of its output comes from.
    const copied = texts.flatMap((text) =>
      [...text.matchAll(/^\/\/ node_modules\/((?:@[^/\s]+\/)?[^/\s]+)/gm)].map(([, name]) => name!),
    );
    const names = [...new Set([...copied, "commander", "chalk", "lru-cache", "@inquirer/prompts", "preact"])];
    expect(names).toEqual(expect.arrayContaining(["zod", "prom-client", "maxmind", "h3", "jose"]));
    const missing = names.filter((name) => !new RegExp(`^${name} \\d+\\.\\d+\\.\\d+\n\n.{10,}`, "m").test(notice));
    expect(missing).toEqual([]);
    expect(notice).not.toContain("License: undefined");
  });
});

it("The package has an index of its documents, and each of them", async () => {
  const root = join(directory, "node_modules/svc-identity");
  const index = await readFile(join(root, "llms.txt"), "utf8");
  const pages = [...index.matchAll(/^- \[[^\]]+\]\((\S+?)\): \S/gm)].map(([, page]) => page!);
  const own = (await readdir(join(root, "docs"))).filter((name) => name.endsWith(".md"));
  expect(pages.toSorted()).toEqual([...own.map((name) => `docs/${name}`), "examples/README.md"].toSorted());
  for (const page of pages) expect((await readFile(join(root, page), "utf8")).length, page).toBeGreaterThan(100);
});

/** A package whose installation links the program of this machine, which another package brings. */
async function installProgram(home: string, name: string, specifier: string): Promise<void> {
  await mkdir(home);
  await writeFile(join(home, "package.json"), JSON.stringify({ allowScripts: { [name]: true } }));
  await npm(home, "install", specifier, "--foreground-scripts", "--ignore-scripts=false");
}

async function nodeOf(version: string): Promise<string> {
  if (version === process.version) return process.execPath;
  const home = join(directory, `node-${version}`);
  await installProgram(home, "node", `node@${version}`);
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

/** What runs the package besides Node; `served` is what `startTestService` comes to there. */
const RUNTIMES: readonly { name: string; program: string; run: string[]; served: unknown }[] = [
  { name: "bun", program: "bun@1.4.5", run: ["run"], served: expect.stringContaining("needs Node.js") },
  { name: "deno", program: "deno@2.9.6", run: ["run", "--allow-all"], served: 200 },
];

const ON_A_RUNTIME = `
  import { createClient } from "svc-identity";
  import { verifyToken } from "svc-identity/verify";
  import { createTestService, startTestService } from "svc-identity/testing";
  const { SVC_BASE_URL: baseUrl, SVC_SECRET_KEY: secretKey } = process.env;
  const svc = createClient({ secretKey, baseUrl });
  const application = "http://localhost:1/";
  let url = await svc.signInUrl({ redirectUri: application, provider: "google", loginHint: "ada" });
  while (!url.startsWith(application)) url = (await fetch(url, { redirect: "manual" })).headers.get("location");
  const token = new URL(url).searchParams.get("token");
  const { data } = await svc.tokens.verify(token);
  const { email } = await verifyToken(token, { secretKey });
  await svc.close();
  const kit = await createTestService();
  const signedIn = await kit.signIn({ as: "grace" });
  const { sub } = await verifyToken(signedIn.token, { secretKey: kit.instances[0].secret_key });
  await kit.close();
  const answered = async (service) => {
    const { status } = await fetch(service.url + "/.well-known/openid-configuration");
    await service.close();
    return status;
  };
  const served = await startTestService().then(answered, (error) => error.message);
  console.log(JSON.stringify({ client: data.email, verify: email, kit: sub === signedIn.user_id, served }));`;

describe.each(RUNTIMES)("The package from its tarball, on $name", ({ name, program, run: how, served }) => {
  const svc = (): string => join(directory, "node_modules/svc-identity/bin/svc.js");
  let runtime: string;
  beforeAll(async () => {
    const home = join(directory, name);
    await installProgram(home, name, program);
    runtime = join(home, "node_modules/.bin", name);
  }, 300_000);

  it("has a client, verification and a test kit", async () => {
    const script = join(directory, `on-${name}.mjs`);
    await writeFile(script, ON_A_RUNTIME);
    const command = [svc(), "exec", "--", runtime, ...how, script];
    const { stdout } = await run(process.execPath, command, { cwd: directory });
    const client = "ada@acme.test";
    expect(JSON.parse(stdout)).toEqual({ client, verify: client, kit: true, served });
  });

  it("has a command that asks a server, and is one where that is possible", async () => {
    const asked = [svc(), "exec", "--", runtime, ...how, svc(), "users", "list", "--count"];
    expect((await run(process.execPath, asked, { cwd: directory })).stdout).toMatch(/^\d+\n$/);
    const nested = [...how, svc(), "exec", "--", process.execPath, "-p", "process.env.SVC_BASE_URL"];
    const started = await run(runtime, nested, { cwd: directory }).catch((error: { stderr: string }) => error);
    if (name === "deno")
      expect(started).toMatchObject({ stdout: expect.stringMatching(/^http:\/\/localhost:\d+\n$/) as string });
    else expect(started).toMatchObject({ code: 2, stderr: expect.stringContaining("needs Node.js") as string });
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
