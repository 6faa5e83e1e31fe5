import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { createServer, request } from "node:http";
import { connect, type AddressInfo, type Socket } from "node:net";
import { constants, tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createFetch } from "../src/client/transport.ts";
import { SEED } from "./_setup.ts";

const BIN = fileURLToPath(new URL("../bin/svc.js", import.meta.url));
const send = createFetch();
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

interface Running {
  readonly child: ChildProcess;
  readonly ended: Promise<Ended>;
  /** Resolves when the stream has brought what is looked for. */
  until(stream: "stdout" | "stderr", pattern: RegExp): Promise<RegExpExecArray>;
}

interface StartOptions {
  cwd?: string;
  env?: Record<string, string>;
  stdin?: string;
}

interface Ready {
  url: string;
  pid: number;
  port: number;
  store: string;
  instances: { url: string; subdomain: string; publishable_key: string }[];
}

let directory: string;
const children: ChildProcess[] = [];
const sockets: Socket[] = [];

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "svc-bin-"));
});
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await endAll(children.splice(0));
  await rm(directory, { recursive: true, force: true });
});

async function endAll(all: ChildProcess[]): Promise<void> {
  for (const child of all) {
    if (child.exitCode === null && child.signalCode === null && child.kill("SIGKILL")) await once(child, "close");
  }
}

/** The command, with nothing of this process's environment but where programs are. */
function start(args: readonly string[], options: StartOptions = {}, command = process.execPath): Running {
  const cwd = options.cwd ?? directory;
  const env = { PATH: process.env["PATH"], HOME: cwd, ...options.env };
  const child = spawn(command, command === process.execPath ? [BIN, ...args] : [...args], { cwd, env });
  children.push(child);
  const output = { stdout: "", stderr: "" };
  for (const name of ["stdout", "stderr"] as const) {
    child[name].setEncoding("utf8").on("data", (text: string) => (output[name] += text));
  }
  child.stdin.on("error", () => {}).end(options.stdin ?? "");
  const ended = once(child, "close").then(([code, signal]) => ({
    code: code as number | null,
    signal: signal as NodeJS.Signals | null,
    ...output,
  }));
  return {
    child,
    ended,
    async until(name, pattern) {
      for (;;) {
        const found = pattern.exec(output[name]);
        if (found) return found;
        const end = await Promise.race([once(child[name], "data").then(() => undefined), ended]);
        if (end) throw new Error(`ended with ${end.code} before ${String(pattern)}: ${end.stdout}${end.stderr}`);
      }
    },
  };
}

function run(args: readonly string[], options: StartOptions = {}): Promise<Ended> {
  return start(args, options).ended;
}

/** A server at a port that is free. */
async function serve(
  args: readonly string[] = ["--store", "memory"],
  options: StartOptions = {},
): Promise<Running & { ready: Ready }> {
  const running = start(["serve", "--port", "0", "--json", ...args], options);
  const [, line = ""] = await running.until("stdout", /^(.*)\n/);
  return { ...running, ready: JSON.parse(line) as Ready };
}

/** Follows redirects as far as there are any; answers with the last answer's text. */
async function follow(url: string): Promise<string> {
  const response = await send(url, {});
  const location = response.headers.get("location");
  return location === null ? response.text() : follow(location);
}

async function filesIn(path: string): Promise<string[]> {
  return readdir(path).catch(() => []);
}

describe("svc --version", () => {
  it("prints the package's version", async () => {
    const { version } = JSON.parse(await readFile(new URL("../package.json", import.meta.url), "utf8")) as {
      version: string;
    };
    expect(await run(["--version"])).toEqual({ code: 0, signal: null, stdout: `${version}\n`, stderr: "" });
  });
});

describe("Beside svc serve", () => {
  let home: string;
  let server: Running & { ready: Ready };
  beforeAll(async () => {
    home = await mkdtemp(join(tmpdir(), "svc-bin-"));
    server = await serve(["--store", "memory"], { cwd: home });
    children.splice(0);
  });
  afterAll(async () => {
    await endAll([server.child]);
    await rm(home, { recursive: true });
  });

  /** The token of a sign-in as Ada. */
  async function signIn(): Promise<string> {
    return (await start(["sign-in", "--as", "ada", "--token"], { cwd: home }).ended).stdout;
  }

  it("the first line says when and where, and tells no secret", async () => {
    const { port } = server.ready;
    const instance = (name: string, subdomain: string): object => ({
      id: expect.stringMatching(UUID) as string,
      name,
      subdomain,
      url: `http://${subdomain}.localhost:${port}`,
      publishable_key: expect.stringMatching(/^pk_[\w-]{24}$/) as string,
    });
    expect(server.ready).toEqual({
      type: "ready",
      url: `http://localhost:${port}`,
      api_url: `http://api.localhost:${port}`,
      callback_url: `http://localhost:${port}`,
      pid: server.child.pid,
      port,
      store: "memory",
      instances: [instance("Acme", "acme"), instance("Globex", "globex")],
    });
    expect(Object.keys(server.ready)).toEqual([
      "type",
      "url",
      "api_url",
      "callback_url",
      "pid",
      "port",
      "store",
      "instances",
    ]);
    expect(JSON.stringify(server.ready)).not.toContain("sk_");
  });

  it("commands need no configuration, in its directory and below, and each request is a line", async () => {
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
    const globex = await run(["users", "list", "--instance", "globex"], { cwd: home });
    expect(globex.stdout.split("\n")).toHaveLength(2);
    const [, line = ""] = await server.until("stdout", /^(.*"instance":"globex".*)\n/m);
    expect(JSON.parse(line)).toEqual({
      type: "request",
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/) as string,
      method: "GET",
      route: "/api/v1/users",
      status: 200,
      ms: expect.any(Number) as number,
      instance: "globex",
    });
  });

  it("sign-in ends when the printed link has been followed", async () => {
    const signingIn = start(["sign-in", "--no-open"], { cwd: home });
    const [, link = ""] = await signingIn.until("stderr", /^Sign in at:\n {2}(http\S+)\n/);
    expect(await follow(`${link}&login_hint=ada`)).toBe(
      "Signed in. You can close this page and go back to the terminal.\n",
    );
    const { code, stdout, stderr } = await signingIn.ended;
    expect([code, stderr]).toEqual([0, `Sign in at:\n  ${link}\nWaiting for it; Ctrl-C ends that.\n`]);
    expect(stdout).toContain("\nemail\tada@acme.test\nname\tAda Lovelace\n");
  });

  it("sign-in ends although the browser keeps a spare connection open", async () => {
    const signingIn = start(["sign-in", "--no-open", "--json"], { cwd: home });
    const [, link = "", port] = await signingIn.until("stderr", /^ {2}(http\S+127\.0\.0\.1%3A(\d+)\S+)\n/m);
    const spare = connect(Number(port), "127.0.0.1");
    sockets.push(spare);
    await once(spare, "connect");
    await follow(`${link}&login_hint=ada`);
    expect((await signingIn.ended).code).toBe(0);
  });

  it("sign-in needs no browser for a simulated account that is named", async () => {
    const { code, stdout, stderr } = await start(["sign-in", "--as", "ada", "--provider", "github"], { cwd: home })
      .ended;
    expect([code, stderr]).toEqual([0, ""]);
    expect(stdout).toContain("\nprovider\tgithub\n");
  });

  it("sign-in says at once that the instance does not send users here", async () => {
    const { code, stdout, stderr } = await start(["sign-in", "--instance", "globex"], { cwd: home }).ended;
    expect([code, stdout]).toEqual([1, ""]);
    expect(stderr).toMatch(
      /^✗ The service refused: Invalid redirect_uri: .*\n {2}This command is sent back to an address such as http:/,
    );
  });

  it("--geoip works from the bundle, too", async () => {
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
  ] as const)("sign-in is ended by %s with %i", async (signal, code) => {
    const signingIn = start(["sign-in", "--no-open"], { cwd: home });
    await signingIn.until("stderr", /\n {2}http/);
    signingIn.child.kill(signal);
    const ended = await signingIn.ended;
    // A shell reports both the same.
    expect([ended.code ?? 128 + constants.signals[ended.signal!], ended.stdout]).toEqual([code, ""]);
  });

  it("tokens verify reads standard input and tells by its exit code", async () => {
    const token = await signIn();
    expect(token).toMatch(/^[\w-]+\.[\w-]+\.[\w-]+\n$/);
    const verify = ["tokens", "verify", "-q", "-"];
    expect(await run(verify, { cwd: home, stdin: token })).toMatchObject({ code: 0, stdout: "", stderr: "" });
    expect(await run(verify, { cwd: home, stdin: token.replace(".", ".e30") })).toMatchObject({ code: 5, stdout: "" });
    const elsewhere = ["tokens", "verify", "-", "--instance", "globex"];
    expect(await run(elsewhere, { cwd: home, stdin: token })).toMatchObject({
      code: 5,
      stdout: "",
      stderr: expect.stringMatching(
        /^✗ Token does not belong to this instance\n {2}It was issued for instance [0-9a-f-]{36}\.\n$/,
      ) as string,
    });
  });

  it("a token is in no line that is printed", async () => {
    const token = await signIn();
    await run(["tokens", "verify", "-"], { cwd: home, stdin: token });
    server.child.kill("SIGTERM");
    const { stdout, stderr } = await server.ended;
    expect(stdout).toContain('"route":"/oauth/:provider/callback"');
    expect(stdout + stderr).not.toContain(token.trim());
    expect(stdout + stderr).not.toContain("sk_");
  });
});

describe("svc serve", () => {
  it.each([
    ["SIGTERM", {}],
    ["SIGINT", {}],
    ["SIGTERM", { CI: "1", TEST: "1" }],
    ["SIGINT", { CI: "1", TEST: "1" }],
  ] as const)("ends by %s with exit code 0 and takes its file away, in the environment %j", async (signal, env) => {
    const { child, ended } = await serve(undefined, { env });
    expect(await readdir(join(directory, ".svc"))).toContain("server.json");
    child.kill(signal);
    expect(await ended).toMatchObject({ code: 0, signal: null, stderr: "" });
    expect(await readdir(join(directory, ".svc"))).toEqual([".gitignore"]);
  });

  it("finishes what has begun before it ends", async () => {
    const { child, ended, ready } = await serve();
    const [acme] = (
      JSON.parse(await readFile(join(directory, ".svc/server.json"), "utf8")) as { instances: { secret_key: string }[] }
    ).instances;
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

  it.each(["127.0.0.1", "::1"])("does not move to another port when its own is taken at %s", async (host) => {
    const other = createServer();
    await once(other.listen(0, host), "listening");
    const { port } = other.address() as AddressInfo;
    const ended = await run(["serve", "--port", String(port), "--store", "memory"]);
    other.close();
    expect(ended).toEqual({
      code: 8,
      signal: null,
      stdout: "",
      stderr: `✗ Port ${port} is in use by another process. Stop that one, or choose another port: --port 0 takes any that is free.\n`,
    });
    expect(await filesIn(join(directory, ".svc"))).toEqual([]);
  });

  it("leaves a store to the process that has it, and says which that is", async () => {
    const first = await serve([]);
    const second = await run(["serve", "--port", "0"]);
    expect(second).toEqual({
      code: 8,
      signal: null,
      stdout: "",
      stderr: `✗ ${first.ready.store} is in use by process ${first.child.pid}. Stop that one, or give this one another --store.\n`,
    });
    expect((await run(["users", "list"])).code).toBe(0);
  });

  it("lists every fault of a seed with its path, and leaves no store", async () => {
    const [acme] = SEED.instances;
    const seed = {
      instances: [acme, { name: "", subdomain: "a b", users: [{ email: "ada", name: "Ada" }, { name: "Bob" }] }],
      personas: [{ email: "x@y.test" }],
      extra: 1,
    };
    await writeFile(join(directory, "seed.json"), JSON.stringify(seed));
    const { code, stdout, stderr } = await run(["serve", "--port", "0", "--seed", "seed.json"]);
    expect([code, stdout]).toEqual([2, ""]);
    const [title, ...faults] = stderr.trimEnd().split("\n");
    expect(title).toBe(`✗ ${join(directory, "seed.json")} can't be used; nothing of it was applied:`);
    expect(faults.map((fault) => /^ {2}(\S.*?): ./.exec(fault)?.[1])).toEqual([
      "instances[1].name",
      "instances[1].subdomain",
      "instances[1].users[0].email",
      "instances[1].users[1].email",
      "personas[0].name",
      "the file",
    ]);
    const left = await filesIn(join(directory, ".svc"));
    expect(left.filter((name) => name === "db.json" || name === "db.journal")).toEqual([]);
    expect((await serve([])).ready.instances).toHaveLength(2);
  });

  it("lists what can't be twice in a seed, with both paths", async () => {
    const [acme] = SEED.instances;
    await writeFile(join(directory, "seed.json"), JSON.stringify({ instances: [acme, { ...acme, users: [] }] }));
    const { code, stderr } = await run(["serve", "--port", "0", "--seed", "seed.json", "--store", "memory"]);
    expect([code, stderr.split("\n").slice(1, -1)]).toEqual([
      2,
      ["subdomain", "publishable_key", "secret_key"].map(
        (name) => `  instances[1].${name}: the same ${name.replace("_", " ")} is at instances[0].${name}`,
      ),
    ]);
  });

  it("ends when its file can't be written, instead of going on unfound", async () => {
    await writeFile(join(directory, ".svc"), "");
    const { code, stdout } = await run(["serve", "--port", "0", "--store", "memory", "--json"]);
    expect([code, stdout]).toEqual([1, ""]);
  });

  it("with a certificate of its own is trusted by the commands beside it", async () => {
    const { ready } = await serve(["--store", "memory", "--https"]);
    expect(ready.url).toBe(`https://localhost:${ready.port}`);
    const { code, stdout, stderr } = await run(["users", "list", "--instance", "globex"]);
    expect([code, stdout.split("\t")[1], stderr]).toEqual([0, "ada@acme.test", ""]);
  });
});

describe.skipIf(process.platform === "win32")("In a pipe", () => {
  const MANY = 4000;

  async function serveMany(): Promise<Ready> {
    const users = Array.from({ length: MANY }, (_, i) => ({ email: `user${i}@acme.test`, name: `User ${i}` }));
    await writeFile(join(directory, "seed.json"), JSON.stringify({ instances: [{ ...SEED.instances[0], users }] }));
    return (await serve(["--store", "memory", "--seed", "seed.json", "--quiet"])).ready;
  }

  it("a reader that has seen enough is no failure", async () => {
    await serveMany();
    const line = `"${process.execPath}" "${BIN}" users list | head -1; echo "\${PIPESTATUS[0]}"`;
    const { code, stdout, stderr } = await start(["-c", line], {}, "bash").ended;
    expect([code, stderr]).toEqual([0, ""]);
    expect(stdout).toMatch(/^[0-9a-f-]{36}\tuser\d+@acme\.test\tUser \d+\t\tfalse\t\S+\n0\n$/);
  });

  it("all of a long answer arrives, byte by byte", async () => {
    const { url } = await serveMany();
    const [acme] = SEED.instances;
    const response = await send(`${url}/api/v1/users`, {
      headers: { "x-service-secret-key": acme!.secret_key },
    });
    const { code, stdout } = await run(["users", "list", "--json"]);
    expect([code, stdout === `${await response.text()}\n`]).toEqual([0, true]);
    expect((JSON.parse(stdout) as unknown[]).length).toBe(MANY);
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
