import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, it, onTestFinished, vi } from "vitest";
import { serve, type RunningServer, type ServeOptions } from "../../src/server/index.ts";
import { runCli, type CliResult } from "../_cli.ts";
import { temporaryDirectory } from "../_files.ts";
import { placeIn, writeRunning } from "../_server-file.ts";

const NAMED = {
  id: "id",
  name: "Acme",
  subdomain: "acme",
  publishable_key: "pk_acme",
  secret_key: `sk_${"a".repeat(40)}`,
};

function svc(line: string, cwd: string, env: Record<string, string> = {}): Promise<CliResult> {
  return runCli(line.split(" "), { cwd, isOnline: true, env: { HOME: cwd, ...env } });
}

async function serverOf(directory: string, options: ServeOptions = {}): Promise<RunningServer> {
  const server = await serve({ port: 0, store: "memory", ...options });
  onTestFinished(() => server.close());
  const { url, api_url, instances, control_key, identity_secret, store } = server;
  await writeRunning(directory, { url, api_url, instances, control_key, identity_secret, store });
  return server;
}

it("In another directory commands name the servers of this machine, and what is typed to use one", async () => {
  const [app, elsewhere] = [temporaryDirectory(), temporaryDirectory()];
  const { url, instances } = await serverOf(app);
  for (const line of ["users list", "dev clock", "env"]) {
    const { code, stderr } = await svc(line, elsewhere);
    expect([code, stderr]).toEqual([
      4,
      expect.stringContaining(`On this machine for another directory: ${url} (${app})`),
    ]);
    expect(stderr).toMatch(/Add --base-url http:\/\/localhost:\d+ to use it\./);
  }
  const named = await svc(`env --base-url ${url}`, elsewhere);
  expect([named.code, named.stdout]).toEqual([0, expect.stringContaining(instances[0]!.secret_key)]);
  expect((await svc(`users list --base-url ${url}`, elsewhere)).code).toBe(0);
});

it("Of many servers of this machine a hint names five", async () => {
  const [cwd, data] = [temporaryDirectory(), temporaryDirectory()];
  vi.stubEnv("SVC_DATA_DIR", data);
  onTestFinished(() => void vi.unstubAllEnvs());
  for (let port = 7001; port <= 7007; port++) {
    const url = `http://localhost:${port}`;
    await writeRunning(temporaryDirectory(), { url, api_url: url, instances: [{ ...NAMED, url }] });
  }
  const { code, stderr } = await runCli(["users", "list"], { cwd, env: { HOME: cwd } });
  expect([code, stderr.match(/http:\/\/localhost:\d+ \(/g)]).toEqual([
    4,
    expect.toSatisfy((urls) => urls.length === 5),
  ]);
  expect(stderr).toContain(" and 2 more. Add --base-url and an address to use one.");
});

it("A server that is stopped for a while is said to live, and nobody is told to move its store", async () => {
  const directory = temporaryDirectory();
  const listening = `require("node:net").createServer().listen(0, "127.0.0.1", function () { console.log(this.address().port) })`;
  const child = spawn(process.execPath, ["-e", listening], { stdio: ["ignore", "pipe", "inherit"] });
  onTestFinished(() => void child.kill("SIGKILL"));
  const [port] = (await once(child.stdout, "data")) as [Buffer];
  const url = `http://localhost:${port.toString().trim()}`;
  await writeRunning(directory, { url, api_url: url, pid: child.pid!, instances: [{ ...NAMED, url }] });
  child.kill("SIGSTOP");
  for (const line of ["users list", "dev clock", `env --base-url ${url}`]) {
    const { code, stderr } = await svc(line, directory, { SVC_TIMEOUT: "0.3" });
    expect([line, code, stderr]).toEqual([
      line,
      7,
      expect.stringContaining(`is not answering. Its process ${child.pid} lives`),
    ]);
    expect(stderr).toContain(`kill -CONT ${child.pid}`);
    expect(stderr).not.toMatch(/move|svc serve/);
  }
  // It sends nothing, so no answer is waited for.
  const shown = await svc("whoami", directory);
  expect([shown.code, shown.stdout]).toEqual([0, expect.stringContaining(`base_url\t${url}  (the local server)`)]);
  child.kill("SIGKILL");
  await once(child, "exit");
  const gone = await svc("users list", directory, { SVC_TIMEOUT: "0.3" });
  expect([gone.code, gone.stderr]).toEqual([4, expect.stringContaining("No service is configured")]);
});

it("svc store export and check read the store of the server that runs here, and name it", async () => {
  const directory = temporaryDirectory();
  const store = join(directory, "own", "db.json");
  const { url } = await serverOf(directory, { store });
  const file = join(directory, "backup.ndjson");
  const exported = await svc(`store export --output-file ${file}`, directory);
  expect([exported.code, exported.stderr]).toEqual([0, expect.stringMatching(/^Exported 2 instances, /)]);
  expect(exported.stderr).toContain(` from ${store}, the store of the server at ${url}.`);
  const checked = await svc("store check", directory);
  expect([checked.code, checked.stdout]).toEqual([
    0,
    expect.stringContaining(`location\t${store}, the store of the server at ${url}\n`),
  ]);
  const other = await svc("store check --store other/db.json", directory);
  expect([other.code, other.stderr]).toEqual([9, expect.stringContaining("There is no store at")]);
  expect(existsSync(placeIn(directory))).toBe(false);
});

it("svc store export takes no other store in the place of records in memory, or of one of two servers'", async () => {
  const directory = temporaryDirectory();
  await serverOf(directory);
  const inMemory = await svc("store export", directory);
  expect([inMemory.code, inMemory.stdout]).toEqual([8, ""]);
  expect(inMemory.stderr).toContain("keeps its records in memory, where no other program can read them.");
  await serverOf(directory, { store: join(directory, "db.json") });
  const ofTwo = await svc("store export", directory);
  expect([ofTwo.code, ofTwo.stdout]).toEqual([2, ""]);
  expect(ofTwo.stderr).toContain("2 servers run in this directory, with the stores");
});
