import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, mkdir, readFile, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it, onTestFinished } from "vitest";
import { parseConfig } from "../../src/server/config.ts";
import { parseSeed } from "../../src/server/seed/index.ts";
import { temporaryDirectory } from "../_files.ts";

const ROOT = join(import.meta.dirname, "../..");
const PAGES = [
  "README.md",
  ...["api", "client", "commands", "providers", "server", "testing"].map((n) => `docs/${n}.md`),
];
const BIN = join(ROOT, "bin/svc.js");
/** They run this test, or take over the terminal of whoever does. */
const FROM_A_CLONE = ["npm ci && npm start", "npm ci && npm test"];

interface Block {
  readonly name: string;
  readonly language: string;
  readonly code: string;
}

const blocks: readonly Block[] = (
  await Promise.all(
    PAGES.map(async (page) => {
      const text = await readFile(join(ROOT, page), "utf8");
      return [...text.matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)].map(([, language = "", code = ""], n) => ({
        name: `${page}, block ${n + 1}: ${code.trim().split("\n")[0]}`,
        language,
        code: code.trim(),
      }));
    }),
  )
).flat();
const written = (...languages: string[]): Block[] => blocks.filter(({ language }) => languages.includes(language));
/** Where a block is an excerpt of a file of the examples, that file: the examples have tests of their own. */
const excerptOf = ({ code }: Block): string | undefined => /^\/\/ (examples\/\S+)$/m.exec(code)?.[1];
const isVitest = ({ code }: Block): boolean => code.includes('"svc-identity/testing/vitest"');
const programs = written("js", "ts").filter((block) => excerptOf(block) === undefined);
const nodePrograms = programs.filter((block) => !isVitest(block));

/** An application that has installed the package, where `npx svc-identity` is the command. */
async function installed(): Promise<string> {
  const directory = temporaryDirectory();
  const modules = join(directory, "node_modules");
  await mkdir(modules);
  for (const name of ["@types", "express", "jose", "undici", "undici-types", "srvx", "vitest"])
    await symlink(join(ROOT, "node_modules", name), join(modules, name));
  await symlink(ROOT, join(modules, "svc-identity"));
  await mkdir(join(directory, "bin"));
  await writeFile(
    join(directory, "bin/npx"),
    `#!/bin/sh\n[ "$1" = svc-identity ] || exit 1\nshift\nexec '${BIN}' "$@"\n`,
  );
  await writeFile(join(directory, "bin/npm"), "#!/bin/sh\n[ $1 = i ] || [ $1 = pkg ]\n");
  for (const name of ["npx", "npm"]) await chmod(join(directory, "bin", name), 0o755);
  return directory;
}

interface Running {
  readonly output: () => string;
  readonly until: (pattern: RegExp) => Promise<string>;
  readonly code: Promise<number | null>;
}

function run(directory: string, command: readonly string[], env: NodeJS.ProcessEnv = {}): Running {
  const child = spawn(command[0]!, command.slice(1), {
    cwd: directory,
    env: { PATH: `${directory}/bin:${process.env["PATH"]}`, HOME: directory, SVC_PORT: "0", ...env },
    stdio: ["ignore", "pipe", "pipe"],
    detached: true,
  });
  const stop = (): void => {
    try {
      process.kill(-child.pid!, "SIGKILL");
    } catch {
      // It has ended.
    }
  };
  onTestFinished(stop);
  let output = "";
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (text: string) => (output += text));
  const code = once(child, "close").then(([status]) => status as number | null);
  return {
    code,
    output: () => output,
    async until(pattern) {
      for (;;) {
        const found = pattern.exec(output)?.[1];
        if (found !== undefined) return found;
        const ended = await Promise.race([code.then(() => true), once(child.stdout, "data").then(() => false)]);
        if (ended && !pattern.test(output)) throw new Error(output);
      }
    },
  };
}

/** A server in that directory, and what its environment says of it. */
async function serving(directory: string): Promise<Record<string, string>> {
  const server = run(directory, [process.execPath, BIN, "serve", "--json", "--store", "memory"]);
  await server.until(/("type":"ready")/);
  const text = await readFile(join(directory, ".svc/server.json"), "utf8");
  const { url, control_key, instances } = JSON.parse(text) as {
    url: string;
    control_key: string;
    instances: { secret_key: string }[];
  };
  const control = { SVC_CONTROL_URL: url, SVC_CONTROL_KEY: control_key };
  return { SVC_BASE_URL: url, SVC_SECRET_KEY: instances[0]!.secret_key, ...control };
}

/** As a browser goes, with its cookies, choosing Ada. */
async function browse(address: string, jar = new Map<string, string>()): Promise<string> {
  const url = new URL(address);
  if (url.pathname.endsWith("/authorize")) url.searchParams.set("login_hint", "ada@acme.test");
  const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join("; ");
  const response = await fetch(url, { redirect: "manual", headers: { cookie } });
  for (const [, name, value] of response.headers.getSetCookie().map((set) => /^([^=]+)=([^;]*)/.exec(set)!))
    jar.set(name!, value!);
  const location = response.headers.get("location");
  return location === null ? response.text() : browse(new URL(location, url).href, jar);
}

describe("The documents", () => {
  it("have programs that are right by the package's types, in strict mode", async () => {
    expect(programs.length).toBeGreaterThanOrEqual(5);
    const directory = await installed();
    const files = await Promise.all(
      programs.map(async ({ code }, n) => {
        await writeFile(join(directory, `${n}.mts`), `${code}\nexport {};\n`);
        return `${n}.mts`;
      }),
    );
    const options = "--noEmit --target es2023 --module nodenext --types node --skipLibCheck --strict".split(" ");
    const tsc = join(ROOT, "node_modules/typescript/bin/tsc");
    await promisify(execFile)(process.execPath, [tsc, "--ignoreConfig", ...options, ...files], {
      cwd: directory,
    }).catch((error: { stdout: string }) => expect.fail(error.stdout));
  }, 120_000);

  it.each(nodePrograms)("have a program that runs: $name", { timeout: 120_000 }, async ({ code }) => {
    const directory = await installed();
    const env = await serving(directory);
    const file = /^\/\/ ([\w.-]+)$/m.exec(code)?.[1] ?? "program.js";
    await writeFile(join(directory, "package.json"), '{ "type": "module" }');
    await writeFile(join(directory, file), code);
    const isTest = file.endsWith(".test.js");
    const program = run(directory, [process.execPath, ...(isTest ? ["--test"] : []), file], { ...env, PORT: "0" });
    if (!code.includes("app.listen(")) return expect(await program.code, program.output()).toBe(0);
    // An application: someone signs in to it.
    expect(await program.until(/(http:\/\/localhost:\d+)/)).toBe("http://localhost:0");
  });

  it("have Vitest tests that pass, in whole files", { timeout: 240_000 }, async () => {
    const directory = await installed();
    const files = programs.filter(isVitest);
    for (const { code } of files) await writeFile(join(directory, /^\/\/ ([\w.-]+)$/m.exec(code)![1]!), code);
    const vitest = run(directory, [process.execPath, join(ROOT, "node_modules/vitest/vitest.mjs"), "run"]);
    expect(await vitest.code, vitest.output()).toBe(0);
    expect(vitest.output()).toContain(`${files.length} passed`);
  });

  it.each(written("js").filter((block) => excerptOf(block) !== undefined))(
    "quote the examples as they are: $name",
    async (block) => {
      const text = await readFile(join(ROOT, excerptOf(block)!), "utf8");
      expect(text).toContain(block.code.split("\n").slice(1).join("\n"));
    },
  );

  it.each(written("python"))("have a Python test that passes: $name", { timeout: 120_000 }, async ({ code }) => {
    const directory = await installed();
    const env = await serving(directory);
    await writeFile(join(directory, "test.py"), code);
    const python = run(directory, ["python3", "test.py"], env);
    expect(await python.code, python.output()).toBe(0);
  });

  it("have an application that signs a user in", { timeout: 120_000 }, async () => {
    const [{ code } = { code: "" }] = written("js").filter((block) => block.code.includes("app.listen("));
    const directory = await installed();
    const env = await serving(directory);
    await writeFile(join(directory, "package.json"), '{ "type": "module" }');
    await writeFile(join(directory, "app.js"), code);
    const port = String(20_000 + (process.pid % 20_000));
    const program = run(directory, [process.execPath, "app.js"], { ...env, PORT: port });
    const origin = await program.until(/(http:\/\/localhost:\d+)/);
    const jar = new Map<string, string>();
    expect(JSON.parse(await browse(`${origin}/sign-in`, jar))).toMatchObject({ email: "ada@acme.test" });
    expect((await fetch(`${origin}/callback?token=${jar.get("token")}`)).status).toBe(400);
    expect((await fetch(`${origin}/me`)).status).toBe(401);
  });

  it.each(written("sh").filter(({ code }) => !FROM_A_CLONE.includes(code)))(
    "have commands that work: $name",
    { timeout: 120_000 },
    async ({ code }) => {
      const directory = await installed();
      const startsServer = /\bserve\b/.test(code);
      if (!startsServer) await serving(directory);
      await writeFile(join(directory, "app.js"), "process.env.SVC_SECRET_KEY.startsWith('sk_') || process.exit(1);");
      const shell = run(directory, ["bash", "-ec", code]);
      if (startsServer) await shell.until(/(Front door)/);
      else expect(await shell.code, shell.output()).toBe(0);
    },
  );

  it.each(written("json"))("have settings that are accepted: $name", ({ code }) => {
    if (code.includes('"instances"')) parseSeed(code, "seed", new Date());
    else parseConfig(code, "svc.config.json");
  });

  it("set a clone up in one line for each purpose", () => {
    const commands = written("sh").map(({ code }) => code);
    expect(commands).toEqual(expect.arrayContaining(FROM_A_CLONE));
  });

  it("never tell a reader to run the npm package named svc, which is another", async () => {
    const pages = [...PAGES, "CONTRIBUTING.md", "SECURITY.md", "docs/postgres.md", "examples/README.md"];
    const more = ["examples/github-actions/verify.yml"];
    for (const page of [...pages, ...more]) {
      expect(await readFile(join(ROOT, page), "utf8"), page).not.toMatch(/npx (--yes )?svc[ \n]/);
    }
  });

  it("link to pages that exist", async () => {
    for (const page of PAGES) {
      const text = await readFile(join(ROOT, page), "utf8");
      for (const [, target = ""] of text.matchAll(/\]\((?!https?:)([^)#]+)/g)) {
        await expect(
          readFile(join(ROOT, page, "..", target)).catch((error: { code: string }) => error.code),
          `${page}: ${target}`,
        ).resolves.not.toBe("ENOENT");
      }
    }
  });
});

it("docs/architecture.md names files that exist", async () => {
  const text = await readFile(join(ROOT, "docs/architecture.md"), "utf8");
  const files = [...text.matchAll(/`((?:src|test|bin)\/[\w./-]+\.(?:ts|js))`/g)].map(([, file = ""]) => file);
  expect(files.length).toBeGreaterThan(20);
  for (const file of files) await readFile(join(ROOT, file));
});
