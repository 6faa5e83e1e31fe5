// Below the faces: 100,000 addresses, of which a test has two.

import { expect, it } from "vitest";
import { createStartLimit, type StartLimit } from "../../src/server/sign-in/start-limit.ts";
import { APP, Clock, SEED, setup, type Service } from "../_setup.ts";

const LIMIT = 2_000;
const ignore = (): void => undefined;

function withRedirectUris(): typeof SEED {
  const seed = structuredClone(SEED);
  Object.assign(seed.instances[0]!, { redirect_uris: [APP] });
  return seed;
}

async function start({ fetch }: Service): Promise<Response> {
  const query = new URLSearchParams({ provider: "google", redirect_uri: APP, login_hint: "ada" });
  return fetch(`/oauth/authorize?${query.toString()}`);
}

/** To the simulated provider, and back. @returns the application's address, if the state was taken */
async function finish({ fetch }: Service, begun: Response): Promise<string | null> {
  const back = await fetch(begun.headers.get("location")!);
  return (await fetch(back.headers.get("location")!)).headers.get("location");
}

it("A client beyond loopback with 2,000 unfinished sign-ins of two minutes is refused until it finishes one", async () => {
  const service = await setup({ isLocal: false, seed: withRedirectUris() });
  const started = await Promise.all(Array.from({ length: LIMIT }, () => start(service)));
  expect(new Set(started.map(({ status }) => status))).toEqual(new Set([302]));
  service.clock.advance(83);
  const refused = await start(service);
  expect(refused.status).toBe(429);
  expect(refused.headers.get("retry-after")).toBe("37");
  expect(await refused.json()).toEqual({
    error: "Too many sign-ins: finish those that have begun, or try again in 37 s",
  });

  expect(await finish(service, started[0]!)).toContain("token=");
  expect((await start(service)).status).toBe(302);
  expect((await start(service)).status).toBe(429);
});

it("T42: who left 2,000 sign-ins unfinished keeps the others at its address out for two minutes at most", async () => {
  const service = await setup({ isLocal: false, seed: withRedirectUris() });
  const left = await Promise.all(Array.from({ length: LIMIT + 100 }, () => start(service)));
  expect(left.filter(({ status }) => status === 429).length).toBe(100);
  expect(service.log.warnings).toEqual([
    "127.0.0.1 began 2000 sign-ins in the last two minutes that it did not finish; more are answered 429. If it is a proxy, name it with --trust-proxy.",
  ]);
  service.clock.advance(120);
  const office = await Promise.all(Array.from({ length: 50 }, () => start(service)));
  const ended = await Promise.all(office.map((begun) => finish(service, begun)));
  expect(ended.filter((location) => location?.includes("token=")).length).toBe(50);
  // Each took the place of one that was left.
  const kept = await Promise.all(left.slice(0, 60).map((begun) => finish(service, begun)));
  expect(kept.filter((location) => location?.includes("token=")).length).toBe(10);
});

it("A server that only this machine can reach has no such limit", async () => {
  const service = await setup();
  const started = await Promise.all(Array.from({ length: LIMIT + 1 }, () => start(service)));
  expect(new Set(started.map(({ status }) => status))).toEqual(new Set([302]));
});

const begin = (limit: StartLimit, address: string, times: number, first = 0): (string | undefined)[] =>
  Array.from({ length: times }, (_, n) => limit.add(address, `${address} ${first + n}`));

it("The start limit counts each IPv4 address and each IPv6 /64 separately", () => {
  const limit = createStartLimit(new Clock().now, ignore);
  begin(limit, "203.0.113.7", LIMIT);
  begin(limit, "203.0.113.8", LIMIT);
  begin(limit, "2001:db8::1", LIMIT / 2);
  begin(limit, "2001:db8:0:0:ffff::2", LIMIT / 2);
  begin(limit, "2001:db8:0:1::1", LIMIT);
  for (const address of ["203.0.113.7", "203.0.113.8", "2001:DB8:0:0:1::", "2001:db8:0:1::2"])
    expect(() => limit.add(address, "another")).toThrow("too_many_sign_ins");
  limit.forget("of another process");
  limit.forget("2001:db8::1 7");
  limit.add("2001:db8::4", "2001:db8::4");
  expect(() => limit.add("2001:db8::5", "another")).toThrow("too_many_sign_ins");
});

it("The start limit gives up a client's own sign-ins alone, the oldest first", () => {
  const clock = new Clock();
  const limit = createStartLimit(clock.now, ignore);
  begin(limit, "198.51.100.1", 1);
  begin(limit, "203.0.113.7", LIMIT);
  clock.advance(120);
  expect(begin(limit, "203.0.113.7", 2, LIMIT)).toEqual(["203.0.113.7 0", "203.0.113.7 1"]);
  expect(begin(limit, "198.51.100.1", 1, 1)).toEqual([undefined]);
});

it("The start limit goes on when the clock is set back", () => {
  const clock = new Clock();
  const limit = createStartLimit(clock.now, ignore);
  begin(limit, "203.0.113.7", LIMIT);
  clock.advance(-3600);
  expect(begin(limit, "203.0.113.7", 1, LIMIT)).toEqual(["203.0.113.7 0"]);
});

/** Sign-ins of as many clients. */
const others = (limit: StartLimit, count: number, first = 0): void => {
  for (let n = first; n < first + count; n++) limit.add(`client-${n}`, `${n}`);
};

it("The start limit remembers sign-ins for the lifetime of a state", () => {
  const clock = new Clock();
  const limit = createStartLimit(clock.now, ignore);
  begin(limit, "203.0.113.7", LIMIT);
  clock.advance(599);
  others(limit, 2_000);
  expect(begin(limit, "203.0.113.7", 1, LIMIT)).toEqual(["203.0.113.7 0"]);
  clock.advance(1);
  others(limit, 2_000, 2_000);
  expect(new Set(begin(limit, "203.0.113.7", LIMIT - 1, 2 * LIMIT))).toEqual(new Set([undefined]));
});

it("The start limit remembers 100,000 sign-ins: the oldest are forgotten, so that many addresses fill no memory", () => {
  const limit = createStartLimit(new Clock().now, ignore);
  begin(limit, "203.0.113.7", LIMIT);
  others(limit, 98_000);
  expect(() => begin(limit, "203.0.113.7", 1, LIMIT)).toThrow("too_many_sign_ins");
  others(limit, 2_000, 98_000);
  expect(begin(limit, "203.0.113.7", 1, LIMIT)).toEqual([undefined]);
});
