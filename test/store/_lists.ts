import { describe, expect, it } from "vitest";
import { parseQuery } from "../../src/wire/search/query.ts";
import { SESSION_FIELDS, USER_FIELDS } from "../../src/wire/search/fields.ts";
import type { SessionRecord, UserRecord } from "../../src/server/store/records.ts";
import type { Position, UserView } from "../../src/server/store/store.ts";
import { A, id, sessionId, at, user, identity, session, records, all, people } from "./_records.ts";
import type { Subject } from "./_subject.ts";

/** Where a page of users or sessions ends. */
function endOf(page: readonly (UserRecord | SessionRecord)[]): Position {
  const last = page.at(-1)!;
  return { time: "last_signin_at" in last ? last.last_signin_at : last.created_at, id: last.id };
}

/** The contract of every store for lists. */
export function testLists(subject: Subject): void {
  const { signIn, users, sessions, userIds, sessionIds } = subject;

  describe("Lists of users", () => {
    // 5 and 3 were created at the same moment.
    const made = [4, 5, 1, 3, 2].map((n) => user(n, n === 5 ? { created_at: at(3) } : {}));
    const order = [4, 3, 5, 2, 1].map(id);

    it("are newest first, ties by id, each as findUser returns it", async () => {
      await subject.store.seed(records({ users: made, identities: [identity(9, made[0]!)] }));
      const listed = await all(subject.store.users(A, {}));
      expect(listed.map((view) => view.user.id)).toEqual(order);
      expect(listed).toEqual(await Promise.all(order.map((user_id) => subject.store.findUser(A, user_id))));
    });

    it("have pages that add up to the whole for every page size", async () => {
      await subject.store.seed(records({ users: made }));
      for (let limit = 1; limit <= 6; limit++) {
        const pages: string[] = [];
        for (let page = await users({ limit }); page.length > 0; page = await users({ limit, after: endOf(page) })) {
          expect(page.length).toBeLessThanOrEqual(limit);
          pages.push(...page.map((row) => row.id));
        }
        expect(pages).toEqual(order);
      }
    });

    it("continue behind a position, whether a user is there or not", async () => {
      await subject.store.seed(records({ users: made }));
      for (const [time, n, rest] of [
        [1, 1, []],
        [0, 0, []],
        [3, 3, [5, 2, 1]],
        [3, 4, [5, 2, 1]],
        [3, 5, [2, 1]],
        [3, 9, [2, 1]],
        [9, 0, [4, 3, 5, 2, 1]],
      ] as const)
        expect(await userIds({ after: { time: at(time), id: id(n) } })).toEqual(rest.map(id));
    });

    it("continue to the millisecond", async () => {
      const times = ["0000-01-01T00:00:00.000Z", "2026-06-01T12:00:00.122Z", "2026-06-01T12:00:00.123Z"];
      await subject.store.seed(records({ users: times.map((created_at, n) => user(n, { created_at })) }));
      for (const [n, time] of times.entries())
        expect(await userIds({ after: { time, id: id(n) } })).toEqual([0, 1].slice(0, n).toReversed().map(id));
    });

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

    it("have pages in a search", async () => {
      await subject.store.seed(records({ users: made }));
      const query = parseQuery("-email:user2* -email:user4*", USER_FIELDS);
      expect(await userIds({ query })).toEqual([3, 5, 1].map(id));
      expect(await userIds({ query, limit: 2 })).toEqual([3, 5].map(id));
      expect(await userIds({ query, limit: 2, after: { time: at(3), id: id(5) } })).toEqual([1].map(id));
      expect(await userIds({ query, after: { time: at(4), id: id(4) }, limit: 1 })).toEqual([3].map(id));
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
        const next = (page: SessionRecord[]): Promise<SessionRecord[]> => sessions({ limit, after: endOf(page) });
        for (let page = await sessions({ limit }); page.length > 0; page = await next(page)) {
          expect(page.length).toBeLessThanOrEqual(limit);
          pages.push(...page.map((row) => row.session_id));
        }
        expect(pages).toEqual(order);
      }
    });

    it("continue behind a position, whether a session is there or not", async () => {
      await subject.store.seed(records({ users: [user(1)], sessions: made }));
      expect(await sessions({ after: { time: at(1), id: id(1) } })).toEqual([]);
      expect(await sessionIds({ after: { time: at(3), id: id(4) } })).toEqual([5, 2, 1].map(sessionId));
    });

    it("continue behind the place of a session that has signed in again", async () => {
      const ada = user(1);
      const addressOf = (n: number): string => `203.0.113.${n}`;
      const own = [4, 5, 1, 3, 2].map((n) => session(n, ada, { ip_address: addressOf(n) }));
      await subject.store.seed(
        records({ users: [ada], identities: [identity(9, ada, { uid: "ada" })], sessions: own }),
      );
      const page = await sessions({ limit: 3 });
      expect(page.map((row) => row.id)).toEqual([5, 4, 3].map(id));
      const { session: renewed } = await signIn({ uid: "ada", ip_address: addressOf(3), time: 2000 });
      expect(renewed.session_id).toBe(sessionId(3));
      expect(await sessionIds({ after: endOf(page) })).toEqual([2, 1].map(sessionId));
    });

    it("have pages in a search", async () => {
      await subject.store.seed(people());
      const query = parseQuery("provider:g*", SESSION_FIELDS);
      expect(await sessionIds({ query })).toEqual([sessionId(22), sessionId(21)]);
      expect(await sessionIds({ query, limit: 1 })).toEqual([sessionId(22)]);
      expect(await sessionIds({ query, limit: 1, after: { time: at(22), id: id(22) } })).toEqual([sessionId(21)]);
      expect(await sessionIds({ query, limit: 1, after: { time: at(23), id: id(23) } })).toEqual([sessionId(22)]);
    });

    it("show a renewed session once, at the top", async () => {
      await subject.store.seed(people());
      const { session: renewed } = await signIn({ uid: "ada", time: 2000 });
      expect(renewed.session_id).toBe(sessionId(21));
      expect(await sessionIds()).toEqual([sessionId(21), sessionId(23), sessionId(22)]);
    });
  });
}
