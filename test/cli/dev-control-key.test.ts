import { createServer } from "node:http";
import { once } from "node:events";
import { readFile, stat, writeFile } from "node:fs/promises";
import { expect, it } from "vitest";
import { directory, inProcess, run, useProcesses } from "../_bin.ts";
import { runCli, type CliOptions, type CliResult } from "../_cli.ts";
import { BIN } from "../_paths.ts";
import { freePort } from "../_free-port.ts";
import { needs } from "../_machine.ts";
import { openTerminal } from "../_pty.ts";
import { runningIn } from "../_server-file.ts";
import { serveHere, type Serving } from "../_serving.ts";

useProcesses();

const MEMORY = ["--store", "memory"];

function serve(flags: readonly string[] = MEMORY, env?: Record<string, string>): Promise<Serving> {
  return serveHere(flags, { cwd: directory, ...(env && { env }) });
}

const file = (): { path: string; control_key: string; url: string } => {
  const { path, control_key = "", url } = runningIn(directory);
  return { path, control_key, url };
};

it("the local server's control key is in its file, which only the user can read", async () => {
  await serve();
  const { path, control_key } = file();
  expect(control_key).toMatch(/^ctl_[\w-]{43}$/);
  expect((await stat(path)).mode & 0o777).toBe(0o600);
  expect(await inProcess(["dev", "clock", "--json"])).toMatchObject({ code: 0 });
});

it("the control key is in the output of no command, whether it succeeds or fails", async () => {
  const server = await serve();
  const { control_key } = file();
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
    const { control_key } = file();
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

it("svc sends no key to another server that took the port of the local one", async () => {
  const server = await serve(["--store", "memory", "--port", String(await freePort())]);
  const { path, url } = file();
  const text = await readFile(path, "utf8");
  await server.stop();
  const seen: (string | undefined)[] = [];
  const thief = createServer((request, response) => {
    seen.push(request.headers.authorization);
    response.end('{"proof":"0"}');
  }).listen(Number(new URL(url).port), "127.0.0.1");
  await once(thief, "listening");
  await writeFile(path, text, { mode: 0o600 });
  const { code } = await inProcess(["dev", "clock"]);
  thief.close();
  expect([code, seen.filter(Boolean)]).toEqual([7, []]);
});

it("SVC_CONTROL_URL and SVC_CONTROL_KEY select a server elsewhere", async () => {
  const { ready } = await serve();
  const { control_key } = file();
  const env = { SVC_CONTROL_URL: ready.url, SVC_CONTROL_KEY: control_key };
  expect(await inProcess(["dev", "clock"], { cwd: "/", env })).toMatchObject({ code: 0 });
});

it("svc serve accepts the control key from SVC_CONTROL_KEY", async () => {
  const control_key = `ctl_${"abcdefghijklmnop".repeat(3)}`;
  await serve(MEMORY, { SVC_CONTROL_KEY: control_key });
  expect(file().control_key).toBe(control_key);
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
