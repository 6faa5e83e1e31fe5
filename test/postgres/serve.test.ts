import { execFileSync } from "node:child_process";
import { beforeAll, describe, expect, it } from "vitest";
import { createDatabase } from "./_postgres.ts";
import { callbackOf, inTurn, signIn, started, startTwo, users } from "./_serve.ts";

describe("svc serve on PostgreSQL", () => {
  let url: string;
  beforeAll(async () => {
    url = await createDatabase();
  });

  it("prints which store it uses, without the password", async () => {
    const server = await started(url);
    const { password, username, host, pathname } = new URL(url);
    expect(server.store).toBe(`postgres://${username}@${host}${pathname}`);
    expect(server.log()).toContain("created the schema svc");
    expect(server.log()).not.toContain(password);
    expect(execFileSync("ps", ["-o", "args=", "-p", String(server.child.pid)], { encoding: "utf8" })).not.toContain(
      password,
    );
    await server.stop();
  });

  it("warns about a password on the command line without repeating it", async () => {
    const server = await started("memory", ["--store", url]);
    expect(server.log()).toMatch(/can see the password in --store.*PGPASSWORD/);
    const lines = server.log().trim().split("\n");
    expect(lines.map((line) => (JSON.parse(line) as { type: string }).type)).toEqual(lines.map(() => "log"));
    expect(server.log()).not.toContain(new URL(url).password);
  });

  it("completes a sign-in, whichever of two servers each step reaches", async () => {
    const fresh = await createDatabase();
    const servers = await startTwo(fresh);
    const next = inTurn(servers);
    for (const who of ["p1@acme.test", "p2@acme.test", "typed@in.test"])
      expect(typeof (await signIn(who, next))).toBe("string");
    const found = await users(servers[0]!);
    expect(found.map((user) => user.data.email).toSorted()).toEqual(["p1@acme.test", "p2@acme.test", "typed@in.test"]);
    expect(await users(servers[1]!)).toEqual(found);
    // The same code again, with another state, at the server that has not seen it.
    const path = new URL((await callbackOf("p1@acme.test", next)) as string, "http://localhost");
    await servers[0]!.send(path.pathname + path.search);
    expect((await servers[1]!.send(path.pathname + path.search)).status).toBe(400);
  });

  it("fills an empty database once when several start together", async () => {
    const fresh = await createDatabase();
    const servers = await Promise.all([1, 2, 3].map(() => started(fresh, [])));
    const logs = servers.map((server) => server.log());
    expect(logs.filter((log) => log.includes("created the schema"))).toHaveLength(1);
    expect(new Set(servers.map((server) => server.instances.map((instance) => instance.id).join())).size).toBe(1);
  });

  it("continues with the seed that filled it, and starts over with --reset", async () => {
    const again = await started(url);
    expect(again.instances).toHaveLength(1);
    await again.stop();
    const server = await started(url, ["--reset"]);
    // The demo has two; the seed of these tests has one.
    expect(server.instances).toHaveLength(2);
  });
});
