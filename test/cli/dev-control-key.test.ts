import { expect, it } from "vitest";
import { directory, inProcess, run, useProcesses } from "../_bin.ts";
import { runCli, type CliOptions, type CliResult } from "../_cli.ts";
import { BIN } from "../_paths.ts";
import { needs } from "../_machine.ts";
import { openTerminal } from "../_pty.ts";
import { runningIn } from "../_server-file.ts";
import { serveHere, type Serving } from "../_serving.ts";

useProcesses();

const MEMORY = ["--store", "memory"];

function serve(flags: readonly string[] = MEMORY, env?: Record<string, string>): Promise<Serving> {
  return serveHere(flags, { cwd: directory, ...(env && { env }) });
}

const controlKey = (): string => runningIn(directory).control_key!;

it("the control key is in the output of no command, whether it succeeds or fails", async () => {
  const server = await serve();
  const control_key = controlKey();
  const lines = ["dev clock", "dev scenarios --json", "dev next nowhere", "dev snapshot restore none", "whoami --json"];
  const ended = await Promise.all(lines.map((line) => inProcess(line.split(" "), { env: { SVC_LOG: "debug" } })));
  const all = [...ended, await server.stop()].map(({ stdout, stderr }) => stdout + stderr).join("");
  expect(all).not.toContain(control_key.slice(4));
  expect(all).not.toContain("ctl_");
});

it.runIf(process.platform === "linux")(
  "the control key is in no ready line and in no process's arguments",
  async () => {
    const { ready } = await serve();
    const control_key = controlKey();
    expect(JSON.stringify(ready)).not.toContain(control_key.slice(4));
    const script = `
    const { readdirSync, readFileSync } = require("node:fs");
    const argumentsOf = (id) => { try { return readFileSync("/proc/" + id + "/cmdline", "utf8"); } catch { return ""; } };
    const all = readdirSync("/proc").filter((id) => /^[0-9]+$/.test(id)).map(argumentsOf).join(" ");
    const keys = [process.env.SVC_CONTROL_KEY, process.env.FIRST].map((key) => key.slice(4));
    console.log(all.includes("SVC_CONTROL_KEY"), keys.map((key) => all.includes(key)));`;
    const { stdout } = await run(["exec", "--", process.execPath, "-e", script], { env: { FIRST: control_key } });
    expect(stdout).toBe("true [ false, false ]\n");
  },
);

it("svc serve accepts the control key from SVC_CONTROL_KEY", async () => {
  const control_key = `ctl_${"abcdefghijklmnop".repeat(3)}`;
  await serve(MEMORY, { SVC_CONTROL_KEY: control_key });
  expect(controlKey()).toBe(control_key);
});

it("a server that other machines can reach has no control API without --control", async () => {
  const beyond = ["--store", "memory", "--host", "0.0.0.0", "--providers", "simulated", "--drain", "0"];
  const server = await serve(beyond);
  const refused = await inProcess(["dev", "clock"]);
  expect([refused.code, refused.stderr]).toEqual([8, expect.stringContaining("svc serve --control")]);
  await server.stop();
  await serve([...beyond, "--control"]);
  expect(await inProcess(["dev", "clock"])).toMatchObject({ code: 0 });
});

/** What a server prints until it is told to stop, which it is from its start. */
async function printed(flags: readonly string[], options: CliOptions): Promise<CliResult> {
  const argv = ["serve", "--port", "0", ...MEMORY, ...flags];
  return runCli(argv, { cwd: directory, signal: "SIGINT", ...options });
}

it.each([
  [80, /^http:\S+#code=\S+$/m],
  [50, /^ {2}Dashboard +.*svc.* open dashboard$/m],
])("svc serve breaks no dashboard link in a terminal of %s columns", async (columns, line) => {
  const { stdout } = await printed(["--no-color"], { tty: true, columns });
  expect(stdout).toMatch(line);
  const link = stdout.split("\n").find((text) => text.includes("#code="));
  expect(link?.length ?? 0).toBeLessThanOrEqual(columns);
});

it("The banner keeps its columns where an instance has a very long name", async () => {
  const name = "N".repeat(200);
  expect(await runCli(["init", "--name", name], { cwd: directory })).toMatchObject({ code: 0 });
  const { stdout } = await printed([], {});
  expect(stdout).toContain(`  ${name}  http://`);
  expect(stdout).toMatch(/^ {2}Front door {16}http:/m);
});

it("svc serve --open opens the front door, and goes on where no browser can be opened", async () => {
  const opened: string[] = [];
  const { code, stdout } = await printed(["--open"], { openBrowser: async (url) => void opened.push(url) });
  expect([code, opened]).toEqual([0, [/(http:\S+)/.exec(stdout)?.[1]]]);
  const { code: without, stderr } = await printed(["--open"], {});
  expect([without, stderr]).toEqual([0, expect.stringContaining("Could not open a browser.")]);
});

it("svc serve prints a one-time dashboard link on a terminal only", needs("a terminal"), async () => {
  const terminal = openTerminal(`${process.execPath} ${BIN} serve --port 0 --store memory`, directory, {});
  await terminal.until(/#code=[\w-]+/);
  terminal.end();
  for (const flags of [[], ["--json"]]) {
    const { stdout, stderr } = await printed(flags, {});
    expect(stdout).toMatch(/is ready|"type":"ready"/);
    expect(stdout + stderr).not.toContain("#code=");
  }
});
