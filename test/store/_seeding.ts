import { beforeEach, describe, expect, it } from "vitest";
import { looksDuring } from "./_looks.ts";
import { A, B, id, sessionId, instance, persona, user, records, contentOf, people } from "./_records.ts";
import type { Subject } from "./_subject.ts";

/** The contract of every store for seeds and lookups by id. */
export function testSeeding(subject: Subject): void {
  const { users, sessions, isInOrder } = subject;

  describe("Seeding", () => {
    it("starts with an empty store", async () => {
      expect(await contentOf(subject.store)).toEqual({ instances: [], personas: [], users: [], sessions: [] });
    });

    it("keeps the order of instances and personas", async () => {
      await subject.store.seed(people());
      expect(await subject.store.instances()).toEqual([instance(B, "globex"), instance(A, "acme")]);
      expect(await subject.store.personas()).toEqual([persona("mary"), persona("alan")]);
    });

    it("happens once: a second seed is refused and leaves no record", async () => {
      await subject.store.seed(records({ users: [user(1)] }));
      const before = await contentOf(subject.store);
      await expect(subject.store.seed(people())).rejects.toThrow("can't be seeded");
      expect(await contentOf(subject.store)).toEqual(before);
    });

    it("applies exactly one of two simultaneous seeds", async () => {
      const one = records({ users: [user(1)], personas: [persona("one")] });
      const two = records({ instances: [instance(A, "two")], users: [user(2)], personas: [persona("two")] });
      const outcomes = await Promise.allSettled([subject.store.seed(one), subject.store.seed(two)]);
      const statuses = outcomes.map((outcome) => outcome.status);
      expect(isInOrder ? statuses : statuses.toSorted()).toEqual(["fulfilled", "rejected"]);
      const taken = statuses[0] === "fulfilled" ? one : two;
      expect(await subject.store.instances()).toEqual(taken.instances);
      expect(await subject.store.personas()).toEqual(taken.personas);
      expect(await users()).toEqual(taken.users);
    });

    it("is visible to a reader completely or not at all", async () => {
      // A later read may be newer, never older.
      const looks = await looksDuring(subject.store.seed(people()), async () => {
        const rows = [await sessions(), await users(), await subject.store.instances()];
        return rows.map((found) => found?.length).join(" ");
      });
      expect(looks.filter((look) => !["0 0 0", "0 0 2", "0 3 2", "3 3 2"].includes(look))).toEqual([]);
      expect(looks.at(-1)).toBe("3 3 2");
    });
  });

  describe("findUser and findSession", () => {
    beforeEach(() => subject.store.seed(people()));

    it("find a user by id, with the linked providers", async () => {
      const { users: seeded } = people();
      expect(await subject.store.findUser(A, id(1))).toEqual({ user: seeded[0], providers: ["google", "github"] });
      expect(await subject.store.findUser(A, id(2))).toEqual({ user: seeded[1], providers: [] });
      expect(await subject.store.findUser(B, id(4))).toEqual({ user: seeded[3], providers: ["google"] });
    });

    it("find a session by session_id, not by the record's id", async () => {
      expect(await subject.store.findSession(A, sessionId(22))).toEqual(people().sessions[1]);
      expect(await subject.store.findSession(A, id(22))).toBeUndefined();
    });

    it.each([
      ["a missing id", A, id(99), sessionId(99)],
      ["an empty id", A, "", ""],
      ["a record of another instance", B, id(1), sessionId(21)],
      ["an instance that does not exist", id(77), id(1), sessionId(21)],
      ["a name that objects have by themselves", A, "__proto__", "constructor"],
    ])("find nothing for %s", async (_, tenant, user_id, session_id) => {
      expect(await subject.store.findUser(tenant, user_id)).toBeUndefined();
      expect(await subject.store.findSession(tenant, session_id)).toBeUndefined();
    });
  });
}
