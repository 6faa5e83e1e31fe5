import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { serve, type RunningServer } from "../../src/server/index.ts";
import { everyCommand } from "../_every-command.ts";
import { needs } from "../_machine.ts";
import { BIN } from "../_paths.ts";
import { openTerminal, type Terminal } from "../_pty.ts";
import { SEED } from "../_setup.ts";

const SVC = `"${process.execPath}" "${BIN}"`;
const [ACME] = SEED.instances;
const KEY = ACME!.secret_key;
/** Enough that a list of them is several times what a pipe holds. */
const COUNT = 1500;

/** A server with users at acme.test. */
let directory: string;
let server: RunningServer;
let env: Record<string, string>;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "svc-terminal-"));
  const users = Array.from({ length: COUNT }, (_, i) => ({
    id: idOf(i),
    email: `user${i}@acme.test`,
    name: `User ${i} ${"x".repeat(180)}`,
  }));
  server = await serve({ port: 0, store: "memory", seed: { instances: [{ ...ACME, users }] } as never });
  env = { HOME: directory, SVC_SECRET_KEY: KEY, SVC_BASE_URL: server.url };
});
afterAll(async () => {
  await server.close();
});

const terminals: Terminal[] = [];
afterEach(() => {
  for (const terminal of terminals.splice(0)) terminal.end();
});

/** @param before what the shell does first */
function open(args: string, more: Record<string, string> = {}, before = "true"): Terminal {
  const command = `stty cols 240 rows 12; ${before}; ${SVC} ${args}`;
  const terminal = openTerminal(command, directory, { ...env, ...more });
  terminals.push(terminal);
  return terminal;
}

function idOf(i: number): string {
  return `00000000-0000-4000-8000-${String(i).padStart(12, "0")}`;
}

/** Runs in bash, without a terminal. */
async function bash(command: string): Promise<{ code: number | null; stdout: string; stderr: string }> {
  const child = spawn("bash", ["-c", command], { cwd: directory, env: { PATH: process.env["PATH"], ...env } });
  const output = { stdout: "", stderr: "" };
  for (const name of ["stdout", "stderr"] as const)
    child[name].setEncoding("utf8").on("data", (text: string) => (output[name] += text));
  child.stdin.end();
  const [code] = (await once(child, "close")) as [number | null];
  return { code, ...output };
}

async function isThere(i: number): Promise<boolean> {
  return (await fetch(`${server.url}/api/v1/users/${idOf(i)}`, { headers: { "x-service-secret-key": KEY } })).ok;
}

describe("svc users delete on a terminal", needs("a terminal", "bash"), () => {
  it("asks before it deletes one user: Enter means no and y means yes", async () => {
    const no = open(`users delete ${idOf(20)}`);
    await no.until(/Delete [^?]*\(user20@acme\.test\)\s+from\s[^?]*\?\s+This cannot be undone\./);
    no.type("\r");
    await no.until(/Declined\. No users were deleted\./);
    expect([await no.code, await isThere(20), no.shown().includes("✔")]).toEqual([1, true, false]);

    const yes = open(`users delete ${idOf(20)}`);
    await yes.until(/This\s+cannot\s+be\s+undone\./);
    yes.type("y\r");
    await yes.until(new RegExp(`Deleted ${idOf(20)}`));
    expect([await yes.code, await isThere(20)]).toEqual([0, false]);
  });

  it("lists several users and asks for their number", async () => {
    const terminal = open(`users delete ${idOf(21)} ${idOf(22)}`);
    await terminal.until(/Type 2 to delete all of them:/);
    expect(terminal.shown()).toContain("user21@acme.test");
    terminal.type("2\r");
    await terminal.until(/Deleted 2 users of acme \(/);
    expect(terminal.shown()).toContain("] 2 of 2");
    expect([await terminal.code, await isThere(21), await isThere(22)]).toEqual([0, false, false]);
  });

  it("deletes none after Ctrl-C at the question", async () => {
    const terminal = open(`users delete ${idOf(23)} ${idOf(24)}`);
    await terminal.until(/This cannot be undone\./);
    terminal.type("\u0003");
    expect(await terminal.code).toBe(130);
    expect([await isThere(23), await isThere(24)]).toEqual([true, true]);
  });

  it("does not accept a yes from a pipe", async () => {
    expect(await bash(`yes | ${SVC} users delete ${idOf(23)}`)).toMatchObject({
      code: 2,
      stdout: "",
      stderr: expect.stringContaining("Cannot prompt: standard ") as string,
    });
    expect(await isThere(23)).toBe(true);
  });
});

describe("Output of svc in a pipe", needs("bash"), () => {
  it.each(["json", "csv"])("carries every byte of a long list, as %s", async (format) => {
    // It has to wait for a reader that begins late.
    const { stdout } = await bash(`${SVC} users list --output ${format} | (sleep 0.2; cat)`);
    const answer = await fetch(`${server.url}/api/v1/users`, { headers: { "x-service-secret-key": KEY } });
    const text = await answer.text();
    const { length } = JSON.parse(text) as unknown[];
    if (format === "json") expect(stdout === `${text}\n`).toBe(true);
    else expect(stdout.split("\n")).toHaveLength(length + 2);
    expect(stdout.length).toBeGreaterThan(400_000);
  });

  it("may be closed early", async () => {
    const closed = await bash(`${SVC} users list --output csv | head -1 > /dev/null; echo "\${PIPESTATUS[0]}"`);
    expect(closed).toEqual({ code: 0, stdout: "0\n", stderr: "" });
  });
});

describe("The examples in the help", () => {
  const NOTE = `printf '%s\\n' "$word" >> argv; done; printf '===\\n' >> argv`;
  const POSIX = `svc() { for word in "$@"; do ${NOTE}; }`;
  /** How each defines svc as a function that notes its words, which starts sooner than a program. */
  const SHELLS = {
    bash: POSIX,
    dash: POSIX,
    zsh: POSIX,
    fish: `function svc; for word in $argv; ${NOTE.replace("done", "end")}; end`,
  };
  let cwd: string;
  beforeAll(async () => {
    cwd = await mkdtemp(join(tmpdir(), "svc-shells-"));
    // Files that an unquoted pattern would match.
    for (const name of ["email:x@acme.test", "name:ada", "ids.txt", "key.txt", "token.txt", "deploy"])
      await writeFile(join(cwd, name), "");
    await chmod(join(cwd, "deploy"), 0o755);
  });

  for (const [shell, definition] of Object.entries(SHELLS)) {
    it(`reach svc unchanged from ${shell} and create no file`, needs(shell as keyof typeof SHELLS), async () => {
      const examples = await allExamples();
      expect(examples.length).toBeGreaterThan(80);
      await rm(join(cwd, "argv"), { force: true });
      for (const [, name] of examples.join("\n").matchAll(/< (\S+)/g)) await writeFile(join(cwd, name!), "");
      const before = await readdir(cwd);
      execFileSync(
        shell,
        ["-c", [definition, ...examples.map((example) => `${example}\necho @@@ >> argv`)].join("\n")],
        {
          cwd,
          env: {
            PATH: `${cwd}:${process.env["PATH"]}`,
            HOME: directory,
            NODE_DISABLE_COMPILE_CACHE: "1",
            TOKEN: "a.b.c",
          },
          input: "",
        },
      );
      const calls = (await readFile(join(cwd, "argv"), "utf8")).split("@@@\n");
      const words = calls.slice(0, -1).map((text) => text.split("===\n")[0]!.trimEnd().split("\n"));
      expect(words).toEqual(examples.map(wordsOf));
      const made = (await readdir(cwd)).filter((name) => !before.includes(name) && name !== "argv");
      expect(made.filter((name) => !examples.some((example) => example.includes(`> ${name}`)))).toEqual([]);
      for (const name of made) await rm(join(cwd, name));
    });
  }

  /** The arguments of the first command that an example runs, if the shell changes nothing. */
  function wordsOf(example: string): string[] {
    const [, first = example] = /\$\((.*?)\)/.exec(example) ?? [];
    const own = /(?:^|[|] |^[A-Z_]+=\S+ )svc (.*?)(?= [|<>]| &&|$)/.exec(first)![1]!;
    return (own.match(/'[^']*'|[^\s']+/g) ?? []).map((word) => word.replaceAll("'", ""));
  }

  /** Of every command, and of the first screen. */
  async function allExamples(): Promise<string[]> {
    const titled = (text: string, title: string): string[] =>
      new RegExp(`^${title}\\n((?: {2}.*\\n)+)`, "m").exec(text)?.[1]?.trimEnd().split("\n") ?? [];
    return (await everyCommand())
      .flatMap(({ help }) => [...titled(help, "Start here"), ...titled(help, "Examples:")])
      .flatMap((line) => /^ {2}(?=\S)(.*?\bsvc .*?)(?= {2}|$)/.exec(line)?.[1] ?? []);
  }
});
