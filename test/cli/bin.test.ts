import { once } from "node:events";
import { mkdir, mkdtemp, readFile } from "node:fs/promises";
import { connect } from "node:net";
import { constants, tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createNetworkFetch } from "../../src/testing/fetch.ts";
import {
  children,
  endAll,
  inProcess,
  type Ready,
  run,
  type Running,
  serve,
  sockets,
  start,
  useProcesses,
} from "../_bin.ts";
import { needs } from "../_machine.ts";
import { BIN } from "../_paths.ts";
import { PROVIDERS } from "../../src/wire/providers.ts";
import { runningIn } from "../_server-file.ts";

useProcesses();

const { fetch: send, close } = createNetworkFetch();
afterAll(close);

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Follows all redirects and returns the last response's text. */
async function follow(url: string): Promise<string> {
  const response = await send(url, { redirect: "manual" });
  const location = response.headers.get("location");
  return location === null ? response.text() : follow(location);
}

describe("svc --version", () => {
  it("prints the package's version", async () => {
    const { version } = JSON.parse(await readFile(new URL("../../package.json", import.meta.url), "utf8")) as {
      version: string;
    };
    expect(await run(["--version"])).toEqual({ code: 0, signal: null, stdout: `${version}\n`, stderr: "" });
    const { stdout } = await run(["--version", "--json"]);
    expect(JSON.parse(stdout)).toEqual({ version, node: process.version, platform: expect.any(String) as string });
  });
});

describe("In a directory that was deleted, svc", () => {
  it("runs what needs no files", needs("bash"), async () => {
    const line = `mkdir gone && cd gone && rmdir ../gone && "${process.execPath}" "${BIN}" users search --explain name:ada`;
    const { code, stdout, stderr } = await start(["-c", line], {}, "bash").ended;
    expect([code, stderr]).toEqual([0, ""]);
    expect(stdout).toContain("users whose name is");
  });
});

describe("The installed svc beside svc serve", () => {
  let home: string;
  let server: Running & { ready: Ready };
  beforeAll(async () => {
    home = await mkdtemp(join(tmpdir(), "svc-bin-"));
    server = await serve(["--store", "memory"], { cwd: home });
    children.splice(0);
  });
  afterAll(() => endAll([server.child]));

  /** The token of a sign-in as Ada. */
  async function signIn(): Promise<string> {
    return (await inProcess(["sign-in", "--as", "ada", "--token"], { cwd: home })).stdout;
  }

  it("prints time and address in the first line, and no secret", async () => {
    const { port } = server.ready;
    const instance = (name: string, subdomain: string): object => ({
      id: expect.stringMatching(UUID) as string,
      name,
      subdomain,
      url: `http://${subdomain}.localhost:${port}`,
      program_url: `http://localhost:${port}`,
      publishable_key: expect.stringMatching(/^pk_[\w-]{24}$/) as string,
    });
    expect(server.ready).toEqual({
      type: "ready",
      url: `http://localhost:${port}`,
      api_url: `http://api.localhost:${port}`,
      callback_url: `http://localhost:${port}`,
      pid: server.child.pid,
      file: runningIn(home).path,
      port,
      store: "memory",
      providers: Object.fromEntries(PROVIDERS.map((name) => [name, "simulated"])),
      instances: [instance("Acme", "acme"), instance("Globex", "globex")],
    });
    expect(JSON.stringify(server.ready)).not.toContain("sk_");
  });

  it("needs no configuration in the server's directory and below, and each request is logged as a line", async () => {
    const below = join(home, "a", "b");
    await mkdir(below, { recursive: true });
    const { code, stdout, stderr } = await run(["users", "list"], { cwd: below });
    expect([code, stderr]).toEqual([0, ""]);
    expect(stdout.split("\n").map((line) => line.split("\t")[1])).toEqual([
      "3001@twitter.invalid",
      "grace@acme.test",
      "ada@acme.test",
      "charles@acme.test",
      undefined,
    ]);
    const globex = await inProcess(["users", "list", "--instance", "globex"], { cwd: home });
    expect(globex.stdout.split("\n")).toHaveLength(2);
    const [, line = ""] = await server.until("stdout", /^(.*"instance":"globex".*)\n/m);
    expect(JSON.parse(line)).toEqual({
      type: "request",
      request_id: expect.any(String) as string,
      reason: null,
      refused: null,
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/) as string,
      level: "info",
      flow_id: null,
      method: "GET",
      route: "/api/v1/users",
      path: null,
      status: 200,
      ms: expect.any(Number) as number,
      instance: "globex",
      sign_in: null,
    });
  });

  it("ends sign-in when the printed link has been followed, though the browser keeps a spare connection open", async () => {
    const signingIn = start(["sign-in", "--no-open"], { cwd: home });
    const [, link = "", port] = await signingIn.until("stderr", /^ {2}(http\S+127\.0\.0\.1%3A(\d+)\S+)\n/m);
    const spare = connect(Number(port), "127.0.0.1");
    sockets.push(spare);
    await once(spare, "connect");
    expect(await follow(`${link}&login_hint=ada`)).toBe(
      "Signed in. You can close this page and go back to the terminal.\n",
    );
    const { code, stdout, stderr } = await signingIn.ended;
    expect([code, stderr]).toEqual([
      0,
      `Sign in at:\n  ${link}\nWaiting up to 300 seconds for the sign-in. Press Ctrl-C to stop.\nSigned in at acme (${new URL(link).origin}, the local server).\n`,
    ]);
    expect(stdout).toContain("\nemail\tada@acme.test\nname\tAda Lovelace\n");
  });

  it("supports --geoip in the bundle", async () => {
    const { code, stderr } = await start(["serve", "--port", "0", "--store", "memory", "--geoip", "none.mmdb"], {
      cwd: home,
    }).ended;
    expect([code, stderr]).toEqual([
      2,
      expect.stringMatching(/^✗ --geoip: .*none\.mmdb can't be read as a MaxMind DB file/),
    ]);
  });

  it.each([
    ["SIGINT", 130],
    ["SIGTERM", 143],
  ] as const)("ends sign-in on %s with exit code %i", async (signal, code) => {
    const signingIn = start(["sign-in", "--no-open"], { cwd: home });
    await signingIn.until("stderr", /\n {2}http/);
    signingIn.child.kill(signal);
    const ended = await signingIn.ended;
    // A shell reports both alike.
    expect([ended.code ?? 128 + constants.signals[ended.signal!], ended.stdout]).toEqual([code, ""]);
  });

  it("prints no line that contains a token", async () => {
    const token = await signIn();
    await inProcess(["tokens", "verify", "-"], { cwd: home, stdin: token });
    server.child.kill("SIGTERM");
    const { stdout, stderr } = await server.ended;
    expect(stdout).toContain('"route":"/oauth/:provider/callback"');
    expect(stdout + stderr).not.toContain(token.trim());
    expect(stdout + stderr).not.toContain("sk_");
  });
});
