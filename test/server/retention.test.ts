import { join } from "node:path";
import { expect, it, onTestFinished, vi } from "vitest";
import { serve } from "../../src/server/index.ts";
import { startServer } from "../_control.ts";
import { temporaryDirectory } from "../_files.ts";
import { seedFile } from "../_seed-file.ts";

const DAY_MS = 86_400_000;

const ago = (days: number): string => new Date(Date.now() - days * DAY_MS).toISOString();
const sessionOf = (days: number, revoked?: number): object => ({
  provider: "google",
  logged_in_at: ago(days),
  last_signin_at: ago(days),
  revoked_at: revoked === undefined ? null : ago(revoked),
});
const instanceOf = (subdomain: string, sessions: readonly object[]): object => ({
  name: subdomain,
  subdomain,
  users: [{ email: `ada@${subdomain}.test`, name: "Ada", sessions }],
});

/** Two instances whose users have old and new sessions. */
const SEED = {
  instances: [
    instanceOf("acme", [sessionOf(100), sessionOf(91, 91), sessionOf(100, 10), sessionOf(10)]),
    instanceOf("globex", [...Array.from({ length: 1001 }, () => sessionOf(150)), sessionOf(1)]),
  ],
};

it("A server with retention deletes old sessions of all instances, and counts them", async () => {
  const server = await startServer({ seed: seedFile(SEED), retention: { sessions: "90d" }, metrics: true });
  const metrics = async (): Promise<string> => (await fetch(`${server.url}/__svc/metrics`)).text();
  await vi.waitFor(async () => expect(await metrics()).toContain("\nsvc_sessions_pruned_total 1003\n"), 20_000);
  expect((await server.control("GET /sessions?instance=acme")).body).toHaveLength(2);
  expect((await server.control("GET /sessions?instance=globex")).body).toHaveLength(1);
  expect((await server.control("GET /users?instance=globex")).body).toHaveLength(1);
});

it("A server with retention logs each round", async () => {
  const log: string[] = [];
  await startServer({
    seed: seedFile(SEED),
    retention: { sessions: "90d" },
    warn: (message) => void log.push(message),
  });
  await vi.waitFor(() => expect(log.join("\n")).toMatch(/retention deleted 1003 sessions .* since 20/), 20_000);
});

it("A server without retention keeps them, and deletes a bounded number for a program that asks", async () => {
  const server = await startServer({ seed: seedFile(SEED), metrics: true });
  const prune = async (body: object) => (await server.control("POST /sessions/prune", body)).body;
  expect(await prune({ before: "90d", instance: "globex" })).toMatchObject({ deleted: 1000, more: true });
  expect(await prune({ before: "90d", instance: "globex" })).toMatchObject({ deleted: 1, more: false });
  expect(await prune({ before: ago(90) })).toMatchObject({ deleted: 2, more: false, before: expect.any(String) });
  expect(await (await fetch(`${server.url}/__svc/metrics`)).text()).toContain("\nsvc_sessions_pruned_total 1003\n");
});

it("The deleted sessions of a file store stay deleted", async () => {
  const store = join(temporaryDirectory(), "db.json");
  const first = await startServer({ store, seed: seedFile(SEED) });
  await first.control("POST /sessions/prune", { before: "90d" });
  await first.close();
  const second = await startServer({ store });
  expect((await second.control("GET /sessions?instance=acme")).body).toHaveLength(2);
});

it("A program that states no valid time starts no server", async () => {
  const start = async () => {
    const server = await serve({ port: 0, store: "memory", retention: { sessions: "90" } });
    onTestFinished(() => server.close());
  };
  await expect(start()).rejects.toThrow("retention.sessions: must be a duration of an hour or more");
});
