import { describe, expect, it } from "vitest";
import { CONTROL_ROUTES } from "../../src/wire/control/routes.ts";
import type { RouteDefinition } from "../../src/wire/route.ts";
import { answer } from "../_answers.ts";
import { CONTROL_KEY, setup, type Service } from "../_setup.ts";
import { CLOSE, exchange } from "../_raw-http.ts";
import { listening } from "../_sockets.ts";

const TERABYTE = "Content-Length: 999999999999\r\n";
const TYPE = "Content-Type: application/json\r\n";
const TOO_LARGE = [413, { error: "Body too large" }];
const ROUTES = Object.entries<RouteDefinition>(CONTROL_ROUTES).filter(([, { body }]) => body);

/** A request to the control API, without its body. */
function head(route: string, headers: string): string {
  const [method, path] = route.replace(/:\w+/g, "x").split(" ");
  return `${method} /__svc/v1${path} HTTP/1.1\r\nHost: {host}\r\n${TYPE}${headers}${CLOSE}\r\n`;
}

/** JSON of exactly this many bytes, which every schema refuses. */
function jsonOf(bytes: number): string {
  return `{"x":"${"x".repeat(bytes - '{"x":""}'.length)}"}`;
}

function post({ fetch }: Service, path: string, body: string, key?: string): Promise<Response> {
  const headers = { "content-type": "application/json", ...(key !== undefined && { authorization: `Bearer ${key}` }) };
  return fetch(`/__svc/v1${path}`, { method: "POST", headers, body });
}

describe("Long bodies", () => {
  it("T47: no route reads a body before it checks the key, except the one for a code", async () => {
    const { port } = await listening({ control: true });
    const asked = ROUTES.filter(([route]) => route !== "GET /clock/proof");
    const keyless = asked.filter(([, { key }]) => key === "none").map(([route]) => route);
    expect(keyless).toEqual(["POST /dashboard-keys"]);
    expect(asked.length).toBeGreaterThan(20);
    const statuses = asked.map(async ([route]) => [route, (await exchange(port, head(route, TERABYTE)))[0]?.status]);
    expect(await Promise.all(statuses)).toEqual(asked.map(([route, { key }]) => [route, key === "none" ? 413 : 401]));
  });

  it("T47: without a key, a code may have 64 KiB and no byte more", async () => {
    const service = await setup({ control: true });
    expect((await post(service, "/dashboard-keys", jsonOf(65_536))).status).toBe(400);
    expect(await answer(await post(service, "/dashboard-keys", jsonOf(65_537)))).toEqual(TOO_LARGE);
  });

  it("T47: without a key, a code sent in chunks may have 64 KiB and no byte more", async () => {
    const { port } = await listening({ control: true });
    const send = async (bytes: number): Promise<number | undefined> => {
      const chunks = `${bytes.toString(16)}\r\n${jsonOf(bytes)}\r\n0\r\n\r\n`;
      const [reply] = await exchange(port, head("POST /dashboard-keys", "Transfer-Encoding: chunked\r\n") + chunks);
      return reply?.status;
    };
    expect([await send(65_536), await send(65_537)]).toEqual([400, 413]);
  });

  it("T47: with the key, only routes that take lists read more than 64 KiB", async () => {
    const service = await setup({ control: true });
    const large = ROUTES.filter(([, { maxBytes }]) => maxBytes !== undefined);
    expect(large.map(([route]) => route)).toEqual([
      "POST /instances",
      "PATCH /instances/:id",
      "POST /users",
      "POST /seed",
    ]);
    expect(large.filter(([, { key }]) => key === "none")).toEqual([]);
    const send = (path: string): Promise<Response> => post(service, path, jsonOf(65_537), CONTROL_KEY);
    expect(await answer(await send("/clock/set"))).toEqual(TOO_LARGE);
    expect(await answer(await send("/seed"))).toEqual([400, { error: expect.stringContaining("x: unknown key") }]);
  });

  it("T47: a seed of 64 MiB and a byte is rejected before it is read", async () => {
    const { port, control_key } = await listening({ control: true });
    const [reply] = await exchange(
      port,
      head("POST /seed", `Authorization: Bearer ${control_key}\r\nContent-Length: ${(64 << 20) + 1}\r\n`),
    );
    expect(reply?.status).toBe(413);
  });

  it("T47: a seed of exactly 64 MiB is read", async () => {
    const service = await setup({ control: true });
    const body = '{"instances":[]}'.padEnd(64 << 20);
    expect((await post(service, "/seed", body, CONTROL_KEY)).status).not.toBe(413);
  });
});

describe("Deep bodies", () => {
  const WRITE: [kind: string, write: (depth: number) => string][] = [
    ["lists", (depth) => "[".repeat(depth) + "]".repeat(depth)],
    ["objects", (depth) => `${'{"a":'.repeat(depth)}1${"}".repeat(depth)}`],
    ["objects in lists", (depth) => `${'[{"a":'.repeat(depth / 2)}1${"}]".repeat(depth / 2)}`],
  ];

  it.each(WRITE)("T47: a body with %s nested a hundred levels deep is accepted, and no deeper", async (_, write) => {
    const service = await setup({ control: true });
    const send = (depth: number): Promise<Response> => {
      const session = `{"provider":"password","geo_data":{"a":${write(depth - 4)}}}`;
      return post(service, "/users", `{"email":"a@x.test","name":"A","sessions":[${session}]}`, CONTROL_KEY);
    };
    for (const depth of [102, 1_000, 8_000])
      expect(await answer(await send(depth))).toEqual([
        400,
        { error: "Invalid JSON: it is nested more than 100 levels deep" },
      ]);
    expect((await send(100)).status).toBe(201);
    expect(service.log.bugs).toEqual([]);
  });

  it.each(WRITE)("T47: no route fails because of %s that are nested deeply", async (_, write) => {
    const service = await setup({ control: true });
    for (const [route] of ROUTES.filter(([name]) => name.startsWith("POST"))) {
      const path = route.replace("POST ", "").replace(/:\w+/g, "x");
      for (const body of [write(8_000), `{"google":${write(8_000)}}`])
        expect((await post(service, path, body, CONTROL_KEY)).status).toBe(400);
    }
    expect(service.log.bugs).toEqual([]);
  });
});
