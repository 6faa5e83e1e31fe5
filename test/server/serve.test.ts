import { temporaryDirectory } from "../_files.ts";
import { startServer } from "../_control.ts";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { serve, ServeError, type RunningServer, type ServeOptions } from "../../src/server/index.ts";
import { APP, SEED } from "../_setup.ts";

async function location(url: string): Promise<string> {
  const response = await fetch(url, { redirect: "manual", headers: { "user-agent": "test" } });
  return response.headers.get("location") ?? "";
}

describe("svc serve", () => {
  let directory: string;
  let seed: string;
  const servers: RunningServer[] = [];
  beforeEach(async () => {
    directory = temporaryDirectory();
    seed = join(directory, "seed.json");
    await writeFile(seed, JSON.stringify(SEED));
  });
  afterEach(async () => {
    for (const server of servers.splice(0)) await server.close();
  });

  const start = async (options: ServeOptions): Promise<RunningServer> => {
    const server = await serve({ port: 0, store: "memory", seed, ...options });
    servers.push(server);
    return server;
  };
  it("simulates a provider without credentials on a local machine", async () => {
    const { url } = await start({});
    const query = new URLSearchParams({ provider: "github", redirect_uri: APP });
    expect(await location(`${url}/oauth/authorize?${query.toString()}`)).toMatch(
      `${url}/__svc/simulator/github/authorize?`,
    );
  });

  it.each<[string, ServeOptions]>([
    ["an address that others reach", { host: "0.0.0.0" }],
    ["a public address in front of it", { publicUrl: "https://auth.example.test" }],
  ])(
    "does not start behind %s without credentials for the default providers, and says what to do",
    async (_, options) => {
      const message = [
        "This server can be reached from elsewhere, where no provider is simulated: there are no credentials for the default_provider of Acme (google), Globex (github). Set SVC_GOOGLE_CLIENT_ID and SVC_GOOGLE_CLIENT_SECRET, or set default_provider in the seed to a provider that has credentials.",
        "Acme and Globex are the demo's instances. Create your own with npx svc-identity init, then start once with --reset, which deletes all records.",
        "For tests only: with --providers simulated, anyone can sign in as anyone.",
      ].join("\n");
      await expect(start({ ...options, seed: undefined })).rejects.toThrow(new ServeError(message));
    },
  );

  it("starts there if simulation is requested, and then redirects to registered addresses only", async () => {
    const { port } = await start({ host: "0.0.0.0", providers: "simulated" });
    const query = new URLSearchParams({ provider: "github", redirect_uri: APP });
    const response = await fetch(`http://127.0.0.1:${port}/oauth/authorize?${query.toString()}`, {
      redirect: "manual",
    });
    expect(response.status).toBe(400);
    expect(await response.json()).toEqual({
      error: expect.stringMatching(/^Invalid redirect_uri: Acme has no redirect_uris/),
    });
  });

  it("sends users to registered addresses only if it is strict, loopback not excepted", async () => {
    const { url } = await start({ strict: true });
    const query = new URLSearchParams({ provider: "github", redirect_uri: APP });
    const response = await fetch(`${url}/oauth/authorize?${query.toString()}`, { redirect: "manual" });
    expect([response.status, await response.json()]).toEqual([
      400,
      { error: expect.stringMatching(/^Invalid redirect_uri: Acme has no redirect_uris. With --strict/) },
    ]);
  });

  it("does not list its instances publicly", async () => {
    const { port } = await start({ host: "0.0.0.0", providers: "simulated" });
    expect((await fetch(`http://127.0.0.1:${port}/`)).status).toBe(404);
  });

  it("does not start with --providers real if a default provider has no credentials", async () => {
    const credentials = { google: { client_id: "id", client_secret: "secret" } };
    await expect(start({ providers: "real", credentials })).rejects.toThrow(
      /^--providers real: there are no credentials for the default_provider of Globex \(github\)\. Set SVC_GITHUB_CLIENT_ID and SVC_GITHUB_CLIENT_SECRET, or set default_provider in the seed to google\./,
    );
  });

  it("redirects to the real provider if it has credentials", async () => {
    const { url } = await start({ credentials: { google: { client_id: "our-id", client_secret: "secret" } } });
    const target = new URL(await location(`${url}/sign-in?redirect_uri=${encodeURIComponent(APP)}`));
    expect(target.origin + target.pathname).toBe("https://accounts.google.com/o/oauth2/v2/auth");
    expect(target.searchParams.get("client_id")).toBe("our-id");
  });

  it("uses the public address in everything that it sends", async () => {
    const { port, url, instances } = await start({ publicUrl: "https://auth.example.test", providers: "simulated" });
    expect(url).toBe("https://auth.example.test");
    expect(instances.map((instance) => instance.url)).toEqual([
      "https://acme.auth.example.test",
      "https://globex.auth.example.test",
    ]);
    const discovery = await (await fetch(`http://127.0.0.1:${port}/.well-known/openid-configuration`)).json();
    expect(discovery).toMatchObject({ issuer: "https://auth.example.test" });
  });

  it.each<[string, ServeOptions, RegExp]>([
    ["a store it does not know", { store: "mysql://db" }, /^"mysql:" is not a supported kind of store/],
    [
      "a missing seed",
      { seed: "/nowhere/seed.json" },
      /^The seed \/nowhere\/seed\.json cannot be read: no such file or directory/,
    ],
    ...["proxy", "10.0.0.0/33", "10.0.0.0/99", "2001:db8::/129", "10.0.0.0/"].map(
      (entry): [string, ServeOptions, RegExp] => [
        `a proxy that is not an address: ${entry}`,
        { trustProxy: [entry] },
        new RegExp(`^--trust-proxy: "${entry}" is neither an address nor a network`),
      ],
    ),
  ])("explains what is wrong with %s", async (_, options, message) => {
    await expect(start(options)).rejects.toThrow(message);
  });

  it("applies a seed to an empty store only, unless --reset is given", async () => {
    const store = join(directory, "db.json");
    const keys = async (options: ServeOptions): Promise<string[]> => {
      const server = await serve({ port: 0, store, ...options });
      await server.close();
      return server.instances.map(({ publishable_key }) => publishable_key);
    };
    const demo = await keys({});
    expect(await keys({ seed })).toEqual(demo);
    expect(await keys({ seed, reset: true })).toEqual(["pk_acme_0123456789", "pk_globex_0123456789"]);
  });

  it("refuses a store that has records but no instance", async () => {
    const store = join(directory, "db.json");
    const server = await startServer({ store, seed });
    for (const name of ["acme", "globex"]) expect((await server.control(`DELETE /instances/${name}`)).status).toBe(200);
    await server.close();
    await expect(start({ store })).rejects.toThrow(/contains records but no instances.*--reset/);
    expect((await start({ store, reset: true })).instances).toHaveLength(2);
  });

  it.each<[string, () => Promise<ServeOptions> | ServeOptions]>([
    ["a missing seed", () => ({ seed: join(directory, "nope.json") })],
    [
      "a seed that is not JSON",
      () => writeFile(join(directory, "bad.json"), "{").then(() => ({ seed: join(directory, "bad.json") })),
    ],
    [
      "a seed with a fault",
      () => writeFile(join(directory, "bad.json"), "{}").then(() => ({ seed: join(directory, "bad.json") })),
    ],
    ["missing credentials", () => ({ providers: "real" })],
    ["a port that is taken", async () => ({ port: (await start({})).port })],
  ])("--reset leaves the store alone when %s prevents the start", async (_, options) => {
    const store = join(directory, "db.json");
    await (await serve({ port: 0, store, seed })).close();
    const before = await readFile(store, "utf8");
    await expect(start({ store, reset: true, ...(await options()) })).rejects.toThrow();
    expect(await readFile(store, "utf8")).toBe(before);
  });

  it("lists every fault of a seed, also beside an invalid date", async () => {
    const faulty = structuredClone(SEED) as { instances: { users: object[] }[] };
    Object.assign(faulty.instances[0]!.users[0]!, { created_at: "yesterday" });
    Object.assign(faulty.instances[0]!.users[1]!, { email: "no address", created_at: "2026-13-45T00:00:00Z" });
    await writeFile(join(directory, "bad.json"), JSON.stringify(faulty));
    await expect(start({ seed: join(directory, "bad.json") })).rejects.toThrow(
      /users\[0\]\.created_at: must be a date.*\n.*users\[1\]\.email: must be an e-mail address.*\n.*users\[1\]\.created_at: must be a date/,
    );
  });

  it("trusts X-Forwarded-For from a trusted proxy only, and its last untrusted hop", async () => {
    const addressSeen = async (trustProxy: string[]): Promise<string> => {
      const server = await start({ trustProxy });
      const headers = { "user-agent": "test", "x-forwarded-for": "6.6.6.6, 203.0.113.9, 10.0.0.5" };
      const query = new URLSearchParams({
        provider: "twitter",
        login_hint: "mary",
        redirect_uri: "http://localhost:3000/",
      });
      let url = `${server.url}/oauth/authorize?${query.toString()}`;
      for (let hop = 0; hop < 3; hop++)
        url = (await fetch(url, { redirect: "manual", headers })).headers.get("location") ?? "";
      const key = { "x-service-secret-key": server.instances[0]!.secret_key };
      const found = await fetch(`${server.url}/api/v1/sessions/search?query=provider:twitter`, { headers: key });
      return ((await found.json()) as { data: { ip_address: string } }[])[0]!.data.ip_address;
    };
    expect(await addressSeen([])).toMatch(/^(127\.0\.0\.1|::1)$/);
    expect(await addressSeen(["192.0.2.1"])).toMatch(/^(127\.0\.0\.1|::1)$/);
    expect(await addressSeen(["127.0.0.1", "::1", "10.0.0.0/8"])).toBe("203.0.113.9");
  });
});
