import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { locationOf } from "../_answers.ts";
import { temporaryDirectory } from "../_files.ts";
import { APP, CONTROL_KEY, FRONT, SEED, setup, type Service } from "../_setup.ts";
import { reply } from "../_sign-in.ts";
import { ask, listening } from "../_sockets.ts";
import type { ServeOptions } from "../../src/server/index.ts";

const CLIENT = { client_id: "our-client", client_secret: "our-secret" };
const BLOG = {
  name: "Blog",
  subdomain: "blog",
  secret_key: "sk_blog_0123456789abcdefghijklmnopqrstuvwxyz",
  default_provider: "github",
  redirect_uris: [APP],
};
const seed = { instances: [BLOG], personas: SEED.personas };
const OFF = {
  error:
    "Provider not configured: Blog has no credentials for twitter. Use github, or set SVC_TWITTER_CLIENT_ID and SVC_TWITTER_CLIENT_SECRET on the server",
};

/** A server that others reach, with credentials for GitHub alone. */
const beyondLoopback = (instance: object = {}): Promise<Service> =>
  setup({
    seed: { ...seed, instances: [{ ...BLOG, ...instance }] },
    isLocal: false,
    control: true,
    credentials: { github: CLIENT },
  });

async function control({ fetch }: Service, route: string, body?: unknown): Promise<[status: number, error: unknown]> {
  const [method = "", path = ""] = route.split(" ");
  const response = await fetch(`/__svc/v1${path}`, {
    method,
    headers: {
      authorization: `Bearer ${CONTROL_KEY}`,
      ...(body !== undefined && { "content-type": "application/json" }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  return [response.status, ((await response.json()) as { error?: unknown }).error];
}

const begin = (provider: string): string =>
  `/oauth/authorize?${new URLSearchParams({ provider, redirect_uri: APP, login_hint: "ada", instance: "blog" }).toString()}`;

async function expectOff({ fetch }: Service, path = begin("twitter")): Promise<void> {
  const response = await fetch(path);
  expect([response.status, response.headers.get("location"), await response.json()]).toEqual([400, null, OFF]);
}

describe("A server that others reach, without --providers simulated,", () => {
  it.each([
    begin("twitter"),
    begin("twitter").replace("/oauth/authorize", "/sign-in"),
    begin("twitter").replace("/oauth/authorize", "/__svc/begin"),
    begin("twitter").replace("/oauth/authorize", "http://blog.localhost:7820/oauth/authorize"),
  ])("T45: does not begin a sign-in with a provider that has no credentials: %s", async (path) => {
    await expectOff(await beyondLoopback(), path);
  });

  it("T45: takes a person back to the application from the error page", async () => {
    const { fetch } = await beyondLoopback();
    const headers = { accept: "text/html", "user-agent": "Mozilla/5.0", "sec-fetch-mode": "navigate" };
    const page = await (await fetch(begin("twitter"), { headers })).text();
    expect(page).toContain("Provider not configured");
    expect(page).toContain('href="http://localhost:3000"');
  });

  it.each([
    ["github", CLIENT.client_id],
    ["github", "svc-simulator"],
    ["twitter", "svc-simulator"],
  ])("T45: has no simulated %s to ask for a code, as client %s", async (provider, client_id) => {
    const { fetch } = await beyondLoopback();
    const state = locationOf(await fetch(begin("github"))).searchParams.get("state")!;
    const query = new URLSearchParams({
      client_id,
      state,
      response_type: "code",
      scope: "read:user user:email",
      redirect_uri: `${FRONT}/oauth/${provider}/callback`,
      login_hint: "ada",
    }).toString();
    expect((await fetch(`/__svc/simulator/${provider}/authorize?${query}`)).status).toBe(404);
  });

  it.each(["github", "twitter"])("T45: finishes no sign-in that began at a simulated %s before", async (provider) => {
    const host = "auth.example.test";
    const options: ServeOptions = {
      store: join(temporaryDirectory(), "db.json"),
      publicUrl: `https://${host}`,
      credentials: { github: CLIENT },
      fetch: async () => reply({ error: "bad_verification_code" }),
    };
    const before = await listening({ ...options, seed: seed as ServeOptions["seed"], providers: "simulated" });
    const at = async (port: number, path: string): Promise<URL> =>
      new URL((await ask(port, { path, host })).headers.location ?? "about:blank");
    const picker = await at(before.port, begin(provider));
    const callback = await at(before.port, picker.pathname + picker.search);
    expect(callback.searchParams.get("code")).not.toBeNull();
    await before.close();

    const { port } = await listening({ ...options, seed: undefined });
    const { searchParams } = await at(port, callback.pathname + callback.search);
    expect([searchParams.get("token"), searchParams.get("error")]).toEqual([
      null,
      provider === "twitter" ? "temporarily_unavailable" : "server_error",
    ]);
    const users = await ask(port, {
      path: "/api/v1/users",
      host,
      headers: ["X-Service-Secret-Key", BLOG.secret_key],
    });
    expect(JSON.parse(users.body)).toEqual([]);
  });

  it("T45: simulates nothing after the control API has removed a connection, and keeps the default provider's", async () => {
    const service = await beyondLoopback({
      default_provider: "google",
      connections: { google: CLIENT, twitter: CLIENT },
    });
    expect(locationOf(await service.fetch(begin("twitter"))).hostname).not.toBe("localhost");
    expect(await control(service, "DELETE /instances/blog/connections/twitter")).toEqual([200, undefined]);
    const [, error] = await control(service, "POST /sign-ins", { provider: "twitter", as: "ada", instance: "blog" });
    expect(error).toMatch(
      /^Provider not configured: Blog has no credentials for twitter\. Use google or github, or set/,
    );
    expect((await service.fetch(begin("twitter"))).status).toBe(400);

    expect(await control(service, "DELETE /instances/blog/connections/google")).toEqual([
      400,
      "Bad request: default_provider: there are no credentials for the default_provider of Blog (google). Set SVC_GOOGLE_CLIENT_ID and SVC_GOOGLE_CLIENT_SECRET, or set default_provider to github.",
    ]);
    expect(locationOf(await service.fetch(begin("google"))).hostname).toBe("accounts.google.com");
  });

  it.each<[string, unknown]>([
    ["PATCH /instances/blog", { default_provider: "twitter" }],
    ["POST /instances", { name: "Shop", subdomain: "shop" }],
    ["POST /seed", { instances: [{ name: "Shop", subdomain: "shop", default_provider: "twitter" }] }],
  ])("T45: refuses a default provider without credentials in %s", async (route, body) => {
    const service = await beyondLoopback();
    const [status, error] = await control(service, route, body);
    expect([status, error]).toEqual([
      400,
      expect.stringMatching(/^Bad request: default_provider: there are no credentials for the default_provider of /),
    ]);
  });

  it("T45: refuses to activate an instance whose default provider has no credentials", async () => {
    const service = await beyondLoopback();
    const shop = { name: "Shop", subdomain: "shop", default_provider: "twitter", active: false };
    expect(await control(service, "POST /instances", shop)).toEqual([201, undefined]);
    const [status] = await control(service, "PATCH /instances/shop", { active: true });
    expect(status).toBe(400);
    expect(await control(service, "PATCH /instances/shop", { name: "Store" })).toEqual([200, undefined]);
  });

  it("T45: simulates nothing after a snapshot has brought back an instance without the connection", async () => {
    const service = await beyondLoopback();
    await control(service, "POST /snapshots", { name: "before" });
    await control(service, "PUT /instances/blog/connections/twitter", CLIENT);
    expect(locationOf(await service.fetch(begin("twitter"))).hostname).toBe("x.com");
    expect(await control(service, "POST /snapshots/before/restore")).toEqual([200, undefined]);
    await expectOff(service);
  });
});
