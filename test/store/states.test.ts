// Below the faces: 50,000 unfinished sign-ins take minutes.
import { expect, it } from "vitest";
import { Commits } from "../../src/server/store/memory/commits.ts";
import { createSignInOperations } from "../../src/server/store/memory/sign-ins.ts";
import { StateQueue } from "../../src/server/store/memory/tenant.ts";
import { Tables } from "../../src/server/store/memory/tables.ts";
import { HeldLog } from "./_held-log.ts";
import { B, state } from "./_records.ts";

const LATER = "2027-01-01T00:00:00.000Z";

it("Sign-ins that start together share one write, also with 50,000 outstanding", async () => {
  const log = new HeldLog();
  log.isHolding = false;
  const outstanding = Array.from({ length: 50_001 }, (_, n) => state(n + 1));
  const tables = Tables.of({ states: [state(0, { instance_id: B }), ...outstanding] });
  const states = createSignInOperations(new Commits(tables, log));
  await Promise.all(Array.from({ length: 1_000 }, (_, n) => states.saveState(state(60_001 + n))));
  // The new ones, and one batch of the oldest.
  expect(log.groups.map((group) => group.length)).toEqual([1_000 + 1_024]);
  expect(tables.find("states", state(1_024).state)).toBeUndefined();
  expect(tables.find("states", state(1_025).state)).toEqual(state(1_025));
  expect(tables.find("states", state(61_000).state)).toEqual(state(61_000));
  expect(tables.find("states", state(0).state)).toEqual(state(0, { instance_id: B }));
});

it("The oldest state is found again after all others were removed", () => {
  const queue = new StateQueue();
  for (let round = 1; round <= 3; round++) {
    const [first, second] = [state(2 * round, { expires_at: LATER }), state(2 * round + 1, { expires_at: LATER })];
    queue.set(undefined, first);
    queue.set(undefined, second);
    expect(queue.outdated(LATER)).toEqual([first, second]);
    queue.set(first, undefined);
    expect(queue.outdated(LATER)).toEqual([second]);
    queue.set(second, undefined);
    expect(queue.outdated(LATER)).toEqual([]);
  }
});
