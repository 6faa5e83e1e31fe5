import { expect, it } from "vitest";
import { answerOf, server, svc, useDevServer } from "../_dev-server.ts";

useDevServer();

async function users(query = ""): Promise<readonly unknown[]> {
  const headers = { authorization: `Bearer ${server.control_key}` };
  return (await fetch(`${server.url}/__svc/v1/users${query}`, { headers })).json() as Promise<readonly unknown[]>;
}

it.each([
  ["dev reset --instance acme", "Delete all users and sessions of Acme (acme "],
  ["dev reset --all", "Replace 2 instances, "],
  ["dev snapshot restore kept", "Replace all records with the snapshot kept at "],
  ["dev snapshot delete kept", "Delete the snapshot kept at "],
  ["dev instances delete globex", "Delete Globex (globex "],
  ["dev keys rotate", "Replace the secret key of Acme (acme "],
])("svc %s names the server and asks, and needs --yes where nobody can answer", async (line, question) => {
  await answerOf("dev snapshot save kept");
  const before = await users();
  const asked: string[] = [];
  const declined = await svc(line, { tty: true, confirm: (text) => !asked.push(text) });
  expect([declined.code, declined.stderr]).toEqual([1, expect.stringContaining("Declined. Nothing was changed.\n")]);
  expect(asked[0]).toContain(question);
  expect(asked[0]).toMatch(/ at http:\S+ \((?:SVC_CONTROL_URL|the server of this directory)\)\?/);
  for (const more of ["", " --json"]) {
    const refused = await svc(line + more);
    expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining("add --yes")]);
  }
  expect(await users()).toEqual(before);
  const snapshots = (await svc("dev snapshot list")).stdout;
  expect(snapshots).not.toContain("previous");
});

it("Each of the last five resets can be undone, the one before the last too", async () => {
  const counts = async (): Promise<number> => (await users("?instance=acme")).length;
  const all = await counts();
  const first = await svc("dev reset --instance acme --yes");
  expect(first.stderr).toMatch(
    /^Delete all users .* at http.*\nDeleted all users and sessions of acme .*\nThe server now has .*\nTo undo this: svc dev snapshot restore previous-1\n$/,
  );
  await answerOf("dev reset --instance acme --yes");
  expect(await counts()).toBe(0);
  await answerOf("dev snapshot restore previous-1 --yes");
  expect(await counts()).toBe(all);
  // The newest is what the restore replaced.
  await answerOf("dev snapshot restore previous --yes");
  expect(await counts()).toBe(0);
  for (let i = 0; i < 4; i++) await answerOf("dev reset --all --yes");
  const kept = (await svc("dev snapshot list")).stdout
    .split("\n")
    .map((line) => line.split("\t")[0]!)
    .filter((name) => name.startsWith("previous"));
  expect(kept.toSorted()).toEqual([4, 5, 6, 7, 8].map((number) => `previous-${number}`));
  expect((await svc("dev snapshot save previous-9")).code).toBe(2);
});
