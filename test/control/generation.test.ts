// Below the faces: a server that stops in the middle of a generation answers nobody any more.

import { expect, it } from "vitest";
import { openMemoryStore } from "../../src/server/store/memory/memory-store.ts";
import { generateUsers } from "../../src/server/control/generate.ts";
import type { Session, User } from "../../src/client/index.ts";
import { startServer, type ControlledServer } from "../_control.ts";
import { A, instance } from "../store/_records.ts";

const AT = "2026-01-01T00:00:00Z";

interface Generated {
  readonly users: readonly User[];
  readonly sessions: readonly Session[];
}

/** The users that a server without others generates, and their sessions, the newest first. */
async function generate(server: ControlledServer, seed: number, users = 40): Promise<Generated> {
  await server.control("POST /reset", { instance: "acme" });
  await server.control("POST /clock/freeze", { at: AT });
  expect((await server.control("POST /seed", { generate: { users, seed } })).status).toBe(201);
  const [made, sessions] = await Promise.all(["users", "sessions"].map((name) => server.control(`GET /${name}`)));
  return { users: made!.body, sessions: sessions!.body };
}

it("The same seed generates the same users and sessions, however many, and another seed generates others", async () => {
  const server = await startServer();
  const first = await generate(server, 7);
  expect(await generate(server, 7)).toEqual(first);
  const idsOf = ({ users }: Generated): string[] => users.map(({ id }) => id);
  const others = idsOf(await generate(server, 8));
  expect(others.filter((id) => idsOf(first).includes(id))).toEqual([]);
  expect(idsOf(await generate(server, 7, 300))).toEqual(expect.arrayContaining(idsOf(first)));
});

it("Generated users have names in six scripts, their own name in an address of their own, and old and revoked sessions", async () => {
  const { users, sessions } = await generate(await startServer(), 1, 2000);
  for (const script of ["Latin", "Greek", "Han", "Hangul", "Cyrillic", "Arabic"])
    expect(
      users.filter(({ data }) => new RegExp(`^[\\p{Script=${script}} '’々]+$`, "u").test(data.name)).length,
    ).toBeGreaterThan(100);
  expect(new Set(users.map(({ data }) => data.email)).size).toBe(2000);
  for (const { data } of users) {
    expect(data.email).toMatch(/^[a-z]+\.[a-z]+\.1-\d+@example\.(com|net|org)$/);
    const plain = data.name
      .normalize("NFD")
      .replaceAll(/[^A-Za-z ]/g, "")
      .toLowerCase()
      .trim();
    if (/^[a-z]+ [a-z]+$/.test(plain)) expect(data.email.startsWith(`${plain.replace(" ", ".")}.`)).toBe(true);
  }
  for (const { data } of sessions) {
    expect(Date.parse(AT) - Date.parse(data.logged_in_at)).toBeLessThanOrEqual(2 * 365 * 86_400_000);
    expect(data.last_signin_at >= data.logged_in_at && Date.parse(data.last_signin_at) <= Date.parse(AT)).toBe(true);
  }
  const revoked = sessions.filter(({ data }) => !data.active).length;
  expect([sessions.length, revoked > 140, revoked < 260]).toEqual([2000, true, true]);
});

it("Users that exist already are a conflict, which says to use another seed", async () => {
  const server = await startServer();
  await generate(server, 7);
  expect(await server.control("POST /seed", { generate: { users: 300, seed: 7 } })).toMatchObject({
    status: 409,
    body: { error: expect.stringMatching(/users that seed 7 generates already exist\. Use another seed, such as 8$/) },
  });
});

it("Other requests are answered while users are generated", async () => {
  const server = await startServer();
  let isDone = false;
  const generation = server.control("POST /seed", { generate: { users: 5000, seed: 7 } }).then(() => (isDone = true));
  await server.control("GET /state");
  expect(isDone).toBe(false);
  await generation;
  expect((await server.control("GET /state")).body.users).toBe(5005);
});

it("A server that stops ends the generation, and says how many users were added", async () => {
  const store = openMemoryStore();
  const acme = instance(A, "acme");
  await store.add({ instances: [acme] });
  const closing = new AbortController();
  const generation = generateUsers(store, {
    instance: acme,
    users: 5000,
    seed: 1,
    now: new Date(AT),
    closing: closing.signal,
  });
  closing.abort();
  await expect(generation).rejects.toThrow("250 users were added");
  expect((await store.counts()).users).toBe(250);
});
