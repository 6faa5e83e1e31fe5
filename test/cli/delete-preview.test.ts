import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { ADA, NOBODY, SEED } from "../_setup.ts";
import {
  atAcme,
  broken,
  CHARLES,
  cwd,
  idOf,
  left,
  remove,
  restart,
  service,
  useDeletions,
  withFaults,
} from "./_deletions.ts";

useDeletions();

/** 62 users, of whom two are not those that the query was meant for. */
function crowd(): Promise<void> {
  const users = Array.from({ length: 62 }, (_, i) => ({
    id: idOf(i),
    email: i === 30 ? "chief@globex.test" : i === 40 ? "qa@partner.test" : `qa${i}@acme.test`,
    name: `User ${i}`,
    created_at: new Date(Date.UTC(2026, 0, 1 + i)).toISOString(),
  }));
  return restart({ instances: [{ ...SEED.instances[0], users }] });
}

it("The question says the query in words, and shows who stands out of many", async () => {
  await crowd();
  const asked: string[] = [];
  const query = ["--query", "email:qa* email:*@globex.test"];
  const { code, stderr } = await remove(query, {
    tty: true,
    env: { NO_COLOR: "1" },
    ask: (question) => (asked.push(question), "no"),
  });
  expect([code, asked]).toEqual([1, ["This cannot be undone. Type 62 to delete all of them:"]]);
  expect(stderr).toContain(
    `62 users whose email either starts with "qa" or ends with "@globex.test", of ${atAcme()}:\n`,
  );
  for (const shown of ["chief@globex.test", "qa@partner.test", "qa0@acme.test", "qa61@acme.test"])
    expect(stderr).toContain(` ${shown} `);
  expect(stderr).toContain("and 52 more. To see all of them: --dry-run\n");
  expect(stderr).toContain("Domains: 60 @acme.test, 1 @partner.test, 1 @globex.test\n");
  expect(stderr).toContain("Created: from 2026-01-01 (qa0@acme.test) to 2026-03-03 (qa61@acme.test)\n");
  expect(await left()).toHaveLength(62);
});

it("A receipt says who is left, whether it has finished, and asks before it is continued", async () => {
  const own = [ADA, CHARLES, "--receipt", "r"];
  const fetch = withFaults((id) => (id === CHARLES ? broken() : undefined));
  expect((await remove([...own, "--yes", "--concurrency", "1"], { fetch })).code).toBe(6);

  const status = await remove(["--receipt", "r", "--status", "--json"]);
  expect([status.code, JSON.parse(status.stdout), status.requests]).toMatchObject([
    6,
    { finished: false, users: 2, deleted: 1, failed: 1 },
    [],
  ]);
  const before = await readFile(join(cwd, "r"), "utf8");
  const dry = await remove([...own, "--resume", "--dry-run", "--output", "ids"]);
  expect([dry.code, dry.stdout, dry.stderr]).toEqual([0, `${CHARLES}\n`, expect.stringContaining("Skipped 1 of 2")]);
  expect(await readFile(join(cwd, "r"), "utf8")).toBe(before);

  const refused = await remove([...own, "--yes"]);
  expect([refused.code, refused.stderr]).toEqual([
    8,
    expect.stringContaining('"r" already exists. No users were deleted.'),
  ]);
  const asked: string[] = [];
  const answers = { tty: true, confirm: (question: string) => asked.push(question) > 0 };
  expect((await remove(own, answers)).code).toBe(0);
  expect(asked[0]).toBe('"r" records 1 deletion. Continue it?');
  expect((await remove(["--receipt", "r", "--status"])).code).toBe(0);
});

it("A receipt does not skip a user who was restored since, and skips one who is gone", async () => {
  const own = [ADA, NOBODY, "--yes", "--receipt", "r"];
  expect((await remove(own)).code).toBe(0);
  const [acme] = SEED.instances;
  const { acme: first } = service;
  await restart({ instances: [{ ...acme, id: first.id, users: acme!.users!.filter(({ id }) => id === ADA) }] });
  const { code, stderr } = await remove([...own, "--resume"]);
  expect([code, stderr, await left()]).toEqual([0, expect.stringContaining("Skipped 1 of 2 users"), []]);
});
