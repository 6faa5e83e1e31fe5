import { expect, it } from "vitest";
import { Commits } from "../../src/server/store/json/document/commits.ts";
import { Document } from "../../src/server/store/json/document/document.ts";
import { StateQueue } from "../../src/server/store/json/document/tenant.ts";
import { createSignInOperations } from "../../src/server/store/json/sign-ins.ts";
import { state, take } from "./_records.ts";

const LATER = "2027-01-01T00:00:00.000Z";

/** States over a log that counts its writes. */
function createCounted(): { states: ReturnType<typeof createSignInOperations>; writes: number; changes: number } {
  const document = new Document();
  const counted = { writes: 0, changes: 0 };
  const commits = new Commits(document, {
    async append(changes) {
      counted.writes++;
      counted.changes += changes.length;
    },
    gather: async () => {},
    probe: async () => {},
    replace: async (_, publish) => publish(),
  });
  return Object.assign(counted, { states: createSignInOperations(document, commits) });
}

it("Sign-ins that start together share one write, also with 50,000 outstanding", async () => {
  const counted = createCounted();
  const save = async (first: number, last: number): Promise<void> => {
    await Promise.all(Array.from({ length: last - first + 1 }, (_, i) => counted.states.saveState(state(first + i))));
  };
  await save(1, 50_001);
  counted.writes = counted.changes = 0;
  await save(60_001, 61_000);
  expect(counted.writes).toBe(1);
  // The new ones, and one batch of the oldest.
  expect(counted.changes).toBe(1_000 + 1_024);
  expect(await take(counted.states, state(1_024).state)).toBeUndefined();
  expect(await take(counted.states, state(1_025).state)).toEqual(state(1_025));
  expect(await take(counted.states, state(61_000).state)).toEqual(state(61_000));
});

it("The oldest state is found again after all others were removed", () => {
  const queue = new StateQueue();
  for (let round = 1; round <= 3; round++) {
    const [first, second] = [state(2 * round, { expires_at: LATER }), state(2 * round + 1, { expires_at: LATER })];
    queue.add(first);
    queue.add(second);
    expect(queue.outdated(LATER)).toEqual([first.state, second.state]);
    queue.remove(first);
    expect(queue.outdated(LATER)).toEqual([second.state]);
    queue.remove(second);
    expect(queue.outdated(LATER)).toEqual([]);
  }
});
