import { createServer } from "node:http";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Hono } from "hono";
import { createApp } from "../../examples/express/server.js";
import { withAuth } from "../../src/client/middleware.ts";
import { beginSignIn, finishSignIn } from "../../src/client/sign-in.ts";
import { startTestService, createTestService, type TestService } from "../../src/testing/index.ts";
import { portOf } from "../_port-of.ts";

const ORIGIN = "http://localhost:3000";

function settings(svc: TestService, origin: string) {
  const [{ secret_key: secretKey, url: baseUrl }] = svc.instances;
  return { secretKey, baseUrl, origin, now: svc.clock.now };
}

/** An application of a fetch-style framework. */
function honoApp(svc: TestService, origin = ORIGIN): Hono {
  const { secretKey, baseUrl, now } = settings(svc, origin);
  const options = { secretKey, baseUrl, now, redirectUri: `${origin}/callback` };
  const app = new Hono();
  app.get("/sign-in", async (c) => {
    const begun = await beginSignIn(c.req.raw, options);
    if (!begun.ok) return c.text(begun.error.code, 400);
    return new Response(null, { status: 302, headers: { ...begun.headers, location: begun.location } as never });
  });
  app.get("/callback", async (c) => {
    const finished = await finishSignIn(c.req.raw, options);
    if (!finished.ok) return c.text(finished.error.code, 401);
    return new Response(null, {
      status: 302,
      headers: { location: "/me", "set-cookie": `token=${finished.token}; HttpOnly` },
    });
  });
  const me = withAuth((_request, { email }) => Response.json({ email }), { secretKey, cookie: "token", now });
  app.get("/me", (c) => me(c.req.raw));
  app.get("/out", (c) => c.redirect("https://elsewhere.example/"));
  app.get("/away", (c) => c.redirect("https://auth.example/oauth/authorize"));
  return app;
}

describe.each(["in process", "started"])("signInTo with a service %s", (way) => {
  let svc: TestService;
  beforeAll(async () => {
    svc = await (way === "in process" ? createTestService() : startTestService());
  });
  afterAll(() => svc.close());

  it("signs in to a fetch-style application, and its agent and headers are the user's", async () => {
    const app = honoApp(svc);
    const agent = await svc.signInTo(app, { as: "grace" });
    expect(await agent.response.json()).toEqual({ email: "grace@acme.test" });
    expect(agent.flow.data.result).toBe("token");
    expect(await (await agent.fetch("/me")).json()).toEqual({ email: "grace@acme.test" });
    expect((await app.request("/me", { headers: agent.headers })).status).toBe(200);
    expect(agent.cookies.find(({ name }) => name === "token")!.value).toBe(agent.token);
    expect(await svc.scenarios.list()).toEqual([]);
  });

  it("signs in to an application of Express, to a server that listens, and to an address", async () => {
    const app = createApp(settings(svc, ORIGIN));
    const agent = await svc.signInTo(app, { as: "ada", provider: "google" });
    expect(await agent.response.json()).toMatchObject({ email: "ada@acme.test" });
    expect(await (await agent.fetch("/sign-out", { method: "POST" })).text()).toContain("Sign in");
    expect((await agent.fetch("/me")).status).toBe(401);

    const server = createServer();
    const origin = `http://127.0.0.1:${await portOf(server)}`;
    server.on("request", createApp(settings(svc, origin)));
    for (const reached of [server, origin]) {
      const { fetch, headers } = await svc.signInTo(reached, { as: "ada" });
      expect((await fetch("/me")).status).toBe(200);
      expect((await globalThis.fetch(`${origin}/me`, { headers })).status).toBe(200);
    }
  });

  it("ends as the outcome and the profile say", async () => {
    const app = honoApp(svc);
    const canceled = await svc.signInTo(app, { as: "ada", outcome: "access_denied" });
    expect([canceled.token, canceled.flow.data.error, canceled.response.status]).toEqual([
      undefined,
      "access_denied",
      401,
    ]);
    const { flow } = await svc.signInTo(app, { as: "nobody@example.com", profile: { name: "Countess" } });
    expect((await svc.users.get(flow.data.user_id!)).data.name).toBe("Countess");
    const { response } = await svc.signInTo(app, { as: "ada", outcome: "state_expired" });
    expect(response.status).toBe(400);
  });

  it("says what is wrong with the application, and what to pass", async () => {
    const app = honoApp(svc);
    await expect(svc.signInTo(app, { path: "/login" })).rejects.toThrow(
      '/login, which answered 404, began no sign-in. Pass the path at which the application begins one: signInTo(app, { path: "/login" }).',
    );
    await expect(svc.signInTo(app, { path: "/away" })).rejects.toThrow(
      "/away redirects to https://auth.example, which is neither the application nor this service. Give the application baseUrl: svc.instances[0].url.",
    );
    await expect(svc.signInTo(app, { provider: "github" })).rejects.toThrow(
      "The application began another sign-in: it is for github.",
    );
    await expect(svc.signInTo("nowhere" as never)).rejects.toThrow('"nowhere" is not the address of an application');
    await expect(svc.signInTo(undefined as never)).rejects.toThrow("signInTo needs the application");
    await expect(svc.signInTo(app, { user: "ada" } as never)).rejects.toThrow("Unknown option of signInTo: user.");
    const agent = await svc.signInTo(app, { as: "ada" });
    await expect(agent.fetch("https://elsewhere.example/")).rejects.toThrow(
      "https://elsewhere.example is not the application",
    );
    expect((await agent.fetch("/out")).headers.get("location")).toBe("https://elsewhere.example/");
    expect(await svc.scenarios.list()).toEqual([]);
  });

  it("works beside a scenario of the test's own, names the one that won, and takes its own back", async () => {
    const app = honoApp(svc);
    const own = await svc.scenarios.next({ as: "grace", outcome: "access_denied" });
    const first = await svc.signInTo(app, { as: "ada" });
    expect([first.token, first.flow.data.as, first.flow.data.error]).toEqual([undefined, "grace", "access_denied"]);
    expect(first.flow.data.scenario!.id).toBe(own.id);
    const second = await svc.signInTo(app, { as: "ada", delay_ms: { profile: 20 } });
    expect([second.flow.data.as, second.flow.data.result]).toEqual(["ada", "token"]);
    expect((await svc.scenarios.list()).map(({ id }) => id)).toEqual([own.id]);
    await svc.scenarios.clear();
  });

  it("says what the service refused, where the application's address is not registered", async () => {
    const strict = await createTestService({ strict: true });
    await expect(strict.signInTo(honoApp(strict))).rejects.toThrow(
      /^The service refused the sign-in that \/sign-in began: Invalid redirect_uri: Acme has no redirect_uris\. .* Add "http:\/\/localhost:3000\/callback" to its redirect_uris$/,
    );
    await strict.close();
  });
});

it("A test service that is closed signs in to nothing, and closes the servers that it made", async () => {
  const svc = await createTestService();
  const agent = await svc.signInTo(createApp(settings(svc, ORIGIN)), { as: "ada" });
  await svc.close();
  await expect(agent.fetch("/me")).rejects.toThrow();
  await expect(svc.signInTo("http://localhost:3000")).rejects.toMatchObject({ code: "closed" });
});
