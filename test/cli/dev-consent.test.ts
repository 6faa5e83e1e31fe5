import { expect, it } from "vitest";
import { answerOf, server, svc, useDevServer } from "../_dev-server.ts";

useDevServer();

async function users(query = ""): Promise<readonly unknown[]> {
  const headers = { authorization: `Bearer ${server.control_key}` };
  return (await fetch(`${server.url}/__svc/v1/users${query}`, { headers })).json() as Promise<readonly unknown[]>;
}

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
