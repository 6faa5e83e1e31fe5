import { describe, expect, it } from "vitest";
import { looksDuring } from "./_looks.ts";
import { A, instance, persona, user, records, contentOf, people } from "./_records.ts";
import type { Subject } from "./_subject.ts";

/** The contract of every store for seeds and lookups by id. */
export function testSeeding(subject: Subject): void {
  const { users, sessions, isInOrder } = subject;

  describe("Seeding", () => {
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
}
