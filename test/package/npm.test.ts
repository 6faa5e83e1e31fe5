import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { chmod, mkdir, readdir, readFile, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { temporaryDirectory } from "../_files.ts";
import { BIN, ROOT } from "../_paths.ts";
import { openTerminal } from "../_pty.ts";

const SERVE = "serve --json --port 0";
/** Systems differ in the shell that npm takes: one stays beside its only command, the other becomes it. */
const SHELLS = { stays: 'eval "$2"\nexit $?', "becomes the command": 'eval "exec $2"' };

let directory: string;
let data: string;
let env: Record<string, string>;

beforeEach(async () => {
  directory = temporaryDirectory();
  data = temporaryDirectory();
  env = { PATH: process.env["PATH"]!, HOME: directory, SVC_DATA_DIR: data, npm_config_update_notifier: "false" };
  const { scripts } = JSON.parse(await readFile(join(ROOT, "package.json"), "utf8")) as { scripts: { start: string } };
  const background = `node bin/svc.js ${SERVE} &`;
  await writeFile(
    join(directory, "package.json"),
    JSON.stringify({ private: true, scripts: { start: scripts.start, background } }),
  );
  for (const folder of ["bin", "node_modules/.bin"]) await mkdir(join(directory, folder), { recursive: true });
  await symlink(BIN, join(directory, "bin/svc.js"));
  await symlink(ROOT, join(directory, "node_modules/svc-identity"));
  await symlink(BIN, join(directory, "node_modules/.bin/svc-identity"));
});

async function useShell(text: string): Promise<void> {
  env["npm_config_script_shell"] = join(directory, "shell");
  await writeFile(join(directory, "shell"), `#!/bin/sh\n${text}\n`);
  await chmod(join(directory, "shell"), 0o755);
}

/** Runs npm until a server is ready. @returns npm, the server, and the end of all that writes to their output */
async function run(line: string): Promise<{ npm: ChildProcess; pid: number; url: string; closed: Promise<unknown> }> {
  const [program = "", ...args] = line.split(" ");
  const npm = spawn(program, args, { cwd: directory, env, stdio: ["ignore", "pipe", "inherit"], detached: true });
  onTestFinished(() => {
    try {
      process.kill(-npm.pid!, "SIGKILL");
    } catch {
      // All of it has ended.
    }
  });
  const closed = once(npm.stdout!, "close");
  let output = "";
  npm.stdout!.setEncoding("utf8").on("data", (text: string) => (output += text));
  const ready = (): string | undefined => /^\{"type":"ready".*\n/m.exec(output)?.[0];
  while (!ready()) await once(npm.stdout!, "data");
  return { npm, closed, ...(JSON.parse(ready()!) as { pid: number; url: string }) };
}

const left = async (): Promise<string[]> =>
  (await readdir(data, { recursive: true })).filter((name) => /servers\/|lock/.test(name));

describe.each(Object.entries(SHELLS))("With a shell of npm that %s", (_, shell) => {
  beforeEach(() => useShell(shell));

  it.each([`npm start -- ${SERVE.replace("serve ", "")}`, `npx svc-identity ${SERVE}`])(
    "the server of %s ends with it on SIGTERM",
    async (line) => {
      const { npm, closed } = await run(line);
      expect(await left()).not.toEqual([]);
      npm.kill("SIGTERM");
      await closed;
      expect(await left()).toEqual([]);
    },
  );

  it("the server of npm start ends in order on Ctrl-C", async () => {
    const terminal = openTerminal("npm start -- --port 0", directory, env);
    onTestFinished(terminal.end);
    await terminal.until(/Then try/);
    expect(await left()).not.toEqual([]);
    terminal.type("\x03");
    await terminal.code;
    await expect.poll(left).toEqual([]);
  });

  it("a server that a script leaves in the background goes on", async () => {
    const { npm, url } = await run("npm run background");
    if (npm.exitCode === null) await once(npm, "exit");
    await sleep(1_500);
    expect((await fetch(`${url}/__svc/health/live`)).status).toBe(200);
  });
});
