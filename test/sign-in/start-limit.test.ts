import { expect, it } from "vitest";
import { createStartLimit } from "../../src/server/sign-in/start-limit.ts";
import { APP, Clock, SEED, setup, type Service } from "../_setup.ts";

const LIMIT = 2_000;

function withRedirectUris(): typeof SEED {
  const seed = structuredClone(SEED);
  Object.assign(seed.instances[0]!, { redirect_uris: [APP] });
  return seed;
}

async function start({ fetch }: Service): Promise<Response> {
  const query = new URLSearchParams({ provider: "google", redirect_uri: APP, login_hint: "ada" });
  return fetch(`/oauth/authorize?${query.toString()}`);
}

it("A client beyond loopback with 2,000 unfinished sign-ins is refused until it finishes one", async () => {
  const service = await setup({ isLocal: false, seed: withRedirectUris() });
  const started = await Promise.all(Array.from({ length: LIMIT }, () => start(service)));
  expect(new Set(started.map(({ status }) => status))).toEqual(new Set([302]));
  const refused = await start(service);
  expect(refused.status).toBe(429);
  expect(refused.headers.get("retry-after")).toBe("300");
  expect(await refused.json()).toEqual({
    error: "Too many sign-ins: finish those that have begun, or try again in a few minutes",
  });

  // To the simulated provider, and back.
  const back = await service.fetch(started[0]!.headers.get("location")!);
  const done = await service.fetch(back.headers.get("location")!);
  expect(done.headers.get("location")).toContain("token=");
  expect((await start(service)).status).toBe(302);
  expect((await start(service)).status).toBe(429);
  service.clock.advance(1_200);
  expect((await start(service)).status).toBe(302);
});

it("A server that only this machine can reach has no such limit", async () => {
  const service = await setup();
  const started = await Promise.all(Array.from({ length: LIMIT + 1 }, () => start(service)));
  expect(new Set(started.map(({ status }) => status))).toEqual(new Set([302]));
});

it("The start limit counts each IPv4 address and each IPv6 /64 separately", () => {
  const limit = createStartLimit(new Clock().now);
  const begin = (address: string, times: number): void => {
    for (let i = 0; i < times; i++) limit.begun(address);
  };
  begin("203.0.113.7", LIMIT);
  begin("203.0.113.8", LIMIT);
  begin("2001:db8::1", LIMIT / 2);
  begin("2001:db8:0:0:ffff::2", LIMIT / 2);
  begin("2001:db8:0:1::1", LIMIT);
  for (const address of ["203.0.113.7", "203.0.113.8", "2001:DB8:0:0:1::", "2001:db8:0:1::2"])
    expect(() => limit.begun(address)).toThrow("too_many_sign_ins");
  limit.finished("198.51.100.1");
  limit.finished("2001:db8::3");
  limit.begun("2001:db8::4");
  expect(() => limit.begun("2001:db8::5")).toThrow("too_many_sign_ins");
});

it("The start limit forgets unfinished sign-ins after one to two lifetimes of a state", () => {
  const clock = new Clock();
  const limit = createStartLimit(clock.now);
  for (let i = 0; i < LIMIT; i++) limit.begun("203.0.113.7");
  clock.advance(600);
  expect(() => limit.begun("203.0.113.7")).toThrow("too_many_sign_ins");
  clock.advance(600);
  limit.begun("203.0.113.7");
});

it("The start limit remembers 100,000 clients: the oldest are forgotten, so that many addresses fill no memory", () => {
  const limit = createStartLimit(new Clock().now);
  const others = (count: number, first: number): void => {
    for (let i = first; i < first + count; i++) limit.begun(`client-${i}`);
  };
  for (let i = 0; i < LIMIT; i++) limit.begun("203.0.113.7");
  others(199_998, 0);
  expect(() => limit.begun("203.0.113.7")).toThrow("too_many_sign_ins");
  others(1, 199_998);
  limit.begun("203.0.113.7");
});
