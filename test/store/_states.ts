import { beforeEach, describe, expect, it } from "vitest";
import type { SignInLookup } from "../../src/server/store/store.ts";
import type { StateRecord } from "../../src/server/store/records.ts";
import { A, B, id, sessionId, at, state, arrival, all, contentOf, people, type Person } from "./_records.ts";
import type { Subject } from "./_subject.ts";

/** The contract of every store for deletions and sign-ins in progress. */
export function testStates(subject: Subject): void {
  const { signIn, users, sessions, isInOrder } = subject;

  describe("deleteUser", () => {
    beforeEach(() => subject.store.seed(people()));

    it("removes the user with its identities and sessions, and nothing else", async () => {
      const { users: seeded, sessions: opened } = people();
      expect(await subject.store.deleteUser(A, id(1))).toBe(true);
      expect(await subject.store.findUser(A, id(1))).toBeUndefined();
      expect(await subject.store.findSession(A, sessionId(21))).toBeUndefined();
      expect(await users()).toEqual([seeded[2], seeded[1]]);
      expect(await sessions()).toEqual([opened[2]]);
      expect(await users({}, B)).toEqual([seeded[3]]);
      expect(await sessions({}, B)).toEqual([opened[3]]);
    });

    it("returns false for a deleted, unknown or foreign user, and keeps the foreign one", async () => {
      const before = await contentOf(subject.store);
      expect(await subject.store.deleteUser(B, id(1))).toBe(false);
      expect(await subject.store.deleteUser(A, id(99))).toBe(false);
      expect(await contentOf(subject.store)).toEqual(before);
      expect(await subject.store.deleteUser(A, id(1))).toBe(true);
      expect(await subject.store.deleteUser(A, id(1))).toBe(false);
    });

    it("returns true for one of a hundred simultaneous calls", async () => {
      const answers = await Promise.all(Array.from({ length: 100 }, () => subject.store.deleteUser(A, id(1))));
      expect(answers.filter(Boolean)).toEqual([true]);
    });

    it("frees the address and the uid for a new user", async () => {
      await subject.store.deleteUser(A, id(1));
      const found: SignInLookup[] = [];
      const plain = arrival({ uid: "ada", email: "ada@acme.test" });
      const { user: fresh } = await subject.store.completeSignIn({
        ...plain,
        resolveUser(lookup) {
          found.push(lookup);
          return plain.resolveUser(lookup);
        },
      });
      expect(found).toEqual([{}]);
      expect(fresh.id).not.toBe(id(1));
      expect(await subject.store.findUser(A, fresh.id)).toEqual({ user: fresh, providers: ["google"] });
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

  describe("saveState and takeState", () => {
    it("return a state unchanged, once", async () => {
      const record = state(1, { provider: "twitter", code_verifier: "verifier", binding: "hash" });
      await subject.store.saveState(record);
      expect(await subject.store.takeState(record.state)).toEqual(record);
      expect(await subject.store.takeState(record.state)).toBeUndefined();
    });

    it("return nothing for a state that was never saved", async () => {
      await subject.store.saveState(state(1));
      expect(await subject.store.takeState(state(2).state)).toBeUndefined();
      expect(await subject.store.takeState("")).toBeUndefined();
      expect(await subject.store.takeState("__proto__")).toBeUndefined();
    });

    it("return a state to one of a hundred simultaneous calls", async () => {
      await subject.store.saveState(state(1));
      const taken = await Promise.all(Array.from({ length: 100 }, () => subject.store.takeState(state(1).state)));
      expect(taken.filter((record) => record !== undefined)).toEqual([state(1)]);
    });

    it("drop expired states when another is saved, and none earlier", async () => {
      const begun = (n: number, seconds: number): StateRecord =>
        state(n, { created_at: at(seconds), expires_at: at(seconds + 600) });
      await subject.store.saveState(begun(1, 0));
      await subject.store.saveState(begun(2, 1));
      await subject.store.saveState(begun(3, 599));
      expect(await subject.store.takeState(state(1).state)).toEqual(begun(1, 0));
      await subject.store.saveState(begun(4, 600));
      expect(await subject.store.takeState(state(2).state)).toEqual(begun(2, 1));
      await subject.store.saveState(begun(5, 1199));
      expect(await subject.store.takeState(state(3).state)).toBeUndefined();
      expect(await subject.store.takeState(state(4).state)).toEqual(begun(4, 600));
      expect(await subject.store.takeState(state(5).state)).toEqual(begun(5, 1199));
    });
  });
}
