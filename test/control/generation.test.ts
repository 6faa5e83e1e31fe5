// Below the faces: a server that stops in the middle of a generation answers nobody any more.

import { expect, it } from "vitest";
import { openMemoryStore } from "../../src/server/store/memory/memory-store.ts";
import { generateUsers } from "../../src/server/control/generate.ts";
import { startServer, type ControlledServer } from "../_control.ts";
import { A, instance } from "../store/_records.ts";

const AT = "2026-01-01T00:00:00Z";

async function generate(server: ControlledServer, seed: number): Promise<unknown> {
  await server.control("POST /clock/freeze", { at: AT });
  expect((await server.control("POST /seed", { generate: { users: 40, seed } })).status).toBe(201);
  const lists = await Promise.all(["users", "sessions"].map((name) => server.control(`GET /${name}?limit=100`)));
  return lists.map(({ body }) => body as unknown);
}

it("The same seed generates the same users and sessions, and another seed generates others", async () => {
  const server = await startServer();
  const first = await generate(server, 7);
  await server.control("POST /reset", { all: true });
  expect(await generate(server, 7)).toEqual(first);
  await server.control("POST /reset", { all: true });
  expect(await generate(server, 8)).not.toEqual(first);
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
