// Below the faces: a slow answer to the database's clock is given by hand.

import { expect, it } from "vitest";
import { createDatabaseClock } from "../../src/server/store/postgres/database/clock.ts";
import { createDatabase } from "./_postgres.ts";
import { inTurn, signIn, started } from "./_serve.ts";
import "./_store.ts";

const MINUTES = 60_000;
const SIGN_INS = 12;

it("Servers whose clocks differ by a quarter of an hour complete each other's sign-ins, and say that they are not ready", async () => {
  const url = await createDatabase();
  const servers = [
    await started(url),
    await started(url, [], { clockAheadMs: 15 * MINUTES }),
    await started(url, [], { clockAheadMs: -15 * MINUTES }),
    await started(url, [], { clockAheadMs: 20_000 }),
  ];
  const next = inTurn(servers);
  const tokens: unknown[] = [];
  for (let n = 0; n < SIGN_INS; n++) tokens.push(await signIn(`clock${n}@acme.test`, next));
  expect(tokens.filter((token) => typeof token !== "string")).toEqual([]);
  // Every server issues tokens of the same time.
  const issued = tokens.map((token) => {
    const [, claims = ""] = (token as string).split(".");
    return (JSON.parse(Buffer.from(claims, "base64url").toString()) as { iat: number }).iat;
  });
  expect(Math.max(...issued) - Math.min(...issued)).toBeLessThan(10 * 60);
  const ready = await Promise.all(
    servers.map(async (server) => JSON.parse((await server.send("/__svc/health/ready")).body)),
  );
  const differs = { status: "unavailable", code: "clock_differs" };
  expect(ready).toMatchObject([{ status: "ok" }, differs, differs, { status: "ok" }]);
  expect(ready[1]).toMatchObject({ error: expect.stringMatching(/clock is (899|900|901) s ahead of the database's/) });
  const logs = servers.map((server) => server.log());
  expect(logs[0]).not.toContain("clock");
  expect(logs[1]).toMatch(/clock is (899|900|901) s ahead of the database's/);
  expect(logs[2]).toMatch(/clock is (899|900|901) s behind the database's/);
  expect(logs[3]).toMatch(/clock is (19|20|21) s ahead of the database's/);
  for (const log of logs.slice(1)) expect(log.match(/Times follow the database's/g)).toHaveLength(1);
});

it("A slow answer does not move the database's clock, and a difference is said once, and when it has ended", () => {
  const warnings: string[] = [];
  const clock = createDatabaseClock((text) => warnings.push(text));
  expect(clock.now()).toBeUndefined();
  const start = performance.now();
  const real = Date.now();
  const read = (differsBy: number, took: number): void => clock.note(real + differsBy, start, start + took);
  read(0, 2);
  expect(Math.abs(clock.ahead())).toBeLessThan(100);
  const before = clock.ahead();
  // The server read its clock at some moment of this second.
  read(900, 1000);
  expect(Math.abs(clock.ahead() - before)).toBeLessThan(50);
  expect(warnings).toEqual([]);
  read(-10_000, 2);
  read(-10_000, 2);
  expect(warnings).toEqual([expect.stringMatching(/clock is 10 s ahead of the database's/)]);
  read(1, 2);
  expect(warnings).toHaveLength(2);
  expect(warnings[1]).toContain("agrees with the database's again");
});
