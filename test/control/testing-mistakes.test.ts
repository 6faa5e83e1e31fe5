import { describe, expect, it } from "vitest";
import { connect, createTestService, startTestService, type TestServiceOptions } from "../../src/testing/index.ts";
import { serviceBy, WAYS } from "../_services.ts";

const CREATORS = { createTestService, startTestService };

describe.each(Object.entries(CREATORS))("%s", (name, create) => {
  it("refuses an unknown option and names the one that was probably meant", async () => {
    await expect(create({ sed: "seed.json" } as TestServiceOptions)).rejects.toMatchObject({
      name: "ServeError",
      code: "config",
      message: `Unknown option of ${name}: sed. Did you mean seed?`,
    });
    await expect(create({ port: 1 } as TestServiceOptions)).rejects.toThrow(
      "port. The options are now, seed, strict, warn.",
    );
  });

  it("reports a missing seed and an invalid one by a code, without a flag that was not used", async () => {
    const missing = await create({ seed: "/nowhere/seed.json" }).catch((error: unknown) => error);
    expect(missing).toMatchObject({
      code: "config",
      message: "The seed /nowhere/seed.json cannot be read: no such file or directory (ENOENT).",
    });
    const seed = { instances: [{ name: "Acme", subdomain: "acme", redirectUris: [] }] };
    await expect(create({ seed } as TestServiceOptions)).rejects.toMatchObject({
      name: "SeedError",
      code: "invalid_seed",
      message: expect.stringContaining("instances[0].redirectUris: unknown key. Did you mean redirect_uris?") as string,
    });
  });
});

it("connect refuses an unknown option, and has a code for a server that is not there", async () => {
  const controlKey = `ctl_${"x".repeat(43)}`;
  await expect(connect({ ulr: "http://127.0.0.1:9", controlKey } as never)).rejects.toThrow(
    "Unknown option of connect: ulr. Did you mean url?",
  );
  await expect(connect({ url: "http://127.0.0.1:9", controlKey })).rejects.toMatchObject({
    code: "connection",
    status: undefined,
  });
});

it("another process connects to a started service by its url and its controlKey", async () => {
  const svc = await serviceBy("started");
  const { url, controlKey } = svc;
  const other = await connect({ url, controlKey });
  const { flow_id } = await other.signIn({ as: "ada" });
  expect((await svc.flows.latest())!.id).toBe(flow_id);
  expect([other.url, other.controlKey, svc.scoped("one").controlKey]).toEqual([url, controlKey, controlKey]);
});

describe.each(WAYS)("A test service, %s,", (way) => {
  it("names the key that was probably meant by one that does not exist", async () => {
    const svc = await serviceBy(way);
    await expect(svc.signIn({ outcom: "access_denied" } as object)).rejects.toMatchObject({
      code: "config",
      message: "Unknown option of signIn: outcom. Did you mean outcome?",
    });
    await expect(svc.scenarios.next({ outcom: "access_denied" } as object)).rejects.toMatchObject({
      code: "bad_request",
      status: 400,
      message: expect.stringContaining("outcom: unknown key. Did you mean outcome?") as string,
    });
  });

  it("takes redirectUri, as signInUrl of the client does, and no other spelling", async () => {
    const svc = await serviceBy(way);
    const misspelt = { redirect_uri: "http://localhost:3000/callback" } as never;
    const problem = "redirect_uri. Did you mean redirectUri?";
    await expect(svc.signIn(misspelt)).rejects.toThrow(`Unknown option of signIn: ${problem}`);
    await expect(svc.client().signInUrl(misspelt)).rejects.toThrow(`Unknown option of signInUrl: ${problem}`);
    const { location } = await svc.signIn({ as: "ada", redirectUri: "http://localhost:3000/callback" });
    expect(location).toMatch(/^http:\/\/localhost:3000\/callback\?token=/);
  });

  it("names the outcome that was probably meant by one that does not exist", async () => {
    const svc = await serviceBy(way);
    await expect(svc.signIn({ outcome: "acces_denied" as "access_denied" })).rejects.toThrow(
      "Did you mean access_denied?",
    );
  });

  it("has the service's code in its errors", async () => {
    const svc = await serviceBy(way);
    const id = "00000000-0000-4000-8000-000000000000";
    await expect(svc.users.get(id)).rejects.toMatchObject({ code: "user_not_found", status: 404 });
    const user = { email: "joan@example.com", name: "Joan" };
    await svc.users.create(user);
    await expect(svc.users.create(user)).rejects.toMatchObject({ code: "conflict", status: 409 });
    const { url } = svc;
    if (way !== "in process")
      await expect(connect({ url, controlKey: `ctl_${"x".repeat(43)}` })).rejects.toMatchObject({
        code: "unauthorized",
      });
  });

  it("names a user by id or e-mail address, and says user_not_found for either", async () => {
    const svc = await serviceBy(way);
    const { id, data } = await svc.users.create({ email: "joan@example.com" });
    expect(data.name).toBe("joan");
    expect((await svc.users.get("JOAN@example.com")).id).toBe(id);
    expect((await svc.users.update("joan@example.com", { name: "Joan Clarke" })).data.name).toBe("Joan Clarke");
    await svc.users.delete("joan@example.com");
    const gone = { name: "ControlError", code: "user_not_found", status: 404 };
    for (const user of ["joan@example.com", "*@example.com", "joan", id]) {
      await expect(svc.users.get(user)).rejects.toMatchObject(gone);
      await expect(svc.users.update(user, { name: "Joan" })).rejects.toMatchObject(gone);
      await expect(svc.users.delete(user)).rejects.toMatchObject(gone);
    }
  });

  it("has a code in the errors of its own, and no status without a response", async () => {
    const svc = await serviceBy(way);
    const own = { name: "ControlError", status: undefined };
    await expect(svc.flows.waitFor({ error: "email_not_verified" }, 1)).rejects.toMatchObject({
      ...own,
      code: "timeout",
    });
    expect(() => svc.client("nowhere")).toThrow(expect.objectContaining({ ...own, code: "instance_not_found" }));
    await svc.close();
    await expect(svc.users.list()).rejects.toMatchObject({ ...own, code: "closed" });
  });

  it("refuses a test's calls after its close(), and answers those of the next one", async () => {
    const svc = await serviceBy(way);
    const [one, next] = [svc.scoped("one"), svc.scoped("next")];
    const flows = one.flows;
    await one.close();
    const closed = { code: "closed", message: expect.stringContaining("Await every call before the test ends") };
    await expect(one.scenarios.next({ outcome: "access_denied" })).rejects.toMatchObject(closed);
    await expect(flows.list()).rejects.toMatchObject(closed);
    await expect(one.reset()).rejects.toMatchObject(closed);
    expect(() => one.client()).toThrow(expect.objectContaining(closed));
    await next.scenarios.next({ outcome: "access_denied" });
    expect((await next.signIn({ as: "ada" })).error).toBe("access_denied");
  });

  it("refuses every call after close()", async () => {
    const svc = await serviceBy(way);
    await svc.close();
    const closed = { code: "closed", message: expect.stringMatching(/^The test service is closed\./) as string };
    await expect(svc.signIn({ as: "ada" })).rejects.toMatchObject(closed);
    await expect(svc.users.list()).rejects.toMatchObject(closed);
    await expect(svc.reset()).rejects.toMatchObject(closed);
    await expect(svc.fetch(`${svc.url}/`)).rejects.toMatchObject(closed);
    await expect(svc.scoped("other").signIn()).rejects.toMatchObject(closed);
    expect(() => svc.client()).toThrow(expect.objectContaining(closed));
    await svc.close();
  });
});

it("The clock is advanced by a duration with a unit: a bare number is refused, as its digits in quotes are", async () => {
  await using svc = await createTestService();
  const before = svc.clock.now().getTime();
  await expect(svc.clock.advance(61 as never)).rejects.toThrow(
    'advance(61) has no unit. Write "61m", "61s" or "61ms".',
  );
  await expect(svc.clock.advance("61")).rejects.toThrow(/"61" has no unit/);
  expect(svc.clock.now().getTime() - before).toBeLessThan(60_000);
  await svc.clock.fastForward(61 * 60_000);
  expect(svc.clock.now().getTime() - before).toBeGreaterThanOrEqual(61 * 60_000);
});
