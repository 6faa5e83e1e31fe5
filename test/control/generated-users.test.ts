// Below the faces: thousands of names and dates, compared with a fixed time.

import { expect, it } from "vitest";
import { createTestService } from "../../src/testing/index.ts";
import { makeUpUsers } from "../../src/server/control/generate.ts";
import { A, instance } from "../store/_records.ts";

const acme = instance(A, "acme");
const now = new Date("2026-01-01T00:00:00Z");
const made = (seed: number, from: number, count: number) => makeUpUsers({ instance: acme, seed, now }, from, count);

it("Generated users have names in six scripts, and their own name in their address", () => {
  const { users } = made(1, 0, 160);
  for (const script of ["Latin", "Greek", "Han", "Hangul", "Cyrillic", "Arabic"])
    expect(
      users.filter(({ name }) => new RegExp(`^[\\p{Script=${script}} '’々]+$`, "u").test(name)).length,
    ).toBeGreaterThan(9);
  for (const { name, email } of users) {
    expect(email).toMatch(/^[a-z]+\.[a-z]+\.1-\d+@example\.(com|net|org)$/);
    const plain = name
      .normalize("NFD")
      .replaceAll(/[^A-Za-z ]/g, "")
      .toLowerCase()
      .trim();
    if (/^[a-z]+ [a-z]+$/.test(plain)) expect(email.startsWith(`${plain.replace(" ", ".")}.`), email).toBe(true);
  }
});

it("A user is the same however many are generated at once, and differs by seed", () => {
  const inParts = [...made(1, 0, 30).sessions, ...made(1, 30, 70).sessions];
  expect(inParts).toEqual(made(1, 0, 100).sessions);
  const third = made(2, 0, 100).sessions;
  expect(third.filter(({ ip_address }, i) => ip_address === inParts[i]!.ip_address)).toEqual([]);
});

it("Sessions begin within two years before now, are renewed after that, and a tenth of them is revoked", () => {
  const { sessions } = made(1, 0, 2000);
  for (const { logged_in_at, last_signin_at } of sessions) {
    expect(now.getTime() - Date.parse(logged_in_at)).toBeLessThanOrEqual(2 * 365 * 86_400_000);
    expect(last_signin_at >= logged_in_at && Date.parse(last_signin_at) <= now.getTime()).toBe(true);
  }
  const revoked = sessions.filter(({ revoked_at }) => revoked_at !== null).length;
  expect(revoked).toBeGreaterThan(140);
  expect(revoked).toBeLessThan(260);
});

it("The users of many seeds are in one instance, each with an address of its own", async () => {
  await using svc = await createTestService();
  for (const seed of [1, 2, 3, 11]) await svc.users.generate(250, { seed });
  const addresses = (await svc.control.request("GET /state")).users;
  expect(addresses).toBeGreaterThanOrEqual(1000);
});
