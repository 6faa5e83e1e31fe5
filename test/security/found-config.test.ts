// Below the faces: what a start would do is read, as it must not be done.

import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { createServer, type AddressInfo } from "node:net";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { serveOptions, storeLocation } from "../../src/cli/commands/serve/options.ts";
import { createConnect } from "../../src/server/providers/connections.ts";
import { createOffers, type Credentials } from "../../src/server/providers/offers.ts";
import type { InstanceRecord } from "../../src/server/store/records.ts";
import { startSvc } from "../_attacks.ts";
import { createContext, runCli } from "../_cli.ts";
import { directory, useDirectory } from "../_config.ts";

useDirectory();

const SECRETS = { SVC_GITHUB_CLIENT_ID: "id", SVC_GITHUB_CLIENT_SECRET: "hush", PGPASSWORD: "hush" };
const github = (endpoints: object, more: object = {}): object => ({ providers: { github: { endpoints, ...more } } });

/** What `svc serve` makes of the file in its directory, or the message with which it does not start. */
async function start(config: object, flags: object = {}, env: object = SECRETS): Promise<unknown> {
  await writeFile(join(directory, "svc.config.json"), JSON.stringify(config));
  const context = createContext({ cwd: directory, env: env as Record<string, string> });
  return serveOptions(context, flags).catch((error: Error) => error.message);
}

const ELSEWHERE = { token: "http://127.0.0.1:8080/token" };

/** Where the secret of an instance's own connection is sent on a server with these credentials. */
async function askedBy(globals: Credentials): Promise<object> {
  const offers = createOffers({ mode: "auto", globals, isLocal: true });
  const ask = (): Promise<never> => Promise.reject(new Error("not asked"));
  const simulated = {
    ask,
    client: { client_id: "", client_secret: "" },
    endpoints: () => ({ authorize: "", token: "" }),
  };
  const connections = { github: { client_id: "mine", client_secret: "of the store" } };
  const connect = createConnect({ offers, globals, simulated, ask });
  const { client_secret, endpoints } = await connect(
    { name: "Acme", connections } as unknown as InstanceRecord,
    "github",
  );
  return { client_secret, token: endpoints.token };
}

/** The message for what svc does not take from a file that it found. */
function refused(...points: string[]): string {
  const lines = points.map((point) => `\n  ${point.includes(": ") ? point : `svc.config.json: ${point}`}`);
  return `svc found svc.config.json by itself. Who wrote it may not be you, so it takes none of this from it:${lines.join("")}`;
}

describe("T53: A svc.config.json that came with a repository", () => {
  it.each<[setting: string, config: object]>([
    ["host", { host: "0.0.0.0" }],
    ["host", { host: "dev.example.test" }],
    ["public_url", { public_url: "https://auth.example.test" }],
    // Commands and applications would be sent there, whoever listens.
    ["public_url", { public_url: "http://localhost:8080" }],
    ["allowed_hosts", { allowed_hosts: ["rebound.example.test"] }],
    ["trust_proxy", { trust_proxy: ["127.0.0.1"] }],
    ["retention", { retention: { sessions: "1h" } }],
    // Windows logs in where these lead.
    ["store", { store: "//evil.test/share/db.json" }],
    // Whoever made one knows every key in it, or it is another project's.
    ["store", { store: "data/db.json" }],
    ["store", { store: "../mine/data/db.json" }],
    ["store", { store: "/var/lib/svc/db.json" }],
    ["seed", { seed: "\\\\evil.test\\share\\seed.json" }],
    ["geoip", { geoip: "\\/evil.test/share/city.mmdb" }],
  ])(
    "does not open the server to others, lead it to another machine, or delete records: %s",
    async (setting, config) => {
      expect(await start(config)).toBe(refused(setting));
      expect(await start(config, { config: "svc.config.json" })).toEqual(expect.any(Object));
    },
  );

  it("sends no code of an application's own client beyond loopback, from the seed neither", async () => {
    const client = { provider: "google", client_id: "shop", client_secret: "secret" };
    const clients = [{ ...client, redirect_uris: ["http://127.0.0.1:3000/cb", "https://evil.test/cb"] }];
    const point = 'clients[0].redirect_uris[1]: "https://evil.test/cb"';
    expect(await start({ clients })).toBe(refused(`svc.config.json: ${point}`));
    expect(await start({ clients }, { config: "svc.config.json" })).toMatchObject({ clients });
    await writeFile(
      join(directory, "seed.json"),
      JSON.stringify({ instances: [{ name: "A", subdomain: "a", clients }] }),
    );
    expect(await start({ seed: "seed.json" })).toBe(refused(`seed.json: instances[0].${point}`));
    expect(await start({ clients: [{ ...client, redirect_uris: ["http://localhost/cb"] }] })).toHaveProperty("clients");
  });

  it("is told everything at once, with what would obey it", async () => {
    const token = "https://evil.test/token";
    const config = {
      host: "::",
      public_url: "https://auth.example.test",
      allowed_hosts: ["a.test"],
      trust_proxy: ["10.0.0.0/8"],
      store: "postgres://ada@evil.test/svc",
      ...github({ token }),
    };
    const points = [
      "host",
      "public_url",
      "allowed_hosts",
      "trust_proxy",
      "providers.github.endpoints.token (evil.test)",
    ];
    expect(await start(config)).toBe(refused(...points, "store (evil.test)"));
    const cli = await runCli(["serve"], { cwd: directory, env: SECRETS });
    expect([cli.code, cli.stdout]).toEqual([2, ""]);
    expect(cli.stderr).toContain("If you trust it, add: --config svc.config.json");
  });

  it("is obeyed for what serves loopback, and where flags and variables replace the rest", async () => {
    const local = { host: "127.0.0.1", port: 7000, allowed_hosts: [], store: "memory", https: true };
    expect(await start(local)).toMatchObject({ host: "127.0.0.1", port: 7000, https: true });
    const open = {
      host: "0.0.0.0",
      public_url: "https://evil.test",
      allowed_hosts: ["evil.test"],
      trust_proxy: ["0.0.0.0/0"],
      store: "postgres://evil.test/svc",
    };
    const flags = { publicUrl: "http://own.test", allowedHost: ["own.test"], trustProxy: ["10.0.0.1"] };
    expect(await start(open, flags, { SVC_HOST: "::1", SVC_STORE: "memory" })).toMatchObject({
      host: "::1",
      publicUrl: "http://own.test",
      allowedHosts: ["own.test"],
      trustProxy: ["10.0.0.1"],
      store: "memory",
    });
  });

  it.each([
    ["a token endpoint", github({ token: "https://evil.test/token" }), "token (evil.test)"],
    [
      "a user endpoint, which gets the provider's token",
      github({ user: "https://evil.test/user" }),
      "user (evil.test)",
    ],
    ["plain http", github({ token: "http://evil.test/token" }, { insecure: true }), "token (evil.test)"],
    [
      "credentials of its own, too",
      github({ token: "https://evil.test" }, { client_id: "i", client_secret: "s" }),
      "token (evil.test)",
    ],
    [
      "a user name that looks like the provider",
      github({ token: "https://github.com@evil.test/token" }),
      "token (evil.test)",
    ],
    [
      "a host that looks like loopback",
      github({ token: "https://127.0.0.1.evil.test/token" }),
      "token (127.0.0.1.evil.test)",
    ],
    // Whose profile that is would be the author's choice.
    ["the provider's own host", github({ user: "https://api.github.com/users/evil" }), "user (api.github.com)"],
  ])("does not send a provider's credentials elsewhere: %s", async (_, config, endpoint) => {
    const message = refused(`providers.github.endpoints.${endpoint}`);
    expect(await start(config)).toBe(message);
    // The credentials may also be in the store.
    expect(await start(config, {}, {})).toBe(message);
  });

  it("may name endpoints on loopback for credentials of its own, and for no others", async () => {
    const endpoints = { token: "http://127.0.0.1:8080/token", authorize: "http://localhost:8080/authorize" };
    const own = { client_id: "theirs", client_secret: "known" };
    const points = (why: string): string =>
      refused(
        `svc.config.json: providers.github.endpoints.token (127.0.0.1:8080): ${why}`,
        `svc.config.json: providers.github.endpoints.authorize (localhost:8080): ${why}`,
      );
    expect(await start(github(endpoints, own), {}, {})).toMatchObject({
      credentials: { github: { ...own, endpoints } },
    });
    expect(await start(github(endpoints, own))).toBe(points("SVC_GITHUB_CLIENT_ID is set"));
    expect(await start(github(endpoints))).toBe(points("SVC_GITHUB_CLIENT_ID is set"));
    expect(await start(github(endpoints), {}, { SVC_GITHUB_CLIENT_SECRET: "hush" })).toBe(
      points("SVC_GITHUB_CLIENT_SECRET is set"),
    );
    // The secret may be an instance's, in the store.
    expect(await start(github(endpoints), {}, {})).toBe(points("the file has no client_secret for it"));
    const google = { SVC_GOOGLE_CLIENT_ID: "id", SVC_GOOGLE_CLIENT_SECRET: "hush" };
    expect(await start(github(endpoints, own), {}, google)).toMatchObject({ credentials: { github: own } });
    expect(await start(github(endpoints), { config: "svc.config.json" })).toMatchObject({
      credentials: { github: { client_secret: "hush", endpoints } },
    });
  });

  it("leads no secret of an instance to the endpoints beside its own credentials", async () => {
    const theirs = { client_id: "theirs", client_secret: "known", endpoints: ELSEWHERE };
    const own = { client_secret: "of the store", token: "https://github.com/login/oauth/access_token" };
    expect(await askedBy({ github: theirs })).toEqual(own);
    // Endpoints alone, of a file that was named, are for all.
    expect(await askedBy({ github: { endpoints: ELSEWHERE } })).toEqual({ ...own, ...ELSEWHERE });
  });

  it("may name any host if the operator names the file, or if only simulated providers are used", async () => {
    const config = github({ token: "https://github.corp.test/token" });
    expect(await start(config, { config: "svc.config.json" })).toMatchObject({
      credentials: (config as { providers: object }).providers,
    });
    expect(await start(config, { providers: "simulated" })).toMatchObject({ providers: "simulated" });
  });

  it.each<[store: string, hosts: string, env?: object]>([
    ["postgres://ada@evil.test/svc", "evil.test"],
    ["postgres://ada:own@evil.test/svc", "evil.test"],
    ["postgresql://localhost@evil.test/svc", "evil.test"],
    ["postgres:///svc?host=evil.test", "evil.test"],
    ["postgres://ada@localhost/svc?host=evil.test", "evil.test"],
    ["postgres://ada@localhost/svc?host=localhost,evil.test", "evil.test"],
    ["postgres://ada@localhost/svc?host=%20evil.test", "evil.test"],
    ["postgres://localhost,evil.test/svc", "evil.test"],
    ["postgres://localhost:5432,evil.test:5432/svc", "evil.test"],
    // As one name, this list ends in .localhost.
    ["postgres://u@EVIL,x.localhost/db?port=5544,1&sslmode=disable", "EVIL, x.localhost"],
    ["postgres://u@192.0.2.7,127.0.0.1/db", "192.0.2.7"],
    ["postgres://u@[2001:db8::7],[::1]/db", "2001:db8::7"],
    // Resolvers ask the network for this one.
    ["postgres://u@evil.localhost/db", "evil.localhost"],
    ["postgres://u@127.evil/db", "127.evil"],
    ["postgres://u@127.0.0.256/db", "127.0.0.256"],
    // Windows takes these for pipes of another machine.
    ["postgres://u@/db?host=//evil.test/pipe", "//evil.test/pipe"],
    ["postgres://u@/db?host=/%5Cevil.test/pipe", "/\\evil.test/pipe"],
    // What the variables name would get the password by the file's rules, such as without TLS.
    ["postgres:///db?sslmode=disable", "db.corp.test", { PGHOST: "db.corp.test", PGPASSWORD: "hush" }],
  ])("does not send the password of PGPASSWORD or ~/.pgpass elsewhere: %s", async (store, hosts, env = SECRETS) => {
    const message = refused(...hosts.split(", ").map((host) => `store (${host})`));
    expect(await start({ store }, {}, env)).toBe(message);
    const context = createContext({ cwd: directory, env: env as Record<string, string> });
    await expect(storeLocation(context, {})).rejects.toThrow(message);
    const config = "svc.config.json";
    expect(await storeLocation(context, { config })).toBe(store);
    expect(await start({ store }, { store: "memory" }, env)).toMatchObject({ store: "memory" });
    // Without PGPASSWORD there may be a password file.
    if (env === SECRETS) expect(await start({ store }, {}, {})).toBe(message);
  });

  it.each(["hostaddr=192.0.2.7", "service=evil", "servicefile=/tmp/evil.conf", "requirepeer=root"])(
    "names no host that only libpq would find: %s",
    async (parameter) => {
      expect(await start({ store: `postgres://u@localhost/db?${parameter}` })).toContain("has the unknown parameter");
    },
  );

  it.each([
    "postgres://ada@localhost/svc",
    "postgres://ada@127.0.0.1:5544,[::1]/svc",
    "postgres:///svc",
    "postgres:///svc?host=/var/run/postgresql",
  ])("may name a database on this machine: %s", async (store) => {
    expect(await start({ store })).toMatchObject({ store: expect.stringContaining(store) as string });
  });

  it("sends no password of a password file to a database that it names, when svc serve is started", async () => {
    const received: string[] = [];
    const listener = createServer((socket) => {
      socket.on("error", () => undefined);
      socket.on("data", (data) => {
        const text = data.toString("latin1");
        received.push(text);
        // Refuses TLS, then asks for the password in clear text.
        if (text.length === 8) socket.write("N");
        else if (!text.startsWith("p")) socket.write(Buffer.from([0x52, 0, 0, 0, 8, 0, 0, 0, 3]));
        else socket.end(Buffer.concat([Buffer.from([0x45, 0, 0, 0, 28]), Buffer.from("SFATAL\0C28P01\0Mrefused\0\0")]));
      });
    }).listen(0, "127.0.0.1");
    onTestFinished(() => void listener.close());
    await once(listener, "listening");
    const { port } = listener.address() as AddressInfo;
    await writeFile(join(directory, "pgpass"), "*:*:*:*:of-the-file\n", { mode: 0o600 });
    // This stands for the author's machine: any name that the resolver knows would do.
    const store = `postgres://u@0.0.0.0,x.localhost/db?port=${port},1&sslmode=disable`;
    await writeFile(join(directory, "svc.config.json"), JSON.stringify({ port: 0, store }));
    const env = { PGPASSFILE: join(directory, "pgpass"), PGPASSWORD: "" };
    const found = await startSvc(["--json"], { cwd: directory, env }).catch((error: Error) => error.message);
    expect(received).toEqual([]);
    expect(found).toContain("store (0.0.0.0)\\n  svc.config.json: store (x.localhost)");
    // The same with the file named: the password is sent, long before the server gives up.
    void startSvc(["--json", "--config", "svc.config.json"], { cwd: directory, env }).catch(() => undefined);
    await expect.poll(() => received.join("")).toContain("of-the-file");
  });
});
