import { expect, it } from "vitest";
import { SEED } from "../_setup.ts";
import { atAcme, idOf, left, remove, restart, useDeletions } from "./_deletions.ts";

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
