import { expect, it } from "vitest";
import { startServer, type ControlledServer } from "../_control.ts";

async function ok(server: ControlledServer, route: string, body?: unknown) {
  const answer = await server.control(route, body);
  expect([route, answer.status, answer.body]).toEqual([route, expect.toBeOneOf([200, 201]), expect.anything()]);
  return answer.body;
}

async function listOf(server: ControlledServer, instance: string): Promise<unknown> {
  const users = await ok(server, `GET /users?instance=${instance}`);
  const sessions = await ok(server, `GET /sessions?instance=${instance}`);
  return { users, sessions };
}

/** The status of a read with an instance's secret key. */
async function readWith({ url }: ControlledServer, key: string): Promise<number> {
  return (await fetch(`${url}/api/v1/users`, { headers: { "x-service-secret-key": key } })).status;
}

it("An undo of a reset of one instance leaves another's users, sessions and rotated keys alone", async () => {
  const server = await startServer();
  await ok(server, "POST /users", { instance: "globex", email: "hank@globex.test" });
  await ok(server, "POST /sign-ins", { instance: "globex", as: "hank@globex.test" });
  const globex = await listOf(server, "globex");
  const { snapshot } = await ok(server, "POST /reset", { instance: "globex" });
  expect(await listOf(server, "globex")).toEqual({ users: [], sessions: [] });

  await ok(server, "POST /users", { instance: "acme", email: "eve@acme.test" });
  await ok(server, "POST /sign-ins", { instance: "acme", as: "eve@acme.test" });
  const [{ secret_key: old }] = [server.instances[0]!];
  const { secret_key } = await ok(server, "POST /instances/acme/keys/rotate");
  await ok(server, "PATCH /instances/globex", {
    name: "Globex Corporation",
    redirect_uris: ["https://globex.test/cb"],
  });
  await ok(server, "POST /clock/freeze", { at: "2030-01-01T00:00:00Z" });
  const others = async () => [await listOf(server, "acme"), await ok(server, "GET /instances")];
  const changed = await others();

  const restored = await ok(server, `POST /snapshots/${snapshot}/restore`, { instance: "globex" });
  expect(restored).toMatchObject({ id: snapshot, data: { previous: "previous-2" } });
  expect(restored.data.records).toEqual({ users: 2, identities: 2, sessions: 2 });
  expect(await listOf(server, "globex")).toEqual(globex);
  expect(await others()).toEqual(changed);
  expect(await ok(server, "GET /clock")).toMatchObject({ mode: "frozen", now: "2030-01-01T00:00:00.000Z" });
  expect([await readWith(server, old), await readWith(server, secret_key)]).toEqual([401, 200]);

  // It is undone in the same way.
  await ok(server, "POST /snapshots/previous/restore", { instance: "globex" });
  expect(await listOf(server, "globex")).toEqual({ users: [], sessions: [] });
  expect(await readWith(server, old)).toBe(401);
});

it("A snapshot says how much it has, in all and of one instance", async () => {
  const server = await startServer();
  await ok(server, "POST /sign-ins", { instance: "globex", as: "hank@globex.test" });
  const { users, sessions } = await ok(server, "GET /state");
  await ok(server, "POST /reset", { instance: "acme" });
  const { data } = await ok(server, "GET /snapshots/previous");
  expect(data).toMatchObject({ name: "previous-1", records: { instances: 2, users, sessions } });
  const globex = await ok(server, "GET /snapshots/previous-1?instance=globex");
  expect(globex.data).toEqual({ ...data, records: { users: 2, identities: 2, sessions: 2 } });
});

it("An instance that a snapshot lacks is refused, and nothing is replaced or saved", async () => {
  const server = await startServer();
  await ok(server, "POST /snapshots", { name: "base" });
  await ok(server, "POST /instances", { name: "Initech", subdomain: "initech" });
  await ok(server, "POST /users", { instance: "initech", email: "peter@initech.test" });
  const before = await listOf(server, "initech");
  const error = `Not found: the snapshot "base" does not have the instance initech; it was saved before that was created`;
  for (const answer of [
    await server.control("GET /snapshots/base?instance=initech"),
    await server.control("POST /snapshots/base/restore", { instance: "initech" }),
  ])
    expect([answer.status, answer.body]).toEqual([404, { error }]);
  expect(await listOf(server, "initech")).toEqual(before);
  expect((await ok(server, "GET /snapshots")).map(({ id }: { id: string }) => id)).toEqual(["base"]);
});
