import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { serve } from "../../src/server/index.ts";
import { PROVIDERS, type Provider } from "../../src/wire/providers.ts";
import {
  ACCESS_TOKEN,
  BROWSER,
  CLIENT_SECRET,
  connected,
  connectionsTo,
  leaks,
  type LoopbackProvider,
  openProvider,
  random,
  REFRESH_TOKEN,
  SECRET,
  startSvc,
} from "../_attacks.ts";
import { runCli } from "../_cli.ts";
import { temporaryDirectory } from "../_files.ts";
import { seedFile } from "../_seed-file.ts";
import { APP, SEED, setup } from "../_setup.ts";
import { ask, type Ask, listening, type Told } from "../_sockets.ts";

const VERIFY = "/api/v1/tokens/verify";

const BROWSER_LINES = Object.entries(BROWSER).flat();

/** A browser's sign-in at a connected provider; everything it receives is secret. */
async function passThrough(port: number, provider: Provider, code: string, secrets: Set<string>): Promise<Told[]> {
  const start = await ask(port, {
    path: `/oauth/authorize?provider=${provider}&redirect_uri=${APP}`,
    headers: BROWSER_LINES,
  });
  const state = new URL(start.headers.location ?? "").searchParams.get("state") ?? "";
  const cookie = (start.headers["set-cookie"]?.[0] ?? "").split(";")[0] ?? "";
  secrets.add(state).add(cookie.split("=")[1] ?? "");
  const finish = {
    path: `/oauth/${provider}/callback?code=${code}&state=${state}`,
    headers: [...BROWSER_LINES, "Cookie", cookie],
  };
  const back = await ask(port, finish);
  const token = new URL(back.headers.location ?? "").searchParams.get("token");
  if (token !== null) secrets.add(token);
  const again = await ask(port, { ...finish, headers: [...finish.headers, "Accept", "text/html"] });
  return [back, again];
}

/** One secret at every place of a request, with a valid key and without. */
function requestsWith(secret: string, key: string): Ask[] {
  const keyed = ["X-Service-Secret-Key", key];
  const html = ["Accept", "text/html"];
  const json = ["Content-Type", "application/json"];
  return [
    { path: `/nope?secret=${secret}`, headers: html },
    { path: `/${secret}` },
    { path: `/%20${secret}` },
    { path: `/oauth/${secret}/callback`, headers: html },
    { path: `/oauth/google/callback?code=${secret}&state=${secret}`, headers: html },
    { path: `/oauth/google/callback?code=${secret}&state=${secret}` },
    { path: `/oauth/google/callback?code=${secret}&error=${secret}&state=${secret}` },
    { path: `/oauth/google/callback?code=${secret}&code=${secret}` },
    { path: `/oauth/authorize?provider=${secret}` },
    { path: `/__svc/begin?instance=${secret}&provider=google`, headers: html },
    // The page shows a valid token to its bearer, as an application would get it. No other token is on a page.
    { path: `/__svc/signed-in?token=${secret}x`, headers: html },
    { path: `/__svc/simulator/google/authorize?client_id=${secret}&request=${secret}`, headers: html },
    // An unknown host is named if it can be a host name.
    { path: "/", host: /^[a-z-]+$/.test(secret) ? "localhost" : `${secret}.example`, headers: html },
    {
      path: "/",
      headers: ["Cookie", `svc_oauth=${secret}`, "Authorization", `Bearer ${secret}`, "Referer", `http://x/?${secret}`],
    },
    { path: "/api/v1/users", headers: ["X-Service-Secret-Key", `${secret}x`] },
    { path: "/api/v1/users", headers: ["X-Service-Secret-Key", secret, "X-Service-Secret-Key", secret] },
    { path: "/api/v1/users", headers: ["X-Service-Publishable-Key", secret] },
    { path: "/api/v1/users", headers: [...keyed, "Origin", `http://${secret}`] },
    { path: `/api/v1/users/${secret}`, headers: keyed },
    { path: `/api/v1/users/${secret}`, headers: keyed, method: "DELETE" },
    { path: `/api/v1/users/${secret}`, headers: keyed, method: "PUT" },
    { path: `/api/v1/users?limit=${secret}`, headers: keyed },
    { path: `/api/v1/sessions?after=${secret}`, headers: keyed },
    { path: `/api/v1/sessions/${secret}`, headers: keyed },
    { path: `/api/v1/instances/search?query=publishable_key:${secret}`, headers: keyed },
    { path: VERIFY, method: "POST", headers: [...keyed, ...json], body: JSON.stringify({ token: `${secret}x` }) },
    { path: VERIFY, method: "POST", headers: [...keyed, ...json], body: JSON.stringify({ tokens: secret }) },
    { path: VERIFY, method: "POST", headers: [...keyed, ...json], body: `{"token": ${secret}` },
    { path: VERIFY, method: "POST", headers: [...keyed, "Content-Type", secret], body: "{}" },
    {
      path: VERIFY,
      method: "POST",
      headers: [...keyed, ...json],
      body: JSON.stringify({ token: secret.repeat(3000) }),
    },
  ];
}

/** Failures of a provider, each with everything it received in its answer. */
const FAILURES: LoopbackProvider["reply"][] = [
  (_, received) => ({ status: 500, body: received }),
  (_, received) => ({ status: 400, body: JSON.stringify({ error: received }) }),
  (_, received) => ({ body: JSON.stringify({ error: "bad", error_description: received, access_token: [received] }) }),
  (_, received) => ({ status: 302, headers: { location: `/?${encodeURIComponent(received)}` }, body: "" }),
  (path, received) => (path === "/token" ? undefined : { status: 503, body: received }),
  (path, received) => (path === "/token" ? undefined : { body: `{"id": ${received}` }),
  (path, received) =>
    path === "/token" ? undefined : { body: JSON.stringify({ sub: received, email: received, id: received }) },
  () => "reset",
];

/** Valid and invalid sign-ins and requests. @returns their errors and pages */
async function exercise(
  port: number,
  key: string,
  provider: LoopbackProvider,
): Promise<{ texts: string[]; secrets: Set<string> }> {
  const digest = "digest-nobody-may-see";
  const code = `canary${random()}`;
  const basic = Buffer.from(`svc-test:${CLIENT_SECRET}`).toString("base64");
  const secrets = new Set([key, CLIENT_SECRET, basic, ACCESS_TOKEN, REFRESH_TOKEN, code, digest]);
  const told: Told[] = [];
  for (const name of PROVIDERS) told.push(...(await passThrough(port, name, code, secrets)));
  for (const fail of FAILURES) {
    provider.reply = fail;
    for (const name of PROVIDERS) told.push(...(await passThrough(port, name, code, secrets)));
  }
  provider.reply = () => undefined;
  for (const sent of provider.received) {
    const verifier = /code_verifier=([\w-]+)/.exec(sent)?.[1];
    if (verifier) secrets.add(verifier);
  }
  const chosen = [...secrets].filter((_, i) => i < 10 || i % 20 === 0);
  for (const each of chosen.flatMap((secret) => requestsWith(secret, key))) told.push(await ask(port, each));
  told.push(await ask(port, { path: "/", headers: ["Accept", "text/html"] }));
  const shown = told.filter(({ status, headers }) => status >= 400 || headers["content-type"]?.startsWith("text/html"));
  return { secrets, texts: shown.map(({ status, headers, body }) => `${status} ${JSON.stringify(headers)} ${body}`) };
}

describe("T24: No log, error or page contains a secret", { timeout: 120_000 }, () => {
  it("of the server in a program", async () => {
    const provider = await openProvider();
    const log: string[] = [];
    const server = await listening({
      seed: seedFile(connected(provider, { secret_key: SECRET })),
      onRequest: (entry) => log.push(JSON.stringify(entry)),
      warn: (message) => log.push(message),
    });
    const { texts, secrets } = await exercise(server.port, SECRET, provider);
    expect(leaks([...log, ...texts], secrets)).toEqual([]);
    // There were secrets to leak and places to leak them to.
    expect(secrets.size).toBeGreaterThan(60);
    expect(log.filter((line) => /"level":"warn".*"reason":"\w+: \w/.test(line)).length).toBeGreaterThan(20);
    expect(log.filter((line) => line.includes(`"route":`)).length).toBeGreaterThan(texts.length);
    expect(leaks([`GET /?token=${SECRET.slice(5, 15)}`], secrets)).toHaveLength(1);
  });

  it("of the server as a process with its configuration in files", async () => {
    const provider = await openProvider();
    const directory = temporaryDirectory();
    const [acme, globex] = SEED.instances;
    const seed = { ...SEED, instances: [{ ...acme, secret_key: SECRET }, globex] };
    writeFileSync(join(directory, "seed.json"), JSON.stringify(seed));
    const config = { seed: "seed.json", providers: connectionsTo(provider) };
    writeFileSync(join(directory, "svc.config.json"), JSON.stringify(config));
    const server = await startSvc(["--json", "--config", "svc.config.json"], { cwd: directory });
    const { texts, secrets } = await exercise(server.port, SECRET, provider);
    await server.stop();
    const output = server.output();
    expect(leaks([...output, ...texts], secrets)).toEqual([]);
    expect(output.filter((line) => /"level":"warn".*"reason":"\w+: \w/.test(line)).length).toBeGreaterThan(20);
    expect(output.filter((line) => line.startsWith(`{"type":"request"`)).length).toBeGreaterThan(texts.length);
  });

  it("of the server on a terminal, which shows only the end of each key", async () => {
    const seed = seedFile({ instances: [{ ...SEED.instances[0], secret_key: SECRET }] });
    const server = await startSvc(["--seed", seed], { cwd: temporaryDirectory(), isText: true });
    await server.stop();
    expect(leaks(server.output(), [SECRET])).toEqual([]);
    expect(server.output().join("\n")).toContain(`sk_…${SECRET.slice(-4)}`);
  });

  it.each([
    ["without quotes", (secret: string) => `{"client_id":"x","client_secret":${secret}}`],
    ["in the wrong quotes", (secret: string) => `{"client_id":"x","client_secret":'${secret}'}`],
    ["without a comma behind it", (secret: string) => `{"client_secret":"${secret}" "client_id":"x"}`],
    ["without its end", (secret: string) => `{"client_id":"x","client_secret":"${secret}`],
    ["with a line's end in it", (secret: string) => `{"client_id":"x","client_secret":"${secret}\n"}`],
    ["under another name", (secret: string) => `{"client_id":"x","secret":"${secret}"}`],
    ["in a list", (secret: string) => `{"client_id":"x","client_secret":["${secret}"]}`],
  ])("of a configuration or seed that cannot be parsed because of a secret %s", async (_, write) => {
    const directory = temporaryDirectory();
    const connection = write(CLIENT_SECRET);
    writeFileSync(join(directory, "config.json"), `{"providers":{"google":${connection}}}`);
    const instance = `{"name":"A","subdomain":"a","secret_key":"${SECRET}","connections":{"google":${connection}}}`;
    writeFileSync(join(directory, "seed.json"), `{"instances":[${instance}]}`);
    for (const flags of [
      ["--config", "config.json"],
      ["--seed", "seed.json", "--store", "memory"],
    ]) {
      const { code, stdout, stderr } = await runCli(["serve", "--port", "0", ...flags], { cwd: directory });
      expect([code, stdout]).toEqual([2, ""]);
      expect(leaks([stderr], [CLIENT_SECRET, SECRET])).toEqual([]);
    }
  });

  it("of a seed whose keys are rejected", async () => {
    const [acme] = SEED.instances;
    const keys = { secret_key: "sk_canary-too-short", publishable_key: "sk_canary-wrong-place-0123456789abcdef" };
    const twice = { instances: [acme, { ...acme, subdomain: "other", users: [] }] };
    for (const seed of [{ instances: [{ ...acme, ...keys }] }, twice]) {
      const refused = String(await setup({ seed }).catch((error: unknown) => error));
      expect(refused).toMatch(/^SeedError: /);
      expect(leaks([refused], [...Object.values(keys), acme!.secret_key])).toEqual([]);
    }
  });

  it("of a store whose damage is within a secret", async () => {
    const directory = temporaryDirectory();
    const path = join(directory, "db.json");
    const server = await serve({ port: 0, store: path, seed: seedFile() });
    await server.close();
    writeFileSync(path, readFileSync(path, "utf8").replace(`"secret_key":"sk_`, `"secret_key":sk_`));
    const { code, stderr } = await runCli(["serve", "--port", "0", "--store", path], { cwd: directory });
    expect([code, stderr]).toEqual([9, expect.stringContaining("the store is damaged")]);
    expect(
      leaks(
        [stderr],
        SEED.instances.map(({ secret_key }) => secret_key),
      ),
    ).toEqual([]);
  });
});
