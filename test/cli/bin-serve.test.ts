// Below the faces: the file of a server is read while it starts.
import { spawn, type StdioOptions } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { open, readdir } from "node:fs/promises";
import { createServer, request } from "node:http";
import { connect } from "node:net";
import { setImmediate } from "node:timers/promises";
import { describe, expect, it, onTestFinished } from "vitest";
import { readServerFiles, type FoundServerFile } from "../../src/cli/connection/server-file.ts";
import { directory, inProcess, serve, useProcesses } from "../_bin.ts";
import { healthCheck } from "../_health-check.ts";
import { possible } from "../_ipv6.ts";
import { BIN } from "../_paths.ts";
import { placeIn, runningIn } from "../_server-file.ts";
import { serveHere } from "../_serving.ts";
import { portOf } from "../_port-of.ts";

useProcesses();

describe("svc serve", () => {
  it.each([
    ["SIGTERM", {}],
    ["SIGINT", {}],
    ["SIGHUP", {}],
    ["SIGTERM", { CI: "1", TEST: "1" }],
  ] as const)("exits on %s with code 0 and removes its server file, in the environment %j", async (signal, env) => {
    const { child, ended } = await serve(undefined, { env });
    const { path } = runningIn(directory);
    child.kill(signal);
    expect(await ended).toMatchObject({ code: 0, signal: null, stderr: "" });
    expect([existsSync(path), await readdir(directory)]).toEqual([false, []]);
  });

  it("stops even when a program has read only its first line", async () => {
    const argv = ["serve", "--json", "--port", "0", "--store", "memory"];
    const { PATH, SVC_DATA_DIR } = process.env;
    const env = { PATH, SVC_DATA_DIR, HOME: directory };
    const child = spawn(process.execPath, [BIN, ...argv], { cwd: directory, env, stdio: ["ignore", "pipe", "ignore"] });
    onTestFinished(() => void child.kill("SIGKILL"));
    const [first] = (await once(child.stdout, "data")) as [Buffer];
    child.stdout.pause();
    const { url } = JSON.parse(first.toString().split("\n")[0]!) as { url: string };
    const ask = async (): Promise<unknown> => (await fetch(`${url}/.well-known/openid-configuration`)).text();
    // Twice what a pipe holds.
    for (let round = 0; round < 10; round++) await Promise.all(Array.from({ length: 50 }, ask));
    const exited = once(child, "exit");
    child.kill("SIGTERM");
    expect(await exited).toEqual([0, null]);
  });

  it.skipIf(process.platform !== "linux")("continues when neither stdout nor stderr can be written", async () => {
    const full = await open("/dev/full", "w");
    const argv = ["serve", "--json", "--port", "0", "--store", "memory"];
    const { PATH, SVC_DATA_DIR } = process.env;
    const env = { PATH, SVC_DATA_DIR, HOME: directory };
    const stdio: StdioOptions = ["ignore", full.fd, full.fd];
    const child = spawn(process.execPath, [BIN, ...argv], { cwd: directory, env, stdio });
    onTestFinished(() => void child.kill("SIGKILL"));
    await full.close();
    const exited = once(child, "exit");
    const found = (): FoundServerFile | undefined => readServerFiles(process).find(({ pid }) => pid === child.pid);
    while (!found() && child.exitCode === null) await setImmediate();
    const { url, path } = found()!;
    for (const redirectUri of ["http://localhost:3/", "ftp://x", "ftp://x"])
      await fetch(`${url}/sign-in?redirect_uri=${redirectUri}`, { redirect: "manual" });
    expect((await fetch(`${url}/__svc/health/live`)).status).toBe(200);
    child.kill("SIGTERM");
    expect(await exited).toEqual([0, null]);
    expect(existsSync(path)).toBe(false);
  });

  it.each([
    ["npx svc-identity serve", { npm_lifecycle_event: "npx", npm_lifecycle_script: "'svc-identity'" }],
    ["npm start", { npm_lifecycle_event: "start", npm_lifecycle_script: "FORCE_COLOR=1 node bin/svc.js serve 2>&1" }],
  ])("exits with the shell that %s runs it in, which forwards no signal", async (_, npm) => {
    const script = `'${process.execPath}' '${BIN}' serve --json --port 0 --store memory; exit 1`;
    const env = { PATH: process.env["PATH"], SVC_DATA_DIR: process.env["SVC_DATA_DIR"], HOME: directory, ...npm };
    const shell = spawn("sh", ["-c", script], { cwd: directory, env, stdio: ["ignore", "pipe", "ignore"] });
    let output = "";
    shell.stdout.setEncoding("utf8").on("data", (text: string) => (output += text));
    const closed = once(shell.stdout, "close");
    while (!output.includes("\n")) await once(shell.stdout, "data");
    const { pid } = JSON.parse(output.split("\n")[0]!) as { pid: number };
    onTestFinished(() => {
      try {
        process.kill(pid, "SIGKILL");
      } catch {
        // It has exited, as expected.
      }
    });
    expect(pid).not.toBe(shell.pid);
    shell.kill("SIGTERM");
    // The server holds its end of the pipe until it exits.
    await closed;
    expect(() => runningIn(directory)).toThrow("no server runs");
  });

  it("finishes running requests before it exits", async () => {
    const { child, ended, ready } = await serve();
    const [acme] = runningIn(directory).instances;
    const begun = request({
      port: ready.port,
      host: "127.0.0.1",
      path: "/api/v1/tokens/verify",
      method: "POST",
      headers: { "content-type": "application/json", "x-service-secret-key": acme!.secret_key, expect: "100-continue" },
    });
    const answered = once(begun, "response");
    begun.flushHeaders();
    await once(begun, "continue");
    begun.write('{"tok');
    child.kill("SIGTERM");
    await refusing(ready.port);
    begun.end('en":""}');
    const [response] = (await answered) as [
      { statusCode: number; setEncoding(encoding: string): AsyncIterable<string> },
    ];
    let text = "";
    response.setEncoding("utf8");
    for await (const chunk of response as unknown as AsyncIterable<string>) text += chunk;
    expect([response.statusCode, text, (await ended).code]).toEqual([400, '{"error":"Missing token"}', 0]);
  });

  it.each(possible(["127.0.0.1", "::1"]))(
    "does not move to another port when its own is in use at %s",
    async (host) => {
      const port = await portOf(createServer(), host);
      const ended = await inProcess(["serve", "--port", String(port), "--store", "memory"]);
      expect(ended).toMatchObject({
        code: 8,
        stdout: "",
        stderr: `✗ Port ${port} is in use by another process. Stop that one, or choose another port: --port 0 takes any that is free.\n`,
      });
      expect(existsSync(placeIn(directory))).toBe(false);
    },
  );

  it("fails when another process has the store, and names that process", async () => {
    const first = await serve([]);
    const second = await inProcess(["serve", "--port", "0"]);
    expect(second).toMatchObject({
      code: 8,
      stdout: "",
      stderr: `✗ ${first.ready.store} is in use by process ${first.child.pid}. Stop that one, or give this one another --store.\n`,
    });
    expect((await inProcess(["users", "list"])).code).toBe(0);
  });

  it("serves a named store where no data directory can be written, and says that commands do not find it", async () => {
    const none = { HOME: undefined, SVC_DATA_DIR: undefined };
    for (const [env, reason] of [
      [none, "No data directory: HOME is not set."],
      [{ ...none, HOME: "/dev/null" }, "/dev/null/.local/share/svc/stores/"],
    ] as const) {
      const { ready, output } = await serveHere(["--store", "memory"], { cwd: directory, env });
      expect((await fetch(`${ready.url}/__svc/health/live`)).status).toBe(200);
      expect(output().find((line) => line.includes("do not find"))).toContain(reason);
      expect(ready).toMatchObject({ file: null });
      const refused = await inProcess(["serve", "--port", "0"], { env });
      expect(refused).toMatchObject({
        stdout: "",
        stderr: expect.stringContaining("Set SVC_DATA_DIR to a directory") as string,
      });
      expect(refused.stderr).toContain(reason);
    }
  });

  it("with a self-signed certificate is trusted by commands in the same directory, and found by the Dockerfile's health check", async () => {
    const { ready } = await serveHere(["--store", "memory", "--https"], { cwd: directory });
    expect(ready.url).toBe(`https://localhost:${ready.port}`);
    const { code, stdout, stderr } = await inProcess(["users", "list", "--instance", "globex"]);
    expect([code, stdout.split("\t")[1], stderr]).toEqual([0, "ada@acme.test", ""]);
    await expect(healthCheck(directory)).resolves.toBeUndefined();
  });
});

/** Resolves when nobody listens at the port any more. */
async function refusing(port: number): Promise<void> {
  for (;;) {
    const socket = connect(port, "127.0.0.1");
    const outcome = await once(socket, "connect").catch((error: NodeJS.ErrnoException) => error.code);
    socket.destroy();
    if (outcome === "ECONNREFUSED") return;
  }
}
