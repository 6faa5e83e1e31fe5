import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { serve } from "../../src/server/index.ts";
import { CONTROL_ROUTES } from "../../src/wire/control/routes.ts";
import { ID_TOKEN_OUTCOMES, OUTCOMES } from "../../src/wire/outcomes.ts";
import { temporaryDirectory } from "../_files.ts";
import { call, followSignIn, startServer, type ControlledServer } from "../_control.ts";
import { callEveryRoute, ok, ROUTES } from "./_every-route.ts";

const APP = "http://localhost:3000/callback";

/** What proves by itself that it may be asked, or tells nothing to a caller without another key. */
const KEYLESS = new Set<string>(["POST /dashboard-keys", "GET /clock/proof"]);

async function start(
  server: ControlledServer,
  query: Record<string, string>,
  headers?: Record<string, string>,
): Promise<URL | number> {
  const search = new URLSearchParams({ redirect_uri: APP, provider: "google", ...query }).toString();
  return followSignIn(`${server.url}/oauth/authorize?${search}`, headers);
}

describe("The guard of the control API", () => {
  it("answers 401 to every route without the key and changes nothing", async () => {
    const server = await startServer();
    const before = (await server.control("GET /state")).body;
    for (const route of [...ROUTES, "GET /nonsense", "PATCH /state"]) {
      if (KEYLESS.has(route)) continue;
      const [method = "", path = ""] = route.split(" ");
      const body = method === "GET" || method === "DELETE" ? undefined : { all: true, users: 1 };
      for (const headers of [{}, { authorization: "Bearer ctl_wrong" }, { authorization: "Bearer dsh_0.0.0" }]) {
        const answered = await call(server.url, `${method} ${path.replaceAll(/:\w+/g, "acme")}`, body, headers);
        expect([route, answered.status, answered.body]).toEqual([route, 401, { error: "Unauthorized" }]);
      }
    }
    const after = (await server.control("GET /state")).body;
    expect({ ...after, now: 0, clock: 0 }).toEqual({ ...before, now: 0, clock: 0 });
  });

  it("rejects requests of other origins and bodies that are not JSON", async () => {
    const server = await startServer();
    const { host } = new URL(server.url);
    for (const headers of [
      { origin: "http://localhost:1" },
      { origin: "null" },
      { origin: `http://acme.${host}` },
      { origin: "https://evil.example" },
      { "sec-fetch-site": "cross-site" },
      { "sec-fetch-site": "same-site" },
    ])
      expect([headers, (await server.control("POST /clock/freeze", {}, headers)).status]).toEqual([headers, 403]);
    for (const headers of [{ origin: server.url }, { "sec-fetch-site": "same-origin" }, { "sec-fetch-site": "none" }])
      expect((await server.control("GET /clock", undefined, headers)).status).toBe(200);
    expect((await server.control("POST /clock/freeze", "at=1", { "content-type": "text/plain" })).status).toBe(415);
    expect((await server.control("GET /clock", undefined, { "content-encoding": "gzip" })).status).toBe(415);
    expect((await server.control("GET /clock")).body.mode).toBe("real");
  });

  it("forbids caches and pages of other sites to use its answers", async () => {
    const server = await startServer();
    const { headers: sent } = await server.control("GET /state");
    expect(sent.get("cache-control")).toBe("no-store");
    expect(sent.get("x-content-type-options")).toBe("nosniff");
    expect(sent.get("cross-origin-resource-policy")).toBe("same-origin");
    expect(sent.get("access-control-allow-origin")).toBeNull();
  });

  it("is absent beyond loopback unless enabled, and rejects a weak key", async () => {
    const options = { host: "0.0.0.0", publicUrl: "http://auth.example.test", allowedHosts: ["localhost"] };
    const closed = await startServer(options);
    expect(closed.control_key).toBeUndefined();
    const at = `http://localhost:${closed.port}`;
    expect((await call(at, "GET /state", undefined, { authorization: "Bearer undefined" })).status).toBe(404);
    const key = "ctl_abcdefghijklmnopqrstuvwxyz0123456789";
    const open = await startServer({ ...options, control: true, controlKey: key });
    expect(open.control_key).toBe(key);
    const answered = await call(`http://localhost:${open.port}`, "GET /state", undefined, {
      authorization: `Bearer ${key}`,
    });
    expect(answered.status).toBe(200);
    for (const weak of ["secret", "ctl_", "ctl_short", `ctl_${"a".repeat(64)}`])
      await expect(startServer({ controlKey: weak })).rejects.toThrow("SVC_CONTROL_KEY is too weak");
  });

  it("accepts a dashboard link once, until another server uses the same store", async () => {
    const server = await startServer();
    const { url } = await ok(server, "POST /dashboard-links", "/dashboard-links");
    const code = /#code=(.+)$/.exec(url)![1]!;
    const { body } = await call(server.url, "POST /dashboard-keys", { code });
    expect(body.key).toMatch(/^dsh_/);
    expect((await call(server.url, "POST /dashboard-keys", { code })).status).toBe(401);
    expect((await call(server.url, "POST /dashboard-keys", { code: `${code}x` })).status).toBe(401);
    const headers = { authorization: `Bearer ${body.key}` };
    expect((await call(server.url, "GET /state", undefined, headers)).status).toBe(200);
    expect((await call(server.url, "GET /state", undefined, { authorization: `Bearer ${body.key}x` })).status).toBe(
      401,
    );
    // A key is no code: it would renew itself.
    expect((await call(server.url, "POST /dashboard-keys", { code: body.key })).status).toBe(401);
  });
});

describe("The control API", () => {
  it.each([
    ["memory", () => "memory"],
    ["json", () => join(temporaryDirectory(), "data", "db.json")],
  ])("returns every route's documented form with the store %s", async (_, place) => {
    await callEveryRoute(await startServer({ store: place(), warn: () => {} }));
  });

  it("serves its own description and the API's without a key", async () => {
    const server = await startServer();
    const document = (await (await fetch(`${server.url}/__svc/openapi.json`)).json()) as {
      openapi: string;
      paths: Record<string, Record<string, unknown>>;
    };
    expect(document.openapi).toBe("3.1.0");
    const described = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
    );
    for (const route of ROUTES)
      expect(described).toContain(route.replace(" ", " /__svc/v1").replaceAll(/:(\w+)/g, "{$1}"));
    expect(described).toContain("POST /api/v1/tokens/verify");
  });

  it("uses one clock for tokens, states and sessions", async () => {
    const server = await startServer();
    const { token } = await ok(server, "POST /sign-ins", "/sign-ins", { provider: "google", as: "ada" });
    const verify = async (): Promise<number> =>
      (
        await fetch(`${server.url}/api/v1/tokens/verify`, {
          method: "POST",
          headers: { "x-service-secret-key": server.instances[0]!.secret_key, "content-type": "application/json" },
          body: JSON.stringify({ token }),
        })
      ).status;
    expect(await verify()).toBe(200);
    await ok(server, "POST /clock/advance", "/clock/advance", { by: "61m" });
    expect(await verify()).toBe(401);
    expect((await server.control("POST /clock/advance", { to: "2001-01-01T00:00:00Z" })).status).toBe(400);
    await ok(server, "POST /clock/reset", "/clock/reset");
    expect(await verify()).toBe(200);
  });

  it("issues the same tokens for the same seed and clock, with the expected verification result", async () => {
    const server = await startServer();
    await ok(server, "POST /clock/freeze", "/clock/freeze", { at: "2026-01-01T00:00:00Z" });
    for (const kind of CONTROL_ROUTES["POST /tokens"].body.shape.kind.def.innerType.options) {
      const [one, other] = [
        await ok(server, "POST /tokens", "/tokens", { kind, user: "ada@acme.test" }),
        await ok(server, "POST /tokens", "/tokens", { kind, user: "ada@acme.test" }),
      ];
      expect(one).toEqual(other);
      const response = await fetch(`${server.url}/api/v1/tokens/verify`, {
        method: "POST",
        headers: { "x-service-secret-key": server.instances[0]!.secret_key, "content-type": "application/json" },
        body: JSON.stringify({ token: one.token }),
      });
      const body = (await response.json()) as { error?: string };
      expect([kind, response.status, body.error ?? null]).toEqual([kind, one.expect.status, one.expect.error]);
      expect(response.status === 200).toBe(kind === "valid");
    }
  });

  it("rotates keys and rejects the old one at once", async () => {
    const server = await startServer();
    const [{ secret_key: old }] = [server.instances[0]!];
    const { secret_key } = await ok(server, "POST /instances/:id/keys/rotate", "/instances/acme/keys/rotate");
    const list = async (key: string): Promise<number> =>
      (await fetch(`${server.url}/api/v1/users`, { headers: { "x-service-secret-key": key } })).status;
    expect([await list(old), await list(secret_key)]).toEqual([401, 200]);
  });

  it("resets to the seed with the same ids and keys", async () => {
    const server = await startServer();
    const before = (await server.control("GET /users")).body;
    const keys = server.instances.map(({ secret_key }) => secret_key);
    await ok(server, "POST /sign-ins", "/sign-ins", { provider: "github", as: "new@acme.test" });
    await ok(server, "POST /instances/:id/keys/rotate", "/instances/acme/keys/rotate");
    await ok(server, "POST /clock/advance", "/clock/advance", { by: "61m" });
    await ok(server, "POST /scenarios", "/scenarios", { outcome: "access_denied" });
    await ok(server, "POST /reset", "/reset", { all: true });
    expect((await server.control("GET /users")).body).toEqual(before);
    expect(server.instances.map(({ secret_key }) => secret_key)).toEqual(keys);
    expect((await server.control("GET /scenarios")).body).toEqual([]);
    expect((await server.control("GET /clock")).body.mode).toBe("real");
    expect((await server.control("GET /snapshots")).body).toMatchObject([{ id: "previous-1" }]);
    for (const body of [{}, { all: false }, { all: true, instance: "acme" }])
      expect((await server.control("POST /reset", body)).status).toBe(400);
  });

  it("refuses to reset a store whose seed it does not know, and leaves the snapshots as they are", async () => {
    const store = join(temporaryDirectory(), "db.json");
    await (await serve({ port: 0, store, control: false })).close();
    const server = await startServer({ store });
    for (let n = 0; n < 5; n++) await server.control("POST /reset", { instance: "acme" });
    const before = (await server.control("GET /snapshots")).body;
    expect(before).toHaveLength(5);
    expect(await server.control("POST /reset", { all: true })).toMatchObject({ status: 409 });
    expect((await server.control("GET /snapshots")).body).toEqual(before);
  });
});

describe("Outcomes", () => {
  it.each(OUTCOMES.filter(({ id }) => !ID_TOKEN_OUTCOMES.includes(id)))(
    "$id return the same to the application by scenario and headless, at every provider",
    async ({ id: outcome, application_sees }) => {
      const server = await startServer();
      const { providers } = (await ok(server, "GET /outcomes", "/outcomes")).find(
        ({ id }: { id: string }) => id === outcome,
      );
      for (const provider of providers) {
        await ok(server, "POST /scenarios", "/scenarios", { outcome, as: "ada", match: { provider } });
        const reached = await start(server, { provider });
        const headless = await ok(server, "POST /sign-ins", "/sign-ins", { outcome, provider, as: "ada" });
        if (application_sees.startsWith("No redirect")) {
          expect([provider, reached]).toEqual([provider, 400]);
          expect(headless).toMatchObject({ location: null, error: "invalid_state" });
        } else if (application_sees === "token") {
          expect((reached as URL).searchParams.get("token"), provider).toMatch(/^ey/);
          expect(headless.token).toMatch(/^ey/);
        } else {
          expect(`error=${(reached as URL).searchParams.get("error")}`, provider).toBe(application_sees);
          expect(`error=${headless.error}`).toBe(application_sees);
        }
        const flow = (await server.control(`GET /flows/${headless.flow_id}`)).body.data;
        expect(flow).toMatchObject({ requested_outcome: outcome, provider, as: "ada" });
        if (flow.result === "error") expect(flow.reason).toBeTruthy();
      }
      expect(JSON.stringify((await server.control("GET /flows")).body)).not.toMatch(/eyJ[\w-]+\.eyJ/);
    },
  );
});

describe("Scenarios", () => {
  it("apply to matching sign-ins, counted ones before standing ones, and again for a reload", async () => {
    const server = await startServer();
    await ok(server, "POST /scenarios", "/scenarios", { outcome: "rate_limited", times: null, label: "standing" });
    await ok(server, "POST /scenarios", "/scenarios", { outcome: "access_denied", label: "counted" });
    await ok(server, "POST /scenarios", "/scenarios", {
      outcome: "token_error",
      match: { provider: "github" },
      label: "github",
    });
    const error = async (query: Record<string, string>): Promise<string | null> =>
      ((await start(server, query)) as URL).searchParams.get("error");
    expect(await error({})).toBe("access_denied");
    expect(await error({})).toBe("temporarily_unavailable");
    const pending = (await server.control("GET /scenarios?pending=true")).body;
    expect(pending.map((row: { data: { label: string } }) => row.data.label)).toEqual(["github", "standing"]);
    const [flow] = (await server.control("GET /flows")).body;
    expect(flow.data.considered).toContainEqual({ scenario: pending[0].id, because: "it is for github" });

    const begun = await fetch(`${server.url}/oauth/authorize?provider=github&redirect_uri=${APP}`, {
      redirect: "manual",
    });
    const page = begun.headers.get("location")!;
    const [first, again] = [await fetch(page, { redirect: "manual" }), await fetch(page, { redirect: "manual" })];
    expect([first.status, again.status]).toEqual([302, 302]);
    expect(new URL(again.headers.get("location")!).searchParams.has("code")).toBe(true);
    const [github] = (await server.control("GET /scenarios?label=github")).body;
    expect(github.data).toMatchObject({ used: 1, remaining: 0 });
  });

  it("apply to their own sign-ins only, with 40 at once in different browsers", async () => {
    const server = await startServer();
    const ends = ["access_denied", "rate_limited", "code_rejected", "success"] as const;
    const seen = {
      access_denied: "access_denied",
      rate_limited: "temporarily_unavailable",
      code_rejected: "server_error",
      success: null,
    };
    const browsers = await Promise.all(
      Array.from({ length: 40 }, async (_, n) => {
        const { id, cookies } = (await server.control("POST /browsers", { label: `worker ${n}` })).body;
        const outcome = ends[n % ends.length]!;
        await server.control("POST /scenarios", { outcome, as: "ada", match: { browser: n % 2 ? id : `worker ${n}` } });
        return { outcome, cookie: `${cookies[0].name}=${cookies[0].value}` };
      }),
    );
    const reached = await Promise.all(browsers.map(({ cookie }) => start(server, {}, { cookie })));
    expect(reached.map((url) => (url as URL).searchParams.get("error"))).toEqual(
      browsers.map(({ outcome }) => seen[outcome]),
    );
    expect((await server.control("GET /scenarios?pending=true")).body).toEqual([]);
  });
});
