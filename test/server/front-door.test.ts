import { describe, expect, it } from "vitest";
import { createClient } from "../../src/client/index.ts";
import type { Fetch } from "../../src/http/fetch.ts";
import { CookieJar } from "../_cookie-jar.ts";
import { APP, decodePart, FRONT, SEED, setup, type Service } from "../_setup.ts";

const GLOBEX_KEY = "pk_globex_0123456789";

/** Follows a start to the application. @returns the token's instance */
async function instanceOf(service: Service, start: string): Promise<string> {
  let location = start;
  while (!location.startsWith(APP)) {
    const response = await service.fetch(location);
    const next = response.headers.get("location");
    if (next === null) throw new Error(`${location} answered ${response.status}: ${await response.text()}`);
    location = next;
  }
  const token = new URL(location).searchParams.get("token") ?? "";
  const { instance_id } = JSON.parse(Buffer.from(token.split(".")[1] ?? "", "base64url").toString()) as {
    instance_id: string;
  };
  return service.acme.id === instance_id ? "acme" : service.globex.id === instance_id ? "globex" : instance_id;
}

const query = (more: Record<string, string>): string =>
  new URLSearchParams({ redirect_uri: APP, login_hint: "ada", ...more }).toString();

it("The landing page gives each instance the address to use from programs, and what names it in a sign-in there", async () => {
  const { fetch } = await setup();
  const page = await (await fetch("/", { headers: { accept: "text/html" } })).text();
  for (const subdomain of ["acme", "globex"]) {
    expect(page).toContain(`<code data-testid="program-url-${subdomain}">${FRONT}</code>`);
    expect(page).toContain(`a sign-in takes <code>instance=${subdomain}</code>`);
  }
});

describe("A sign-in at the server's own address", () => {
  it.each<[by: string, name: (service: Service) => Record<string, string>]>([
    ["its subdomain", () => ({ instance: "globex" })],
    ["its id", ({ globex }) => ({ instance: globex.id })],
    ["its publishable key", () => ({ publishable_key: GLOBEX_KEY })],
  ])("uses the instance named by %s", async (_, name) => {
    const service = await setup();
    const named = name(service);
    const ways = [`/oauth/authorize?${query({ provider: "google", ...named })}`, `/sign-in?${query(named)}`];
    for (const way of ways) {
      expect(await instanceOf(service, FRONT + way)).toBe("globex");
      expect(service.log.requests[0]?.instance).toBe("globex");
      service.log.requests.length = 0;
    }
  });

  it("uses the first instance if none is named", async () => {
    const service = await setup();
    expect(await instanceOf(service, `${FRONT}/sign-in?${query({})}`)).toBe("acme");
  });

  it("uses the default provider of the named instance", async () => {
    const { fetch } = await setup();
    const response = await fetch(`/sign-in?${query({ instance: "globex" })}`);
    expect(response.headers.get("location")).toContain("/__svc/simulator/github/");
  });

  it("keeps the named instance when a browser asks at another name of the server", async () => {
    const service = await setup();
    const start = `http://127.0.0.1:7820/sign-in?${query({ publishable_key: GLOBEX_KEY })}`;
    const end = await new CookieJar(service).follow(start, "/callback");
    expect(decodePart(end.searchParams.get("token")!, 1)["instance_id"]).toBe(service.globex.id);
  });

  it.each<Record<string, string>>([
    { instance: "nobody" },
    { instance: "" },
    { instance: GLOBEX_KEY },
    { publishable_key: "pk_nobody_0123456789" },
    { publishable_key: "globex" },
    { publishable_key: "" },
  ])("answers 404 for an unknown instance, and says why in the log: %j", async (named) => {
    const { fetch, log } = await setup();
    for (const path of ["/sign-in?", "/oauth/authorize?provider=google&"]) {
      const response = await fetch(path + query(named));
      expect([response.status, await response.json()]).toEqual([404, { error: "Instance not found" }]);
      expect(log.requests.at(-1)!.reason).toBe(
        `Instance not found. No instance has the ${"instance" in named ? "subdomain or id" : "publishable_key"} in the query.`,
      );
    }
  });

  it("answers 404 for an inactive instance", async () => {
    const [acme, globex] = SEED.instances;
    const { fetch, log } = await setup({ seed: { ...SEED, instances: [acme, { ...globex, active: false }] } });
    const path = `/sign-in?${query({ instance: "globex" })}`;
    const response = await fetch(path);
    expect([response.status, await response.json()]).toEqual([404, { error: "Instance not found" }]);
    expect(log.requests.at(-1)!.reason).toBe("Instance not found. globex is not active.");
    const page = await (await fetch(path, { headers: { accept: "text/html" } })).text();
    expect(page).toContain("Check the address, and instance or publishable_key in it.");
  });

  it("rejects an instance that is named twice", async () => {
    const { fetch } = await setup();
    const response = await fetch(`/sign-in?${query({ instance: "globex", publishable_key: GLOBEX_KEY })}`);
    expect(response.status).toBe(400);
  });

  it("at an instance's own address can name that instance only", async () => {
    const service = await setup();
    const base = service.addresses.instanceUrl(service.globex);
    expect(await instanceOf(service, `${base}/sign-in?${query({ instance: "globex" })}`)).toBe("globex");
    const response = await service.fetch(`${base}/sign-in?${query({ instance: "acme" })}`);
    expect([response.status, await response.json()]).toEqual([404, { error: "Instance not found" }]);
  });
});

it("The home page is at the server's own address, and other hosts lead to it", async () => {
  const { fetch } = await setup();
  const home = await fetch("/");
  expect([home.status, home.headers.get("content-type")]).toEqual([200, "text/html; charset=utf-8"]);
  for (const host of ["acme", "api"]) {
    const elsewhere = await fetch(`http://${host}.localhost:7820/`);
    expect([host, elsewhere.status, elsewhere.headers.get("location")]).toEqual([host, 302, `${FRONT}/`]);
  }
});

describe("A client whose users reach the service by another name", () => {
  const client = (service: Service): ReturnType<typeof createClient> =>
    createClient({
      secretKey: service.globex.secret_key,
      publishableKey: service.globex.publishable_key,
      baseUrl: "http://svc:7820",
      publicUrl: `${FRONT}/`,
      insecure: true,
      fetch: (url, init) => service.fetch(url, init) as ReturnType<Fetch>,
    });

  it("sends them to its publicUrl and its own requests to its baseUrl", async () => {
    const service = await setup({ allowedHosts: ["svc"] });
    const svc = client(service);
    const url = await svc.signInUrl({ redirectUri: APP, loginHint: "ada" });
    expect(url.startsWith(`${FRONT}/sign-in?`)).toBe(true);
    expect(await instanceOf(service, url)).toBe("globex");
    expect((await svc.users.list()).map(({ data }) => data.email)).toEqual(["ada@acme.test"]);
  });

  it("rejects a publicUrl that is not an address", () => {
    expect(() => createClient({ publicUrl: "localhost:7820" })).toThrow("publicUrl must be an http or https address");
  });
});
