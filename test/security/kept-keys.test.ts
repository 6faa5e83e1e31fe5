import { createHmac } from "node:crypto";
import { expect, it } from "vitest";
import { createClient } from "../../src/client/index.ts";
import { checkToken, decodeToken } from "../../src/client/verify.ts";
import { startServer, type ControlledServer } from "../_control.ts";
import { encodePart } from "../_setup.ts";

const ROTATE = "POST /instances/acme/keys/rotate";

async function tokenOf(server: ControlledServer): Promise<string> {
  const { body } = await server.control("POST /sign-ins", { provider: "google", as: "ada@acme.test" });
  return body.token as string;
}

/** The status of verifying a token with a secret key. */
async function verify(server: ControlledServer, key: string, token: string): Promise<number> {
  const response = await fetch(`${server.url}/api/v1/tokens/verify`, {
    method: "POST",
    headers: { "x-service-secret-key": key, "content-type": "application/json" },
    body: JSON.stringify({ token }),
  });
  return response.status;
}

const keyOf = (server: ControlledServer, n = 0): string => server.instances[n]!.secret_key;

it("A kept key verifies what it signed until its time is over, signs nothing, and is no key of the API", async () => {
  const server = await startServer();
  await server.control("POST /clock/freeze", {});
  const old = keyOf(server);
  const before = await tokenOf(server);
  const { body: keys } = await server.control(ROTATE, { keep_old: "10m" });
  expect(keys.old_keys).toHaveLength(1);
  const after = await tokenOf(server);
  const now = (): Date => new Date(decodeToken(after).claims.iat! * 1000);
  expect((await checkToken(after, { secretKey: old, now })).ok).toBe(false);
  expect((await checkToken(after, { secretKey: [keys.secret_key, old], now })).ok).toBe(true);
  const current = keys.secret_key as string;
  expect([await verify(server, current, before), await verify(server, current, after)]).toEqual([200, 200]);
  expect([await verify(server, old, before), await verify(server, old, after)]).toEqual([401, 401]);
  for (const path of ["/users", "/sessions", `/users/${decodeToken(after).claims.sub}`])
    for (const method of path.startsWith("/users/") ? ["GET", "DELETE"] : ["GET"]) {
      const answer = await fetch(`${server.url}/api/v1${path}`, { method, headers: { "x-service-secret-key": old } });
      expect([method, path, answer.status]).toEqual([method, path, 401]);
    }

  await server.control("POST /clock/advance", { by: "10m" });
  // Also a token whose signature was verified a moment ago.
  expect([await verify(server, current, before), await verify(server, current, after)]).toEqual([401, 200]);
  expect((await server.control("GET /instances/acme")).body.data.old_keys).toEqual([]);
});

it("A kept key is not shown, and counts at its own instance alone", async () => {
  const server = await startServer();
  const old = keyOf(server);
  await server.control(ROTATE, { keep_old: "1h" });
  const shown = await Promise.all(
    ["GET /instances", "GET /instances/acme", "POST /instances/acme/reveal"].map((route) => server.control(route)),
  );
  expect(JSON.stringify(shown.map(({ body }) => body as unknown))).not.toContain(old);
  const { claims } = decodeToken(await tokenOf(server));
  const text = `${encodePart({ alg: "HS256" })}.${encodePart({ ...claims, instance_id: server.instances[1]!.id })}`;
  const forged = `${text}.${createHmac("sha256", old).update(text).digest("base64url")}`;
  expect([await verify(server, keyOf(server, 1), forged), await verify(server, old, forged)]).toEqual([401, 401]);
});

it("Several rotations overlap, and all replaced keys end with revoke-old or with a rotation that keeps none", async () => {
  const server = await startServer();
  for (const [route, body] of [["DELETE /instances/acme/keys/old"], [ROTATE, {}]] as const) {
    const tokens: string[] = [];
    for (const keep_old of ["1h", 3_600_000]) {
      tokens.push(await tokenOf(server));
      await server.control(ROTATE, { keep_old });
    }
    const statuses = async (): Promise<number[]> =>
      Promise.all(tokens.map((token) => verify(server, keyOf(server), token)));
    expect(await statuses()).toEqual([200, 200]);
    expect((await server.control(route, body)).body.old_keys).toEqual([]);
    expect(await statuses()).toEqual([401, 401]);
  }
});

it.each([
  [{ keep_old: "31d" }, /30d/],
  [{ keep_old: "soon" }, /not a duration/],
  [{ keep_old: "1h", secret_key: false, publishable_key: true }, /only an old secret key/],
])("A rotation with %j is refused and replaces nothing", async (body, message) => {
  const server = await startServer();
  const before = keyOf(server);
  const answer = await server.control(ROTATE, body);
  expect([answer.status, keyOf(server)]).toEqual([400, before]);
  expect(answer.body.error).toMatch(message);
});

it("A client with several secret keys sends the first, and verifies tokens of all", async () => {
  const server = await startServer();
  const token = await tokenOf(server);
  const { secret_key: next } = (await server.control(ROTATE, {})).body as { secret_key: string };
  const old = "sk_old_0123456789abcdefghijklmnopqrstuvwxyz";
  const client = createClient({ baseUrl: server.url, secretKey: [next, old] });
  const [{ id } = { id: "" }] = await client.users.list({ limit: 1 });
  expect(id).not.toBe("");
  const claims = decodeToken(token).claims;
  const text = `${encodePart({ alg: "HS256" })}.${encodePart(claims)}`;
  const signed = `${text}.${createHmac("sha256", old).update(text).digest("base64url")}`;
  expect(await client.tokens.verifyLocal(signed)).toMatchObject({ sub: claims.sub });
  expect(await client.tokens.verifyLocal(await tokenOf(server))).toMatchObject({ sub: claims.sub });
  await client.close();
  expect(() => createClient({ baseUrl: server.url, secretKey: [] })).toThrow("secretKey is empty");
  expect(() => createClient({ baseUrl: server.url, secretKey: [next, "pk_x"] })).toThrow("publishable key");
});
