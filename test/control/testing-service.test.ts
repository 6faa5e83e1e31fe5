import { readdir } from "node:fs/promises";
import { setTimeout as delay } from "node:timers/promises";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { checkToken } from "../../src/client/verify.ts";
import { serve } from "../../src/server/index.ts";
import { connect, createTestService, startTestService, type TestService } from "../../src/testing/index.ts";
import { serviceBy, WAYS } from "../_services.ts";
import { SEED } from "../_setup.ts";

const ADA = "ada@acme.test";
const APP = "http://localhost:3000/callback";

/** A sign-in by a program, up to the application's address. */
async function follow(svc: TestService, provider: string, more: Record<string, string> = {}): Promise<URLSearchParams> {
  const query = new URLSearchParams({ provider, redirect_uri: APP, ...more });
  let url = `${svc.url}/oauth/authorize?${query.toString()}`;
  while (!url.startsWith(APP)) {
    const response = await svc.fetch(url, { redirect: "manual" });
    url = response.headers.get("location") ?? expect.fail(`${url} answered ${response.status}`);
  }
  return new URL(url).searchParams;
}

describe.each(WAYS)("A test service, %s", (way) => {
  const isOwn = way === "connected with an instance of its own";

  it("works in a simulated browser, whose fetch may not leave its page", async () => {
    vi.stubGlobal("window", {});
    vi.stubGlobal("document", {});
    if (way !== "in process") vi.stubGlobal("fetch", () => Promise.reject(new Error("another origin")));
    onTestFinished(() => void vi.unstubAllGlobals());
    const svc = await serviceBy(way);
    const { token = "" } = await svc.signIn({ as: "ada" });
    expect((await svc.client().tokens.check(token)).ok).toBe(true);
    expect((await svc.fetch(`${svc.instances[0].url}/.well-known/openid-configuration`)).status).toBe(200);
  });

  it("reaches the addresses that it hands out, which end in .localhost", async () => {
    const svc = await serviceBy(way);
    const response = await svc.fetch(`${svc.instances[0].url}/.well-known/openid-configuration`);
    expect(await response.json()).toMatchObject({ issuer: svc.instances[0].url });
    expect(response).toBeInstanceOf(Response);
  });

  it("signs a user in who then appears in the client, users, sessions and flows", async () => {
    const svc = await serviceBy(way);
    const { token = "", user_id, flow_id } = await svc.signIn({ as: "ada", provider: "github" });
    const client = svc.client();
    expect((await client.tokens.verify(token)).data.email).toBe(ADA);
    expect((await client.users.get(user_id!)).data.email).toBe(ADA);
    expect((await svc.users.get(user_id!)).data.email).toBe(ADA);
    expect((await svc.users.list({ query: `email:${ADA}` })).map(({ id }) => id)).toEqual([user_id]);
    const [session] = await svc.sessions.list({ query: `user_id:${user_id} provider:github active:true` });
    expect(session!.data.provider).toBe("github");
    expect((await svc.flows.get(flow_id)).data.result).toBe("token");
    expect((await svc.flows.latest({ result: "token" }))!.id).toBe(flow_id);
    expect((await svc.flows.waitFor({ provider: "github" })).id).toBe(flow_id);
    expect((await svc.flows.summary({ provider: "github" })).total).toBe(1);
    expect((await svc.flows.replay(flow_id, { outcome: "access_denied" })).error).toBe("access_denied");
  });

  it("lists the sign-ins that happened when it waited for another", async () => {
    const svc = await serviceBy(way);
    await svc.signIn({ as: "ada", outcome: "access_denied" });
    await expect(svc.flows.waitFor({ error: "email_not_verified" }, 10)).rejects.toThrow(
      'No sign-in matched {"error":"email_not_verified"} within 10ms. The latest: google access_denied.',
    );
  });

  it("has the keys of its instances, and lists the instances in the error for an unknown one", async () => {
    const svc = await serviceBy(way);
    expect(svc.instances.map(({ secret_key }) => secret_key)).toEqual(
      svc.instances.map(() => expect.stringMatching(/^sk_/) as string),
    );
    if (!isOwn) expect(svc.instances.map(({ subdomain }) => subdomain)).toEqual(["acme", "globex"]);
    expect(() => svc.client("nowhere")).toThrow(
      `There is no instance "nowhere". The instances are: ${svc.instances.map(({ subdomain }) => subdomain).join(", ")}.`,
    );
  });

  it.skipIf(isOwn)("ends sign-ins as its scenarios say, and explains why one was never used", async () => {
    const svc = await serviceBy(way);
    await svc.scenarios.next({ provider: "github", outcome: "access_denied" });
    expect(await svc.scenarios.pending()).toHaveLength(1);
    expect((await follow(svc, "github")).get("error")).toBe("access_denied");
    expect(await svc.scenarios.pending()).toEqual([]);
    await svc.scenarios.assertMet();
    await svc.scenarios.next({ provider: "twitter", outcome: "rate_limited" });
    expect((await follow(svc, "google", { login_hint: "ada" })).has("token")).toBe(true);
    await expect(svc.scenarios.assertMet()).rejects.toThrow(
      "A scenario was never met:\n  rate_limited for provider twitter: it is for twitter (1 sign-in)",
    );
    await svc.scenarios.clear();
    expect(await svc.scenarios.list()).toEqual([]);
    await svc.scenarios.add({ as: "ada", times: null });
    for (let n = 0; n < 3; n++) expect((await follow(svc, "google")).has("token")).toBe(true);
    await svc.scenarios.assertMet();
  });

  it("moves its clock by every verb, and verification by clock.now agrees", async () => {
    const svc = await serviceBy(way);
    const { token = "" } = await svc.signIn({ as: "ada" });
    const [{ secret_key: secretKey }] = svc.instances;
    const code = async (): Promise<string> => {
      const result = await checkToken(token, { secretKey, now: svc.clock.now });
      const remote = await svc.client().tokens.check(token);
      const local = await svc
        .client()
        .tokens.verifyLocal(token)
        .then(
          () => true,
          () => false,
        );
      expect([remote.ok, local]).toEqual([result.ok, result.ok]);
      return result.ok ? "valid" : result.error.code;
    };
    expect(await code()).toBe("valid");
    await svc.clock.fastForward("30:00");
    expect(await code()).toBe("valid");
    await svc.clock.advance("31m");
    expect(await code()).toBe("token_expired");
    await svc.clock.reset();
    expect(await code()).toBe("valid");
    await svc.clock.fastForward(3_601_000);
    expect(await code()).toBe("token_expired");
    const later = new Date(Date.now() + 9_000_000);
    await svc.clock.pauseAt(later);
    expect(svc.clock.now()).toEqual(later);
    await expect(svc.clock.pauseAt(0)).rejects.toThrow(/to: /);
    await svc.clock.fastForward(1000);
    expect(svc.clock.now().getTime()).toBe(later.getTime() + 1000);
    await svc.clock.resume();
    await vi.waitFor(() => expect(svc.clock.now().getTime()).toBeGreaterThan(later.getTime() + 1000));
    await svc.clock.setSystemTime("2027-01-01T00:00:00Z");
    expect(svc.clock.now().toISOString()).toMatch(/^2027-01-01T00:0/);
    await svc.clock.setFixedTime("2027-05-05T00:00:00Z");
    expect(svc.clock.now().toISOString()).toBe("2027-05-05T00:00:00.000Z");
    const set: unknown[] = [];
    const page = { clock: { setFixedTime: async (t: unknown) => void set.push(t), setSystemTime: async () => {} } };
    await svc.clock.applyTo(page);
    expect(set).toEqual([Date.parse("2027-05-05T00:00:00Z")]);
    await expect(svc.clock.advance("soon")).rejects.toThrow(/"soon" is not a duration/);
    await expect(svc.clock.advance("61")).rejects.toThrow('by: "61" has no unit; write 61s, 61m or 61ms');
    await expect(svc.clock.setFixedTime("soon")).rejects.toThrow('"soon" is not a date');
  });

  it("creates tokens of each kind and explains them", async () => {
    const svc = await serviceBy(way);
    await svc.signIn({ as: "ada" });
    const { token, expect: expected } = await svc.tokens.create({ user: ADA, kind: "expired" });
    expect(expected).toEqual({ status: 401, error: "Token expired" });
    const report = await svc.tokens.verify(token);
    expect(report).toMatchObject({ status: 401, answer: { error: "Token expired" } });
    expect((await svc.tokens.create({ user: ADA })).kind).toBe("valid");
  });

  it("creates, changes and deletes users, also in bulk, and revokes sessions", async () => {
    const svc = await serviceBy(way);
    const user = await svc.users.create({ email: "joan@example.com", name: "Joan" });
    expect((await svc.users.update(user.id, { name: "Joan Clarke" })).data.name).toBe("Joan Clarke");
    await svc.users.delete(user.id);
    await expect(svc.users.get(user.id)).rejects.toMatchObject({ name: "ControlError", status: 404 });
    const before = (await svc.users.list()).length;
    await svc.users.generate(300, { seed: 7 });
    expect(await svc.users.list()).toHaveLength(before + 300);
    await svc.signIn({ as: "ada" });
    const [session] = await svc.sessions.list({ query: "active:true" });
    expect((await svc.sessions.revoke(session!.data.session_id)).data.active).toBe(false);
    expect((await svc.sessions.restore(session!.data.session_id)).data.active).toBe(true);
    expect((await svc.sessions.get(session!.data.session_id)).data.active).toBe(true);
  });

  it("returns to its initial state after a reset", async () => {
    const svc = await serviceBy(way);
    const users = async (): Promise<string[]> => (await svc.users.list()).map(({ data }) => data.email).toSorted();
    const before = await users();
    const keys = svc.instances.map(({ secret_key }) => secret_key);
    await svc.users.create({ email: "joan@example.com", name: "Joan" });
    await svc.scenarios.next({ outcome: "access_denied" });
    if (!isOwn) await svc.clock.setFixedTime("2027-05-05T00:00:00Z");
    await svc.reset();
    expect(await users()).toEqual(before);
    expect(await svc.scenarios.list()).toEqual([]);
    expect(Math.abs(svc.clock.now().getTime() - Date.now())).toBeLessThan(60_000);
    expect(svc.instances.map(({ secret_key }) => secret_key)).toEqual(keys);
  });

  it("saves, lists, restores and deletes snapshots, whose clock is restored with all instances", async () => {
    const svc = await serviceBy(way);
    await svc.clock.setFixedTime("2027-05-05T00:00:00Z");
    await svc.snapshots.save("before");
    const user = await svc.users.create({ email: "joan@example.com", name: "Joan" });
    await svc.clock.reset();
    expect(await svc.snapshots.list()).toContain("before");
    await svc.snapshots.restore("before");
    await expect(svc.users.get(user.id)).rejects.toMatchObject({ status: 404 });
    expect(svc.clock.now().toISOString() === "2027-05-05T00:00:00.000Z").toBe(!isOwn);
    await svc.snapshots.delete("before");
    expect(await svc.snapshots.list()).not.toContain("before");
    await svc.clock.reset();
  });
});

describe("A test service with an instance of its own", () => {
  it("controls the sign-ins of that instance only, and deletes it at the end", async () => {
    const server = await serve({ port: 0, store: "memory", seed: SEED as never });
    onTestFinished(() => server.close());
    const to = { url: server.url, controlKey: server.control_key! };
    const svc = await connect({ ...to, isolate: true });
    await svc.scenarios.next({ outcome: "access_denied" });
    expect((await follow(svc, "google", { login_hint: "ada" })).has("token")).toBe(true);
    await expect(svc.scenarios.assertMet()).rejects.toThrow("it is for another instance (1 sign-in)");
    // Another test's, which began later.
    await svc.snapshots.save("before");
    const other = await connect({ ...to, isolate: true });
    const joan = await other.users.create({ email: "joan@example.com", name: "Joan" });
    await svc.users.create({ email: "joan@example.com", name: "Joan" });
    await svc.snapshots.restore("before");
    expect([await svc.users.list(), await other.users.get(joan.id)]).toEqual([[], joan]);
    await other.close();
    const own = svc.instances[0].id;
    await svc.close();
    const left = (await connect(to)).instances;
    expect(left.map(({ id }) => id)).not.toContain(own);
    expect(left).toHaveLength(2);
  });
});

it("A connection sees the clock that another one moved, with its next call or when asked", async () => {
  const svc = await serviceBy("started");
  const other = await connect({ url: svc.url, controlKey: svc.controlKey });
  onTestFinished(() => other.close());
  const at = "2027-05-05T00:00:00.000Z";
  await svc.clock.setFixedTime(at);
  const { token = "" } = await other.signIn({ as: "ada" });
  const [{ secret_key: secretKey }] = other.instances;
  const isAccepted = async (): Promise<boolean> => (await checkToken(token, { secretKey, now: other.clock.now })).ok;
  expect([other.clock.now().toISOString(), await isAccepted()]).toEqual([at, true]);
  await svc.clock.advance("61m");
  expect((await other.clock.refresh()).toISOString()).toBe("2027-05-05T01:01:00.000Z");
  expect(await isAccepted()).toBe(false);
  // What waits answers with the time at its end.
  const waiting = other.flows.waitFor({ provider: "github" });
  await svc.clock.reset();
  await svc.signIn({ as: "ada", provider: "github" });
  await waiting;
  expect(other.clock.now().getTime()).toBeLessThan(Date.parse(at));
});

describe("A test service in process", () => {
  it("follows redirects within itself and returns the one that leaves it", async () => {
    const svc = await serviceBy("in process");
    const start = `/oauth/authorize?provider=google&login_hint=ada&redirect_uri=${encodeURIComponent(APP)}`;
    const response = await svc.fetch(svc.url + start);
    expect(response.headers.get("location")).toMatch(/^http:\/\/localhost:3000\/callback\?token=/);
    await expect(svc.fetch(svc.url + start, { redirect: "error" })).rejects.toThrow(TypeError);
    await expect(svc.fetch("http://example.com/")).rejects.toThrow(/all that this fetch reaches/);
  });

  it("has a client for each instance, which signs in there", async () => {
    const svc = await serviceBy("in process");
    const url = await svc.client("globex").signInUrl({ redirectUri: APP, provider: "github", loginHint: "ada" });
    expect(new URL(url).hostname).toBe("globex.svc.localhost");
    const response = await svc.fetch(url);
    const token = new URL(response.headers.get("location")!).searchParams.get("token")!;
    expect((await svc.client("globex").tokens.check(token)).ok).toBe(true);
    expect((await svc.client("acme").tokens.check(token)).ok).toBe(false);
  });

  it("shares nothing with a second one", async () => {
    const [one, other] = [await serviceBy("in process"), await serviceBy("in process")];
    await one.users.create({ email: "joan@example.com", name: "Joan" });
    await one.clock.setFixedTime("2027-05-05T00:00:00Z");
    expect(await other.users.list({ query: "email:joan@example.com" })).toEqual([]);
    expect(other.clock.now().getTime()).toBeLessThan(Date.parse("2027-05-05"));
  });

  it("ignores SVC_* in the environment and writes no file", async () => {
    for (const name of ["SVC_STORE", "SVC_SEED", "SVC_GOOGLE_CLIENT_ID", "SVC_GOOGLE_CLIENT_SECRET", "SVC_CONTROL_KEY"])
      vi.stubEnv(name, "nonsense");
    onTestFinished(() => void vi.unstubAllEnvs());
    const before = await readdir(".");
    const svc = await serviceBy("in process");
    const { token } = await svc.signIn({ as: "ada" });
    expect(token).toBeDefined();
    expect((await svc.control.request("GET /state")).providers).toEqual({
      google: "simulated",
      github: "simulated",
      twitter: "simulated",
    });
    expect(await readdir(".")).toEqual(before);
  });

  it("ends with await using", async () => {
    let url: string;
    {
      await using svc = await startTestService();
      url = svc.url;
      expect((await fetch(`${url}/__svc/health/ready`)).status).toBe(200);
    }
    await expect(fetch(url)).rejects.toThrow("fetch failed");
  });
});

describe("A test service under fake timers", () => {
  it.each(["in process", "started", "connected"] as const)(
    "works when they are installed before it is created, %s",
    async (way) => {
      vi.useFakeTimers();
      onTestFinished(() => void vi.useRealTimers());
      await useAll(await serviceBy(way));
    },
  );

  it.each(["in process", "started", "connected"] as const)(
    "works when they are installed after it is created, %s",
    async (way) => {
      const svc = await serviceBy(way);
      vi.useFakeTimers({ now: 0 });
      onTestFinished(() => void vi.useRealTimers());
      expect(svc.clock.now().getFullYear()).toBeGreaterThan(2000);
      await useAll(svc);
      await svc.close();
    },
  );

  /** Calls that wait, and calls with a deadline. */
  async function useAll(svc: TestService): Promise<void> {
    const { token = "" } = await svc.signIn({ as: "ada" });
    expect((await svc.client().tokens.check(token)).ok).toBe(true);
    await svc.users.generate(20);
    await expect(svc.flows.waitFor({ error: "email_not_verified" }, 20)).rejects.toThrow("No sign-in matched");
    expect((await svc.signIn({ as: "ada", outcome: "token_timeout" })).error).toBe("temporarily_unavailable");
    await svc.scenarios.next({ as: "ada", delay_ms: 20 });
    expect((await follow(svc, "google")).has("token")).toBe(true);
    await svc.clock.advance("61m");
    expect((await svc.client().tokens.check(token)).ok).toBe(false);
    await svc.reset();
  }
});

describe("Closing test services", () => {
  const COUNT = process.env["SVC_FAULTS"] === "full" ? 200 : 10;

  it.each([
    ["in process", createTestService],
    ["started", startTestService],
  ] as const)(`leaves nothing open after ${COUNT} were opened %s`, { timeout: 300_000 }, async (_, create) => {
    const use = async (): Promise<void> => {
      const svc = await create();
      await svc.signIn({ as: "ada" });
      await svc.client().users.list();
      await svc.close();
    };
    await use();
    const open = (): number => process.getActiveResourcesInfo().filter((name) => name !== "Immediate").length;
    const before = open();
    for (let n = 0; n < COUNT; n++) await use();
    // Not by `vi.waitFor`, whose own timers would count.
    for (let tries = 0; open() > before && tries < 600; tries++) await delay(50);
    expect(open()).toBeLessThanOrEqual(before);
  });
});

it("serve refuses Bun, whose HTTP server lacks what it builds on", async () => {
  vi.stubGlobal("Bun", {});
  onTestFinished(() => void vi.unstubAllGlobals());
  await expect(serve({ port: 0, store: "memory" })).rejects.toThrow(
    "The server needs Node.js, and does not run on Bun.",
  );
});
