import { expect, it } from "vitest";
import { createJobs } from "../../src/server/control/jobs.ts";
import { openMemoryStore } from "../../src/server/store/json/memory-store.ts";
import { changeSetting } from "../../src/server/store/settings.ts";
import { startServer, type ControlledServer } from "../_control.ts";
import { A, instance } from "../store/_records.ts";

const AT = "2026-01-01T00:00:00Z";

async function generate(server: ControlledServer, seed: number): Promise<unknown> {
  await server.control("POST /clock/freeze", { at: AT });
  const job = (await server.control("POST /seed", { generate: { users: 40, seed } })).body;
  await expect.poll(async () => (await server.control(`GET /jobs/${job.id}`)).body.status).toBe("done");
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

it("A job whose users already exist fails, and says to use another seed", async () => {
  const server = await startServer();
  await generate(server, 7);
  const { id } = (await server.control("POST /seed", { generate: { users: 300, seed: 7 } })).body;
  const job = async (): Promise<unknown> => (await server.control(`GET /jobs/${id}`)).body;
  await expect.poll(job).toMatchObject({
    status: "failed",
    done: 0,
    error: "users that seed 7 generates already exist. Use another seed, such as 8.",
  });
});

it("A job is marked failed when its server has stopped, and the oldest jobs are deleted", async () => {
  const store = openMemoryStore();
  const now = new Date(AT);
  const jobs = createJobs({ store, realNow: () => now, closing: new AbortController().signal, onBug: () => {} });
  const tell = (id: string, secondsAgo: number): Promise<unknown> =>
    changeSetting(store, `job/${id}`, () => {
      const told_at = now.getTime() - secondsAgo * 1000;
      return { id, status: "running", done: 250, total: 1000, told_at };
    });
  await tell("job_slow", 50);
  await tell("job_lost", 70);
  expect(await jobs.find("job_slow")).toEqual({ id: "job_slow", status: "running", done: 250, total: 1000 });
  expect(await jobs.find("job_lost")).toMatchObject({ status: "failed", error: "the server that ran it has stopped" });

  for (let n = 0; n < 98; n++) await tell(`job_${n}`, 0);
  const acme = instance(A, "acme");
  await store.add({ instances: [acme] });
  const { id } = await jobs.generateUsers(acme, { users: 1, seed: 1 }, now);
  expect(await jobs.find("job_lost")).toBeUndefined();
  expect(await jobs.find("job_slow")).toBeDefined();
  await expect.poll(async () => (await jobs.find(id))?.status).toBe("done");
});
