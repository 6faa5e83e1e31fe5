import { describe, expect, it } from "vitest";
import { A, at, B, people, records, session, sessionId, user } from "./_records.ts";
import type { Subject } from "./_subject.ts";

/** The contract of every store for the deletion of old sessions. */
export function testPruning(subject: Subject): void {
  describe("pruneSessions", () => {
    const ada = user(1, { email: "ada@acme.test" });
    const seedAges = (count = 0): Promise<void> =>
      subject.store.seed(
        records({
          users: [ada, user(4, { instance_id: B })],
          sessions: [
            session(21, ada, { last_signin_at: at(100) }),
            session(22, ada, { last_signin_at: at(199) }),
            session(23, ada, { last_signin_at: at(200) }),
            session(24, ada, { last_signin_at: at(100), revoked_at: at(150) }),
            session(25, ada, { last_signin_at: at(100), revoked_at: at(200) }),
            session(26, user(4, { instance_id: B }), { last_signin_at: at(100) }),
            ...Array.from({ length: count }, (_, n) => session(1000 + n, ada, { last_signin_at: at(10 + n) })),
          ],
        }),
      );

    it("deletes in pieces, past sessions that stay", async () => {
      await seedAges(50);
      const counts: number[] = [];
      for (let n = 0; n < 9; n++) counts.push(await subject.store.pruneSessions(A, at(200), 10));
      expect(counts).toEqual([10, 10, 10, 10, 10, 3, 0, 0, 0]);
      expect((await subject.sessionIds()).toSorted()).toEqual([23, 25].map(sessionId));
    });

    it("keeps the sessions of sign-ins that renew them at the same time", async () => {
      await subject.store.seed(people());
      const names = Array.from({ length: 20 }, (_, n) => `person${n}`);
      const opened = await Promise.all(names.map((uid) => subject.signIn({ uid, time: 100 })));
      const prune = (): Promise<number> => subject.store.pruneSessions(A, at(4000), 10);
      const before = prune();
      const renewals = names.map((uid) => subject.signIn({ uid, time: 5000 }));
      const pruned = [before, prune(), prune()];
      const renewed = (await Promise.all(renewals)).map((written) => written.session);
      await Promise.all(pruned);
      const stored = new Map((await subject.sessions()).map((row) => [row.session_id, row]));
      // Each sign-in has its session, whether it renewed one or opened another.
      for (const written of renewed) expect(stored.get(written.session_id)).toEqual(written);
      const kept = new Set(renewed.map((written) => written.session_id));
      while ((await subject.store.pruneSessions(A, at(4000), 10)) > 0);
      for (const { session: own } of opened)
        expect((await subject.store.find("sessions", { instance_id: A, id: own.session_id })) !== undefined).toBe(
          kept.has(own.session_id),
        );
    });
  });
}
