import { chown, mkdir } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { leaveTrace, plantFile, serverFile, writeRunning, type ServerFacts } from "../_server-file.ts";
import { runCli } from "../_cli.ts";
import { directory, useDirectory } from "../_config.ts";

useDirectory();

const BASE = "https://acme.svc.test";

const SERVER: ServerFacts = {
  url: "http://localhost:7820",
  api_url: "http://api.localhost:7820",
  instances: ["acme", "globex"].map((subdomain) => ({
    id: `id-of-${subdomain}`,
    name: subdomain,
    subdomain,
    url: `http://${subdomain}.localhost:7820`,
    publishable_key: `pk_${subdomain}_0123456789`,
    secret_key: `sk_${subdomain}_0123456789abcdefghijklmnopqrstuvwxyz`,
  })),
};

const [ACME, GLOBEX] = SERVER.instances as [ServerFacts["instances"][0], ServerFacts["instances"][0]];

it("The server that a command uses is the nearest one that runs in a parent directory", async () => {
  const used = async (cwd: string): Promise<string> => (await runCli(["whoami"], { cwd })).stdout;
  const below = join(directory, "a", "b");
  await mkdir(below, { recursive: true });
  await writeRunning(directory, SERVER);
  expect(await used(below)).toContain(`base_url\t${ACME.url}  (the local server)`);
  await writeRunning(join(directory, "a"), { ...SERVER, instances: [GLOBEX] });
  expect(await used(below)).toContain(`base_url\t${GLOBEX.url}  (the local server)`);
  expect(await used(directory)).toContain(`base_url\t${ACME.url}  (the local server)`);
});

describe("A server file", () => {
  it.each<[what: string, change: string | object]>([
    ["nothing", ""],
    ["no JSON", "{"],
    ["null", "null"],
    ["a list", "[]"],
    ["an empty object", "{}"],
    ["no secret to prove itself by", { identity_secret: undefined }],
    ["another server's secret", { identity_secret: "another" }],
    ["an address of another machine", { url: "http://example.com" }],
    ["an instance on another machine", { instances: [{ ...ACME, url: BASE }] }],
    ["no instances", { instances: undefined }],
  ])("is ignored if it contains %s", async (_, change) => {
    const text = typeof change === "string" ? change : JSON.stringify({ ...serverFile(directory, SERVER), ...change });
    await plantFile(text);
    await leaveTrace(directory);
    const { code, stderr, requests } = await runCli(["users", "list"], { cwd: directory });
    expect([code, stderr, requests]).toEqual([7, expect.stringContaining(` of ${directory} is not running.`), []]);
  });

  // Only root can change a file's owner.
  it.skipIf(process.getuid?.() !== 0)("is ignored if another user wrote it", async () => {
    const { path } = await writeRunning(directory, SERVER);
    await chown(path, 65_534, 65_534);
    expect((await runCli(["users", "list"], { cwd: join(directory, "below") })).code).toBe(4);
  });
});
