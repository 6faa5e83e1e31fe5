// Below the faces: years of sessions, for each row of a table.

import { join } from "node:path";
import { describe, expect, it, vi } from "vitest";
import { keepRetention } from "../../src/server/retention.ts";
import { openMemoryStore } from "../../src/server/store/memory/memory-store.ts";
import { followSignIn, startServer } from "../_control.ts";
import { temporaryDirectory } from "../_files.ts";
import { seedFile } from "../_seed-file.ts";
import { A, all, people, session } from "../store/_records.ts";

const DAY_MS = 86_400_000;
const NOW = new Date("2027-06-01T12:00:00.000Z");

const ago = (days: number, now = NOW): string => new Date(now.getTime() - days * DAY_MS).toISOString();

it("A clock that jumped deletes nothing, over sign-ins and restarts, until somebody deletes by hand", async () => {
  const store = join(temporaryDirectory(), "db.json");
  const time = ago(10, new Date());
  const sessions = Array.from({ length: 30 }, () => ({ provider: "google", logged_in_at: time, last_signin_at: time }));
  const users = [{ email: "old@acme.test", name: "Old", sessions }];
  const seed = seedFile({ instances: [{ name: "acme", subdomain: "acme", users }] });
  /** A server whose clock is so many days ahead, when its first round is over. */
  const started = async (days: number) => {
    const log: string[] = [];
    const now = (): Date => new Date(Date.now() + days * DAY_MS);
    const options = { store, seed, now, retention: { sessions: "90d" } };
    const server = await startServer({ ...options, warn: (message) => void log.push(message) });
    await vi.waitFor(() => expect(log.join("\n")).toMatch(/retention (deleted|skipped)/), 20_000);
    return { server, said: log.find((line) => line.startsWith("retention"))! };
  };
  const signIn = async (url: string): Promise<void> => {
    const query = "provider=github&redirect_uri=http%3A%2F%2Flocalhost%3A3000&login_hint=ada";
    expect(String(await followSignIn(`${url}/oauth/authorize?${query}`))).toContain("token=");
  };
  for (const days of [400, 400, 450, 510]) {
    const { server, said } = await started(days);
    expect(said).toContain("skipped a round: there was neither a sign-in nor a revocation from");
    expect(said).toContain("svc sessions prune --before 90d");
    await signIn(server.url);
    expect((await server.control("GET /sessions")).body.length).toBeGreaterThan(30);
    if (days === 510) await server.control("POST /sessions/prune", { before: "300d" });
    await server.close();
  }
  expect((await started(510)).said).toContain("retention deleted ");
});

describe("A round of retention with sessions of some days ago", () => {
  type Given = readonly [days: number, revoked?: number][];
  /** Of which days' sessions are left. */
  async function left(given: Given, kept = "90d"): Promise<number[]> {
    const store = openMemoryStore();
    const base = people();
    const owner = base.users.find((user) => user.instance_id === A)!;
    const sessions = given.map(([days, revoked], n) =>
      session(9000 + n, owner, {
        last_signin_at: ago(days),
        revoked_at: revoked === undefined ? null : ago(revoked),
      }),
    );
    await store.seed({ ...base, sessions });
    const stopped = new AbortController();
    const log = (): void => stopped.abort();
    const onBug = (error: unknown): void => expect.fail(String(error));
    await keepRetention(
      { store, instances: () => [A], now: () => NOW, log, onPruned: () => undefined, onBug },
      { sessions: kept },
      stopped.signal,
    );
    const found = (await all(store.sessions(A, {}))).map(({ last_signin_at }) => last_signin_at);
    return given.flatMap(([days]) => (found.includes(ago(days)) ? [days] : []));
  }

  it.each<[what: string, given: Given, left: readonly number[], kept?: string]>([
    ["deletes the old ones of a service in use", [[1], [50], [91], [150]], [1, 50]],
    ["keeps all where the last sign-in is too long ago", [[91], [150]], [91, 150]],
    ["keeps all where a pause ended with what is not old yet", [[1], [100], [150]], [1, 100, 150]],
    ["keeps all where a pause is among the old ones", [[1], [80], [120], [230]], [1, 80, 120, 230]],
    ["does so where the pause is just as long as sessions are kept", [[1], [80], [95], [185]], [1, 80, 95, 185]],
    ["deletes where it is a day shorter", [[1], [80], [95], [184]], [1, 80]],
    ["counts a revocation as use", [[1], [80], [95], [220, 140]], [1, 80]],
    ["doubts a pause over a later revocation of what is before it", [[1], [80], [300, 5], [301]], [1, 80, 300, 301]],
    ["takes what it keeps anyway for no reason to doubt", [[1], [80], [91], [300, 5]], [1, 80, 300]],
    ["doubts no holiday where sessions are kept for hours", [[20], [21]], [], "2h"],
    ["doubts a month where sessions are kept for hours", [[30], [31]], [30, 31], "2h"],
    ["has nothing to do without old ones", [[1], [50]], [1, 50]],
  ])("%s", async (_, given, expected, kept) => {
    expect(await left(given, kept)).toEqual(expected);
  });
});
