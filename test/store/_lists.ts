import { describe, expect, it } from "vitest";
import type { UserView } from "../../src/server/store/store.ts";
import { A, id, at, user, identity, records } from "./_records.ts";
import type { Subject } from "./_subject.ts";

/** The contract of every store for lists while others write: a request's batches can't be held from outside. */
export function testLists(subject: Subject): void {
  describe("Lists of users", () => {
    it("have pages as long as asked for, although users are deleted while a page is read", async () => {
      const many = Array.from({ length: 900 }, (_, n) => user(n));
      await subject.store.seed(records({ users: many }));
      const rows: UserView[] = [];
      for await (const batch of subject.store.users(A, { limit: 600 })) {
        // Of the rows that the next batches are for.
        if (rows.length === 0) for (const n of [310, 420, 599]) await subject.store.deleteUser(A, id(n));
        rows.push(...batch);
      }
      expect(rows).toHaveLength(600);
    });

    it("are complete and ordered over several batches", async () => {
      const many = Array.from({ length: 5000 }, (_, n) => user(n, { created_at: at((n * 7919) % 5000) }));
      await subject.store.seed(records({ users: many }));
      const batches: UserView[][] = [];
      for await (const batch of subject.store.users(A, {})) batches.push(batch);
      expect(batches.length).toBeGreaterThan(1);
      const expected = many.toSorted((a, b) => b.created_at.localeCompare(a.created_at)).map((row) => row.id);
      expect(batches.flat().map((view) => view.user.id)).toEqual(expected);
    });

    it("never contain a user without identities, even one being deleted", async () => {
      const many = Array.from({ length: 5000 }, (_, n) => user(n));
      await subject.store.seed(records({ users: many, identities: many.map((owner, n) => identity(n, owner)) }));
      const rows: UserView[] = [];
      for await (const batch of subject.store.users(A, {})) {
        if (rows.length === 0) await subject.store.deleteUser(A, id(0));
        rows.push(...batch);
      }
      expect(rows.filter((view) => view.providers.length === 0)).toEqual([]);
    });
  });
}
