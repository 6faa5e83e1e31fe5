import { describe, expect, it } from "vitest";
import { followSignIn, startServer, type ControlledServer } from "../_control.ts";
import { callEveryRoute } from "../control/_every-route.ts";
import { createDatabase } from "./_postgres.ts";
import { awaitServer } from "./_store.ts";

awaitServer();

const APP = "http://localhost:3000/callback";
const KEY = "ctl_abcdefghijklmnopqrstuvwxyz0123456789";

/** Two servers on one database. */
async function pair(): Promise<[ControlledServer, ControlledServer]> {
  const store = await createDatabase();
  const options = { store, controlKey: KEY, warn: () => {} };
  return [await startServer(options), await startServer(options)];
}

it("The control API returns every route's documented form with PostgreSQL", async () => {
  await callEveryRoute(await startServer({ store: await createDatabase(), warn: () => {} }));
});

describe("The control API of two servers on one database", () => {
  it("share one clock, and apply scenarios set at the other", async () => {
    const [one, other] = await pair();
    await one.control("POST /clock/freeze", { at: "2026-01-01T00:00:00Z" });
    await expect.poll(async () => (await other.control("GET /clock")).body.now).toBe("2026-01-01T00:00:00.000Z");
    expect((await other.control("POST /tokens", { user: "ada@acme.test" })).body).toEqual(
      (await one.control("POST /tokens", { user: "ada@acme.test" })).body,
    );

    await one.control("POST /scenarios", { outcome: "access_denied", as: "ada", times: 3 });
    const start = `${other.url}/oauth/authorize?provider=google&redirect_uri=${APP}&login_hint=ada`;
    const error = async (): Promise<string | null> => ((await followSignIn(start)) as URL).searchParams.get("error");
    await expect.poll(error).toBe("access_denied");
    const ends = await Promise.all(Array.from({ length: 8 }, error));
    expect(ends.filter((end) => end === "access_denied")).toHaveLength(2);
    expect((await one.control("GET /scenarios")).body).toMatchObject([{ data: { used: 3, remaining: 0 } }]);
  });

  it("share instances and personas, and reject a rotated key at once", async () => {
    const [one, other] = await pair();
    const [{ secret_key: old }] = [one.instances[0]!];
    const list = async (key: string): Promise<number> =>
      (await fetch(`${other.url}/api/v1/users`, { headers: { "x-service-secret-key": key } })).status;
    expect(await list(old)).toBe(200);
    const { secret_key } = (await one.control("POST /instances/acme/keys/rotate")).body;
    expect([await list(old), await list(secret_key)]).toEqual([401, 200]);

    await one.control("POST /instances", { name: "Initech", subdomain: "initech" });
    await one.control("POST /personas", {
      id: "bo",
      name: "Bo",
      email: "bo@acme.test",
      google: { sub: "77", email_verified: true },
    });
    await expect.poll(async () => (await other.control("GET /personas/bo")).status).toBe(200);
    const signedIn = await other.control("POST /sign-ins", { instance: "initech", as: "bo" });
    expect(signedIn.body.token).toMatch(/^ey/);
    expect((await one.control("POST /instances", { name: "Again", subdomain: "initech" })).status).toBe(409);
  });

  it("save, restore and reset for both", async () => {
    const [one, other] = await pair();
    const users = (await one.control("GET /users")).body;
    await one.control("POST /snapshots", { name: "base" });
    await other.control("POST /sign-ins", { provider: "github", as: "new@acme.test" });
    expect((await one.control("GET /state")).body.users).toBe(users.length + 2);
    expect((await other.control("POST /snapshots/base/restore")).status).toBe(200);
    expect((await one.control("GET /users")).body).toEqual(users);
    await other.control("POST /instances/acme/keys/rotate");
    expect((await other.control("POST /reset", { all: true })).status).toBe(200);
    expect(one.instances.map(({ secret_key }) => secret_key)).toEqual(
      other.instances.map(({ secret_key }) => secret_key),
    );
    expect((await one.control("GET /snapshots")).body.map(({ id }: { id: string }) => id).toSorted()).toEqual([
      "base",
      "previous-1",
      "previous-2",
    ]);
  });

  it("accept a dashboard key of the other, and its code once", async () => {
    const [one, other] = await pair();
    const { url } = (await one.control("POST /dashboard-links")).body;
    const code = /#code=(.+)$/.exec(url)![1];
    const redeem = (server: ControlledServer): ReturnType<ControlledServer["control"]> =>
      server.control("POST /dashboard-keys", { code });
    const answers = await Promise.all([redeem(one), redeem(other), redeem(other)]);
    expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 401, 401]);
    const { key } = answers.find(({ status }) => status === 201)!.body;
    for (const server of [one, other])
      expect((await server.control("GET /state", undefined, { authorization: `Bearer ${key}` })).status).toBe(200);
    expect((await other.control("DELETE /dashboard-keys")).body).toEqual({ revoked: true });
    for (const server of [one, other])
      expect((await server.control("GET /state", undefined, { authorization: `Bearer ${key}` })).status).toBe(401);
  });
});
