// Hundreds of sessions, and more than are counted: see transcripts/sessions-prune.txt for the rest.
import { beforeEach, expect, it } from "vitest";
import type { Fetch } from "../../src/http/fetch.ts";
import { answerOf, server, svc, useDevServer } from "../_dev-server.ts";

const ago = (days: number): string => new Date(Date.now() - days * 86_400_000).toISOString();
const session = (days: number) => ({ provider: "google" as const, last_signin_at: ago(days), logged_in_at: ago(days) });
const sessionsOfAda = [...Array.from({ length: 1200 }, () => session(200)), session(91), session(1)];
const ada = { email: "ada@acme.test", name: "Ada", sessions: sessionsOfAda };

useDevServer({
  seed: {
    instances: [
      { name: "Acme", subdomain: "acme", users: [ada] },
      { name: "Globex", subdomain: "globex", users: [ada] },
    ],
  },
});

beforeEach(() => answerOf("dev reset --all --yes"));

async function sessions(instance: string): Promise<number> {
  const headers = { authorization: `Bearer ${server.control_key}` };
  const answer = await fetch(`${server.url}/__svc/v1/sessions?instance=${instance}`, { headers });
  return ((await answer.json()) as unknown[]).length;
}

it("svc sessions prune deletes in pieces with a bar", async () => {
  const { code, stderr } = await svc("sessions prune --before 90d", { tty: true, confirm: () => true });
  expect(code).toBe(0);
  expect(stderr).toContain("1000 of 1201");
  expect(stderr).toMatch(/Deleted 1201 sessions of acme \(http:\S+, SVC_CONTROL_URL\)\.\n/);
  expect([await sessions("acme"), await sessions("globex")]).toEqual([1, 1202]);
});

it("svc sessions prune keeps no --max and no --expect where the server does not count to the end", async () => {
  // As of more than 50,000, which take minutes to make.
  const uncounted = (async (url: string, init: RequestInit) =>
    new URL(url).pathname.endsWith("/sessions/count")
      ? Response.json({ count: 50_000, is_complete: false })
      : fetch(url, init)) as unknown as Fetch;
  for (const flags of ["--max 50000", "--max 60000", "--expect 50000", "--max 60000 --dry-run"]) {
    const line = `sessions prune --before 90d --instance acme --yes ${flags}`;
    const { code, stderr } = await svc(line, { fetch: uncounted });
    expect([flags, code, stderr]).toEqual([flags, 8, expect.stringContaining("whose exact number is not known")]);
  }
  expect(await sessions("acme")).toBe(1202);
});
