import { beforeEach, describe, expect, it } from "vitest";
import type { StateRecord } from "../../src/server/store/records.ts";
import { A, id, at, state, all, people, type Person, takeState } from "./_records.ts";
import type { Subject } from "./_subject.ts";

/** The contract of every store for deletions and sign-ins in progress. */
export function testStates(subject: Subject): void {
  const { signIn, sessions, isInOrder } = subject;

  describe("deleteUser", () => {
    beforeEach(() => subject.store.seed(people()));

    it("returns true for one of a hundred simultaneous calls", async () => {
      const answers = await Promise.all(Array.from({ length: 100 }, () => subject.store.deleteUser(A, id(1))));
      expect(answers.filter(Boolean)).toEqual([true]);
    });

    const returning: [string, Person, "before" | "after"][] = [
      ["by a known identity just before it", { uid: "ada", email: "other@acme.test" }, "before"],
      ["by a known identity just after it", { uid: "ada", email: "ada@acme.test" }, "after"],
      ["by the same address just before it", { uid: "9", email: "ada@acme.test" }, "before"],
      ["by the same address just after it", { uid: "9", email: "ada@acme.test" }, "after"],
    ];
    it.each(returning)("leaves no partial records if the user signs in %s", async (_, person, when) => {
      const steps = [
        (): Promise<unknown> => signIn(person),
        (): Promise<unknown> => subject.store.deleteUser(A, id(1)),
      ];
      await Promise.all((when === "before" ? steps : steps.toReversed()).map((step) => step()));
      const others = [id(3), id(2)];
      const views = (await all(subject.store.users(A, {}))).filter((view) => !others.includes(view.user.id));
      const found = views.map((view) => [view.user.id === id(1), view.providers]);
      const [gone, anew] = [[], [[false, ["google"]]]];
      if (isInOrder) expect(found).toEqual(when === "before" ? gone : anew);
      else expect([gone, anew]).toContainEqual(found);
      const owners = (await sessions())!.map((row) => row.user_id).filter((owner) => !others.includes(owner));
      expect(owners).toEqual(views.map((view) => view.user.id));
    });
  });

  describe("saveState and claimState", () => {
    it("return a state to one of a hundred simultaneous calls", async () => {
      await subject.store.saveState(state(1));
      const taken = await Promise.all(Array.from({ length: 100 }, () => takeState(subject.store, state(1).state)));
      expect(taken.filter((record) => record !== undefined)).toEqual([state(1)]);
    });

    it("leave a state to the one that has claimed it", async () => {
      await subject.store.saveState(state(1));
      const claimed = await subject.store.claimState(state(1).state);
      expect(await subject.store.claimState(state(1).state)).toBeUndefined();
      await claimed!.end();
      expect(await subject.store.claimState(state(1).state)).toBeUndefined();
    });

    it("drop expired states when another is saved, and none earlier", async () => {
      const begun = (n: number, seconds: number): StateRecord =>
        state(n, { created_at: at(seconds), expires_at: at(seconds + 600) });
      await subject.store.saveState(begun(1, 0));
      await subject.store.saveState(begun(2, 1));
      await subject.store.saveState(begun(3, 599));
      expect(await subject.store.find("states", state(1).state)).toEqual(begun(1, 0));
      await subject.store.saveState(begun(4, 600));
      expect(await subject.store.find("states", state(2).state)).toEqual(begun(2, 1));
      await subject.store.saveState(begun(5, 1199));
      expect(await subject.store.find("states", state(3).state)).toBeUndefined();
      expect(await subject.store.find("states", state(4).state)).toEqual(begun(4, 600));
      expect(await subject.store.find("states", state(5).state)).toEqual(begun(5, 1199));
    });
  });
}
