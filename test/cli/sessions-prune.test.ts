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

it("svc sessions prune names server and instance, asks, and deletes in pieces with a bar", async () => {
  const asked: string[] = [];
  const declined = await svc("sessions prune --before 90d", { tty: true, confirm: (text) => !asked.push(text) });
  expect([declined.code, await sessions("acme")]).toEqual([1, 1202]);
  expect(asked[0]).toMatch(
    /^Delete 1201 sessions of Acme \(acme [0-9a-f-]{36}\) without a sign-in or revocation since \d{4}-\S+Z at http:\S+ \(SVC_CONTROL_URL\)\?$/,
  );
  const { code, stderr } = await svc("sessions prune --before 90d", { tty: true, confirm: () => true });
  expect(code).toBe(0);
  expect(stderr).toContain("1000 of 1201");
  expect(stderr).toMatch(
    /Deleted 1201 sessions of acme \(http:\S+, SVC_CONTROL_URL\)\.\nTo undo this: svc dev snapshot restore previous-\d+\n$/,
  );
  expect([await sessions("acme"), await sessions("globex")]).toEqual([1, 1202]);
  // There is nothing to ask about any more.
  expect((await svc("sessions prune --before 90d", { tty: true })).stderr).toMatch(
    /^Deleted 0 sessions of acme .*\.\n$/,
  );
});

it("svc sessions prune needs --yes where nobody can answer", async () => {
  const refused = await svc("sessions prune --before 90d --instance globex");
  expect([refused.code, refused.stderr]).toEqual([
    2,
    expect.stringMatching(/^✗ Cannot prompt: .*\n +To delete 1201 .*, add --yes\.\n$/),
  ]);
  expect(await answerOf("sessions prune --before 90d --instance globex --yes")).toEqual({
    instance: expect.any(String),
    before: expect.any(String),
    deleted: 1201,
    snapshot: expect.stringMatching(/^previous-\d+$/),
  });
  expect([await sessions("acme"), await sessions("globex")]).toEqual([1202, 1]);
});

it("svc sessions prune --dry-run prints what would go, and deletes nothing", async () => {
  const { code, stdout, stderr } = await svc("sessions prune --before 90d --dry-run --output tsv");
  expect([code, stdout.trim().split("\n").length]).toEqual([0, 1201]);
  expect(stderr).toMatch(/^Dry run: 1201 sessions of Acme .* would be deleted at http:\S+ \(SVC_CONTROL_URL\)\.\n$/);
  expect(await sessions("acme")).toBe(1202);
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

it("svc sessions prune deletes no other number than the one that is expected, and none that is too great", async () => {
  for (const [flags, why] of [
    ["--expect 1200", "Expected 1200, but there are 1201. No sessions were deleted."],
    ["--max 1000", "1201 sessions are more than 1000. No sessions were deleted."],
  ])
    for (const more of ["--yes", "--dry-run"]) {
      const { code, stderr } = await svc(`sessions prune --before 90d --instance acme ${flags} ${more}`);
      expect([code, stderr]).toEqual([8, expect.stringContaining(why!)]);
    }
  expect(await sessions("acme")).toBe(1202);
  expect((await svc("sessions prune --before 90d --instance acme --expect 1201 --yes")).code).toBe(0);
  expect(await sessions("acme")).toBe(1);
});

it("svc sessions prune can be undone, unless --no-undo is given", async () => {
  const { code, stderr } = await svc("sessions prune --before 90d --instance acme --yes");
  const [, undo] = /To undo this: svc (.+)\n/.exec(stderr)!;
  expect([code, await sessions("acme")]).toEqual([0, 1]);
  expect((await svc(`${undo} --yes`)).code).toBe(0);
  expect(await sessions("acme")).toBe(1202);
  const line = "sessions prune --before 90d --instance acme --yes --no-undo";
  expect(await answerOf(line)).toMatchObject({ deleted: 1201, snapshot: null });
});

it.each([
  ["sessions prune", 2, "Required option '--before <time>'"],
  ["sessions prune --before soon", 2, '--before: "soon" is not a time'],
  ["sessions prune --before 2026-01-31T12:00", 2, "is not a time with a zone"],
  ["sessions prune --before 30m --yes --instance acme", 2, "must be an hour ago or more"],
  ["sessions prune --before 30m --dry-run", 2, "must be an hour ago or more"],
  ["sessions prune --before 90d --instance nowhere", 2, "no instance has the id"],
])("svc %s ends with %i", async (line, code, message) => {
  const result = await svc(line);
  expect([result.code, result.stderr]).toEqual([code, expect.stringContaining(message)]);
});
