import { describe, expect, it } from "vitest";
import type { Fetch } from "../../src/client/index.ts";
import { SEED, setup, type Service } from "../_setup.ts";
import { caught } from "../_client.ts";

/** A client of an instance that is found by its publishable key, its clock, and how often it asked for the instance. */
async function bootstrapped(given?: Service) {
  const service = given ?? (await setup());
  const clock = { now: 1_000_000 };
  const asked = { count: 0, isDown: false };
  const fetch: Fetch = (url, init) => {
    if (url.includes("/instances/search")) asked.count++;
    if (asked.isDown) throw new Error("down");
    return service.fetch(url, init) as ReturnType<Fetch>;
  };
  const { publishable_key: publishableKey } = service.acme;
  const options = { baseUrl: undefined, publishableKey, apiUrl: service.addresses.api, retry: 0, fetch };
  const client = service.client(service.acme, { ...options, now: () => clock.now });
  return { service, client, clock, asked };
}

describe("The instance of a publishable key", () => {
  it("is asked for once in the 60 seconds of the client's own clock", async () => {
    const { client, clock, asked } = await bootstrapped();
    await client.users.list();
    clock.now += 59_999;
    await client.users.list();
    expect(asked.count).toBe(1);
    clock.now += 1;
    await client.users.list();
    expect(asked.count).toBe(2);
  });

  it("is asked for anew when the clock was set back", async () => {
    const { client, clock, asked } = await bootstrapped();
    await client.baseUrl();
    clock.now -= 3_600_000;
    await client.baseUrl();
    expect(asked.count).toBe(2);
  });

  it("is what instances.resolve returns too, without a request, unless it is asked for afresh", async () => {
    const { client, asked, service } = await bootstrapped();
    const { resolve } = client.instances;
    const first = await resolve().withResponse();
    const [again, own] = await Promise.all([resolve(), resolve(service.acme.publishable_key)]);
    await client.users.list();
    expect([asked.count, first.data, first.response.status]).toEqual([1, again, 200]);
    expect(own).toEqual(again);
    expect(await resolve(undefined, { fresh: true })).toEqual(again);
    expect(asked.count).toBe(2);
    expect(await resolve(service.globex.publishable_key)).toMatchObject({ id: service.globex.id });
    expect(asked.count).toBe(3);
  });

  it("is asked for once by several calls at the same time, but apart by one with a signal of its own", async () => {
    const { client, asked } = await bootstrapped();
    const reason = new Error("enough");
    const controller = new AbortController();
    const ended = caught(client.instances.resolve(undefined, { signal: controller.signal }));
    const others = Promise.all([client.instances.resolve(), client.baseUrl(), client.users.list()]);
    controller.abort(reason);
    expect(await ended).toBe(reason);
    await others;
    expect(asked.count).toBe(2);
    await client.instances.resolve(undefined, { timeoutMs: 1000 });
    expect(asked.count).toBe(2);
  });

  it("is asked for again after a failure, and while it has no address", async () => {
    const { client, asked } = await bootstrapped();
    asked.isDown = true;
    expect(await caught(client.baseUrl())).toMatchObject({ code: "connection" });
    asked.isDown = false;
    await client.baseUrl();
    expect(asked.count).toBe(2);
  });

  it("is asked for again while it has no address", async () => {
    const service = await setup({
      seed: { ...SEED, instances: SEED.instances.map((one) => ({ ...one, active: false })) },
    });
    const { client, asked } = await bootstrapped(service);
    for (let time = 0; time < 2; time++)
      expect(await client.instances.resolve()).toMatchObject({ data: { url: null } });
    expect(await caught(client.baseUrl())).toMatchObject({ code: "instance_inactive" });
    expect(asked.count).toBe(3);
  });
});
