import { chmod, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { directory, inProcess, run, start, useProcesses } from "../_bin.ts";
import { BIN } from "../_paths.ts";
import type { CliResult } from "../_cli.ts";
import { needs } from "../_machine.ts";
import { openTerminal } from "../_pty.ts";
import { serveHere, type Serving } from "../_serving.ts";

useProcesses();

const NODE = process.execPath;
const print = (code: string): string[] => [NODE, "-e", code];

/** `svc exec` in this process, for what needs none of its output. */
function execHere(args: readonly string[], env: Record<string, string> = {}): Promise<CliResult> {
  return inProcess(["exec", ...args], { env: { PATH: process.env["PATH"], ...env } });
}

function serve(): Promise<Serving> {
  return serveHere(["--store", "memory"], { cwd: directory });
}

/** A program that leaves the value of an expression in the file `left`. */
const leaving = (expression: string): string[] =>
  print(`Promise.resolve(${expression}).then((value) => require("node:fs").writeFileSync("left", String(value)))`);
const left = (): Promise<string> => readFile(join(directory, "left"), "utf8");

it("svc exec starts a server for a command and stops it with the command", async () => {
  const script = `
    const { SVC_BASE_URL: base, SVC_SECRET_KEY: secret, SVC_CONTROL_URL: control, SVC_CONTROL_KEY: key } = process.env;
    const { SVC_API_URL: api, SVC_PUBLISHABLE_KEY: publishable } = process.env;
    const users = await fetch(base + "/api/v1/users", { headers: { "x-service-secret-key": secret } });
    const clock = await fetch(control + "/__svc/v1/clock", { headers: { authorization: "Bearer " + key } });
    const found = await fetch(api + "/api/v1/instances/search?query=publishable_key:" + publishable, {
      headers: { "x-service-publishable-key": publishable },
    });
    const { writeFileSync } = await import("node:fs");
    writeFileSync("left", [users.status, clock.status, found.status, base].join(" "));`;
  const { code, stderr } = await execHere(["--", NODE, "--input-type=module", "-e", script]);
  expect([code, stderr]).toEqual([0, ""]);
  const [, users, clock, found, base] = /^(\d+) (\d+) (\d+) (http:\/\/localhost:\d+)$/.exec(await left()) ?? [];
  expect([users, clock, found]).toEqual(["200", "200", "200"]);
  await expect(fetch(base!)).rejects.toThrow("fetch failed");
  expect(await readdir(directory)).toEqual(["left"]);
});

it.each([[[]], [["--"]]])("svc exec %j leaves all behind the first word to the command", async (dashes) => {
  await writeFile(join(directory, "args.cjs"), `require("fs").writeFileSync("left", process.argv.slice(2).join(" "))`);
  const args = ["--version", "--help", "--json", "--seed", "none", "--no-color", "--", "users"];
  const { code, stdout, stderr } = await execHere(["--timeout", "9s", ...dashes, NODE, "args.cjs", ...args]);
  expect([code, stdout, stderr, await left()]).toEqual([0, "", "", args.join(" ")]);
});

it("svc exec says once why a sign-in failed", async () => {
  const script = `
    const { SVC_CONTROL_URL: control, SVC_CONTROL_KEY: key } = process.env;
    await fetch(control + "/__svc/v1/sign-ins", {
      method: "POST",
      headers: { authorization: "Bearer " + key, "content-type": "application/json" },
      body: JSON.stringify({ provider: "github", outcome: "access_denied" }),
    });`;
  const { code, stderr } = await execHere(["--", NODE, "--input-type=module", "-e", script]);
  const why = "GitHub reported access_denied: the user cancelled, or may not use this application.";
  const reason = `access_denied: As the outcome access_denied asked: ${why}`;
  expect([code, stderr]).toEqual([0, `svc: sign-in with github failed: ${reason}\n`]);
});

it("svc exec ignores SVC_* of its own environment and does not pass them on", async () => {
  const env = { SVC_STORE: "/nowhere/db.json", SVC_PORT: "1", SVC_GOOGLE_CLIENT_ID: "x", SVC_LOG: "debug", OTHER: "1" };
  await execHere(["--", ...leaving(`Object.keys(process.env).filter((name) => /^SVC_|OTHER/.test(name)).sort()`)], env);
  expect((await left()).split(",")).toEqual([
    "OTHER",
    "SVC_API_URL",
    "SVC_BASE_URL",
    "SVC_CONTROL_KEY",
    "SVC_CONTROL_URL",
    "SVC_PUBLISHABLE_KEY",
    "SVC_SECRET_KEY",
  ]);
});

it.each([
  [["sh", "-c", "exit 42"], 42],
  [["sh", "-c", "kill -TERM $$"], 143],
  [["no-such-command"], 127],
  [["/etc/passwd"], 126],
  [["/"], 126],
])("svc exec -- %j exits with %i", async (command, exit) => {
  const { code, stderr } = await execHere(["--", ...command]);
  expect(code).toBe(exit);
  if (exit === 127)
    expect(stderr).toBe(
      "✗ no-such-command: command not found.\n  Check its name, and that it is in a directory of PATH.\n",
    );
});

it("svc exec passes the command's flags and input on unchanged", async () => {
  const code = `process.stdin.pipe(process.stdout); console.error(process.argv.slice(1).join(" "))`;
  const { stdout, stderr } = await run(["exec", "--", NODE, "-e", code, "--", "--json", "--no-color", "-x:y"], {
    stdin: "typed",
  });
  expect([stdout, stderr]).toEqual(["typed", "--json --no-color -x:y\n"]);
});

it("svc exec forwards signals and exits like the command", async () => {
  for (const [signal, exit] of [["SIGINT", 3] as const, ["SIGTERM", 4] as const]) {
    const code = `process.on("SIGINT", () => process.exit(3)); process.on("SIGTERM", () => process.exit(4));
      setInterval(() => {}, 1000); console.log("started")`;
    const running = start(["exec", "--", ...print(code)]);
    await running.until("stdout", /started/);
    running.child.kill(signal);
    expect((await running.ended).code).toBe(exit);
  }
});

it("svc exec on a terminal delivers Ctrl-C to the command once", needs("a terminal"), async () => {
  const script = join(directory, "count.mjs");
  await writeFile(
    script,
    `let count = 0; process.on("SIGINT", () => { count++; setTimeout(() => { console.log("count " + count); process.exit(0); }, 500); });
     setInterval(() => {}, 1000); console.log("started");`,
  );
  const terminal = openTerminal(`${NODE} ${BIN} exec -- ${NODE} ${script}`, directory, {});
  await terminal.until(/started/);
  terminal.type("\u0003");
  await terminal.until(/count \d/);
  expect(/count (\d)/.exec(terminal.shown())?.[1]).toBe("1");
});

it("svc exec --seed starts with the records of a file and reports its faults", async () => {
  await writeFile(join(directory, "seed.json"), '{"instances":[{"name":"Mine","subdomain":"mine"}]}');
  const names = `fetch(process.env.SVC_CONTROL_URL + "/__svc/v1/instances", {
    headers: { authorization: "Bearer " + process.env.SVC_CONTROL_KEY },
  }).then((response) => response.json()).then((all) => all.map((instance) => instance.data.name))`;
  await execHere(["--seed", "seed.json", "--", ...leaving(names)]);
  expect(await left()).toBe("Mine");
  const missing = await execHere(["--seed", "none.json", "--", "true"]);
  expect([missing.code, missing.stderr]).toEqual([2, expect.stringContaining("none.json")]);
  expect((await execHere([])).code).toBe(2);
});

it("svc exec runs an executable script and refuses one that is not executable", async () => {
  const path = join(directory, "script.sh");
  await writeFile(path, "#!/bin/sh\nexit 7\n");
  expect((await execHere(["--", "./script.sh"])).code).toBe(126);
  await chmod(path, 0o755);
  expect((await execHere(["--", "./script.sh"])).code).toBe(7);
});

it('eval "$(svc env)" lets commands reach the server from any directory', async () => {
  await serve();
  const ended = await start(["-c", `eval "$(${NODE} ${BIN} env)" && env`], {}, "/bin/sh").ended;
  expect(ended).toMatchObject({ code: 0, stderr: "" });
  const env = Object.fromEntries(
    [...ended.stdout.matchAll(/^(SVC_(?!DATA_DIR)\w+)=(.*)$/gm)].map(([, name, value]) => [name, value]),
  );
  const elsewhere = { cwd: "/", env: { ...env, HOME: "/nowhere" } };
  expect(await inProcess(["users", "list", "--count"], elsewhere)).toMatchObject({ code: 0, stderr: "" });
  expect(await inProcess(["dev", "clock", "--json"], elsewhere)).toMatchObject({ code: 0, stderr: "" });
});

it("commands and svc env use rotated keys from the server's file", async () => {
  await serve();
  const before = await inProcess(["env"]);
  expect(await inProcess(["dev", "keys", "rotate", "--instance", "acme", "--yes"])).toMatchObject({ code: 0 });
  await expect.poll(async () => (await inProcess(["env"])).stdout).not.toBe(before.stdout);
  expect(await inProcess(["users", "list", "--count"])).toMatchObject({ code: 0 });
  await inProcess(["dev", "instances", "create", "umbrella"]);
  await expect.poll(async () => (await inProcess(["instances", "list"])).stdout).toContain("umbrella");
});
