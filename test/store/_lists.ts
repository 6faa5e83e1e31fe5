import { describe, expect, it } from "vitest";
import { parseQuery } from "../../src/wire/query.ts";
import { SESSION_FIELDS, USER_FIELDS } from "../../src/wire/fields.ts";
import type { UserView } from "../../src/server/store/store.ts";
import { A, B, id, sessionId, at, user, identity, session, records, all, people } from "./_records.ts";
import type { Subject } from "./_subject.ts";

/** The contract of every store for lists. */
export function testLists(subject: Subject): void {
  const { signIn, users, sessions, userIds, sessionIds } = subject;

  describe("Lists of users", () => {
    // 5 and 3 were created at the same moment.
    const made = [4, 5, 1, 3, 2].map((n) => user(n, n === 5 ? { created_at: at(3) } : {}));
    const order = [4, 3, 5, 2, 1].map(id);

    it("are newest first, ties by id, each as findUser returns it", async () => {
      await subject.store.seed(records({ users: made, identities: [identity(9, made[0]!)] }));
      const listed = (await all(subject.store.users(A, {})))!;
      expect(listed.map((view) => view.user.id)).toEqual(order);
      expect(listed).toEqual(await Promise.all(order.map((user_id) => subject.store.findUser(A, user_id))));
    });

    it("have pages that add up to the whole for every page size", async () => {
      await subject.store.seed(records({ users: made }));
      for (let limit = 1; limit <= 6; limit++) {
        const pages: string[] = [];
        for (
          let page = (await userIds({ limit }))!;
          page.length > 0;
          page = (await userIds({ limit, after: page.at(-1) }))!
        ) {
          expect(page.length).toBeLessThanOrEqual(limit);
          pages.push(...page);
        }
        expect(pages).toEqual(order);
      }
    });

    it("are empty after the last user, and undefined after an unknown one", async () => {
      await subject.store.seed(records({ users: [...made, user(9, { instance_id: B })] }));
      expect(await users({ after: id(1) })).toEqual([]);
      expect(await users({ after: id(99) })).toBeUndefined();
      expect(await users({ after: id(9) })).toBeUndefined();
      expect(await users({ after: "" })).toBeUndefined();
    });

    it("have pages in a search", async () => {
      await subject.store.seed(records({ users: made }));
      const query = parseQuery("-email:user2* -email:user4*", USER_FIELDS);
      expect(await userIds({ query })).toEqual([3, 5, 1].map(id));
      expect(await userIds({ query, limit: 2 })).toEqual([3, 5].map(id));
      expect(await userIds({ query, limit: 2, after: id(5) })).toEqual([1].map(id));
      expect(await userIds({ query, after: id(4), limit: 1 })).toEqual([3].map(id));
    });

    it("are complete and ordered over several batches", async () => {
      const many = Array.from({ length: 5000 }, (_, n) => user(n, { created_at: at((n * 7919) % 5000) }));
      await subject.store.seed(records({ users: many }));
      const batches: UserView[][] = [];
      for await (const batch of (await subject.store.users(A, {}))!) batches.push(batch);
      expect(batches.length).toBeGreaterThan(1);
      const expected = many.toSorted((a, b) => b.created_at.localeCompare(a.created_at)).map((row) => row.id);
      expect(batches.flat().map((view) => view.user.id)).toEqual(expected);
    });

    it("never contain a user without identities, even one being deleted", async () => {
      const many = Array.from({ length: 5000 }, (_, n) => user(n));
      await subject.store.seed(records({ users: many, identities: many.map((owner, n) => identity(n, owner)) }));
      const rows: UserView[] = [];
      for await (const batch of (await subject.store.users(A, {}))!) {
        if (rows.length === 0) await subject.store.deleteUser(A, id(0));
        rows.push(...batch);
      }
      expect(rows.filter((view) => view.providers.length === 0)).toEqual([]);
    });
  });

  describe("Lists of sessions", () => {
    const made = [4, 5, 1, 3, 2].map((n) => session(n, user(1), n === 5 ? { last_signin_at: at(3) } : {}));
    const order = [4, 3, 5, 2, 1].map(sessionId);

    it("are sorted by the most recent sign-in, ties by id", async () => {
      await subject.store.seed(records({ users: [user(1)], sessions: made }));
      expect(await sessionIds()).toEqual(order);
    });

    it("have pages that add up to the whole for every page size", async () => {
      await subject.store.seed(records({ users: [user(1)], sessions: made }));
      for (let limit = 1; limit <= 6; limit++) {
        const pages: string[] = [];
        for (
          let page = (await sessionIds({ limit }))!;
          page.length > 0;
          page = (await sessionIds({ limit, after: page.at(-1) }))!
        ) {
          expect(page.length).toBeLessThanOrEqual(limit);
          pages.push(...page);
        }
        expect(pages).toEqual(order);
      }
    });

    it("are empty after the last session, and undefined after an unknown one", async () => {
      const foreign = user(9, { instance_id: B });
      await subject.store.seed(records({ users: [user(1), foreign], sessions: [...made, session(9, foreign)] }));
      expect(await sessions({ after: sessionId(1) })).toEqual([]);
      expect(await sessions({ after: sessionId(99) })).toBeUndefined();
      expect(await sessions({ after: sessionId(9) })).toBeUndefined();
      expect(await sessions({ after: "" })).toBeUndefined();
    });

    it("have pages in a search", async () => {
      await subject.store.seed(people());
      const query = parseQuery("provider:g*", SESSION_FIELDS);
      expect(await sessionIds({ query })).toEqual([sessionId(22), sessionId(21)]);
      expect(await sessionIds({ query, limit: 1 })).toEqual([sessionId(22)]);
      expect(await sessionIds({ query, limit: 1, after: sessionId(22) })).toEqual([sessionId(21)]);
      expect(await sessionIds({ query, limit: 1, after: sessionId(23) })).toEqual([sessionId(22)]);
    });

    it("show a renewed session once, at the top", async () => {
      await subject.store.seed(people());
      const { session: renewed } = await signIn({ uid: "ada", time: 2000 });
      expect(renewed.session_id).toBe(sessionId(21));
      expect(await sessionIds()).toEqual([sessionId(21), sessionId(23), sessionId(22)]);
    });
  });
}
