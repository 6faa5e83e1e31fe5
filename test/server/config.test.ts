// Below the faces: which server a command would ask is read, without asking it.

import { chown, mkdir, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import type { GlobalFlags } from "../../src/cli/command.ts";
import { leaveTrace, plantFile, serverFile, writeRunning, type ServerFacts } from "../_server-file.ts";
import { findRunningServer } from "../../src/cli/connection/running-server.ts";
import type { ClientOptions } from "../../src/client/client.ts";
import { clientOptions, keyedClientOptions, createContext, runCli } from "../_cli.ts";
import { directory, useDirectory } from "../_config.ts";

useDirectory();

const OWN_KEY = "sk_own_0123456789abcdefghijklmnopqrstuvwxyz";

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

interface Where {
  env?: Record<string, string>;
  flags?: GlobalFlags;
  cwd?: string;
}

/** The client's options without its transport. */
async function resolve({ env = {}, flags = {}, cwd = directory }: Where): Promise<ClientOptions> {
  const { fetch: _, retry: __, timeoutMs: ___, ...options } = await clientOptions(createContext({ env, cwd }), flags);
  return options;
}

const OF_ACME = {
  secretKey: ACME.secret_key,
  publishableKey: ACME.publishable_key,
  baseUrl: ACME.url,
  apiUrl: SERVER.api_url,
};

const OF_GLOBEX = {
  secretKey: GLOBEX.secret_key,
  publishableKey: GLOBEX.publishable_key,
  baseUrl: GLOBEX.url,
  apiUrl: SERVER.api_url,
};

describe("The server that a command uses", () => {
  it.each<[what: string, where: Where, options: object]>([
    [
      "a flag, before the environment",
      { flags: { baseUrl: "https://flag.test" }, env: { SVC_BASE_URL: BASE } },
      { baseUrl: "https://flag.test" },
    ],
    [
      "the environment, before a server that runs here",
      { env: { SVC_BASE_URL: BASE, SVC_SECRET_KEY: OWN_KEY } },
      { baseUrl: BASE, secretKey: OWN_KEY },
    ],
    [
      "the environment's publishable key",
      { env: { SVC_API_URL: BASE, SVC_PUBLISHABLE_KEY: "pk_own_0123" } },
      { apiUrl: BASE, publishableKey: "pk_own_0123" },
    ],
    ["the first instance of a server that runs here", {}, OF_ACME],
    ["another instance, by its subdomain", { flags: { instance: "globex" } }, OF_GLOBEX],
    ["another instance, by its id", { flags: { instance: "id-of-globex" } }, OF_GLOBEX],
    ["another instance, by its publishable key", { flags: { instance: GLOBEX.publishable_key } }, OF_GLOBEX],
    ["the instance of the key in the environment", { env: { SVC_SECRET_KEY: GLOBEX.secret_key } }, OF_GLOBEX],
    [
      "unaffected by an empty variable",
      { env: { SVC_BASE_URL: "", SVC_API_URL: "", SVC_SECRET_KEY: "", SVC_PUBLISHABLE_KEY: "" } },
      OF_ACME,
    ],
  ])("is %s", async (_, where, options) => {
    await writeRunning(directory, SERVER);
    expect(await resolve(where)).toEqual(options);
  });

  it("is the nearest one that runs in a parent directory", async () => {
    const below = join(directory, "a", "b");
    await mkdir(below, { recursive: true });
    await writeRunning(directory, SERVER);
    expect(await resolve({ cwd: below })).toEqual(OF_ACME);
    await writeRunning(join(directory, "a"), { ...SERVER, instances: [GLOBEX] });
    expect(await resolve({ cwd: below })).toEqual(OF_GLOBEX);
    expect(await resolve({ cwd: directory })).toEqual(OF_ACME);
  });

  it("is undefined if none runs and none is named", async () => {
    await expect(resolve({ env: { SVC_DATA_DIR: directory } })).rejects.toMatchObject({
      exitCode: 4,
      message: "No service is configured: no server runs in this directory, and SVC_BASE_URL is not set.",
      hint: "Start a local server with: svc serve. For a service elsewhere: svc login",
    });
  });

  it("is undefined for an instance that the server does not have", async () => {
    await writeRunning(directory, SERVER);
    await expect(resolve({ flags: { instance: "initech" } })).rejects.toMatchObject({
      exitCode: 2,
      message: 'The server at http://localhost:7820 has no instance "initech".',
      hint: "It has acme, globex.",
    });
  });

  it.each<[what: string, where: Where]>([
    ["an address of no local server", { env: { SVC_BASE_URL: BASE, SVC_SECRET_KEY: OWN_KEY } }],
    ["another instance's key", { env: { SVC_SECRET_KEY: ACME.secret_key } }],
  ])("is undefined if --instance contradicts %s", async (_, where) => {
    await writeRunning(directory, SERVER);
    await expect(resolve({ ...where, flags: { instance: "globex" } })).rejects.toMatchObject({ exitCode: 2 });
  });
});

describe("A server file", () => {
  it("is readable by its owner only", async () => {
    const { path } = await writeRunning(directory, SERVER);
    const mode = async (name: string): Promise<number> => (await stat(name)).mode & 0o777;
    expect([await mode(dirname(path)), await mode(path)]).toEqual([0o700, 0o600]);
  });

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
    await expect(resolve({})).rejects.toMatchObject({
      exitCode: 7,
      message: `The local server of ${directory} is not running.`,
    });
  });

  // Only root can change a file's owner.
  it.skipIf(process.getuid?.() !== 0)("is ignored if another user wrote it", async () => {
    const { path } = await writeRunning(directory, SERVER);
    await chown(path, 65_534, 65_534);
    expect(await findRunningServer(createContext({ cwd: join(directory, "below") }))).toBeUndefined();
  });
});

describe("A secret key", () => {
  it("of a local server is not sent to an address from another source", async () => {
    await writeRunning(directory, SERVER);
    expect(await resolve({ flags: { baseUrl: BASE } })).toEqual({ baseUrl: BASE });
    expect(await resolve({ env: { SVC_BASE_URL: BASE } })).toEqual({ baseUrl: BASE });
    expect(await resolve({ env: { SVC_API_URL: BASE } })).toEqual({ apiUrl: BASE });
  });

  it("of the environment is not sent to a local server that does not know it", async () => {
    await writeRunning(directory, SERVER);
    await expect(resolve({ env: { SVC_SECRET_KEY: OWN_KEY } })).rejects.toMatchObject({
      exitCode: 4,
      message: "SVC_SECRET_KEY does not belong to the server at http://localhost:7820.",
      hint: "Unset it to use that server's own key, or set SVC_BASE_URL to the service that it belongs to.",
    });
  });

  it("of the environment is sent to the address of a flag if the environment has no address", async () => {
    const where = { env: { SVC_SECRET_KEY: OWN_KEY }, flags: { baseUrl: BASE } };
    expect(await resolve(where)).toEqual({ secretKey: OWN_KEY, baseUrl: BASE });
  });

  it("of the environment is not sent to another origin than the environment's", async () => {
    const env = { SVC_SECRET_KEY: OWN_KEY, SVC_BASE_URL: BASE };
    const { code, requests } = await runCli(["users", "list", "--base-url", "https://elsewhere.test"], { env });
    expect([code === 0, requests]).toEqual([false, []]);
  });

  it("is not sent to a default address: without an address there is no server", async () => {
    await expect(resolve({ env: { SVC_SECRET_KEY: OWN_KEY } })).rejects.toMatchObject({
      exitCode: 2,
      message: "No address for the key in SVC_SECRET_KEY.",
      hint: "Set SVC_BASE_URL to the address of your instance.",
    });
  });

  it("is required by commands that need one", async () => {
    const context = createContext({ env: { SVC_BASE_URL: BASE }, cwd: directory });
    await expect(keyedClientOptions(context, {})).rejects.toMatchObject({
      exitCode: 4,
      message: "No secret key for this service.",
      hint: "Set SVC_SECRET_KEY, or store the key with: svc login",
    });
  });

  it("is not repeated in the error for an invalid key", async () => {
    const env = { SVC_SECRET_KEY: "swapped_0123456789", SVC_BASE_URL: BASE };
    const { code, stderr, requests } = await runCli(["users", "list"], { env });
    expect([code, stderr, requests]).toEqual([2, "✗ SVC_SECRET_KEY must begin with sk_ and contain no spaces\n", []]);
  });

  it("is named by its variable where it is a publishable key", async () => {
    const env = { SVC_SECRET_KEY: "pk_swapped_0123456789", SVC_BASE_URL: BASE };
    const { code, stderr, requests } = await runCli(["users", "list"], { env });
    const message = "SVC_SECRET_KEY is a publishable key: use the secret key, which begins with sk_";
    expect([code, stderr, requests]).toEqual([2, `✗ ${message}\n`, []]);
  });
});
