import { describe, expect, it } from "vitest";
import { Conflict } from "../../src/server/store/store.ts";
import type { Records } from "../../src/server/store/records.ts";
import { A, B, all, arrival, at, id, identity, records, session, sessionId, user } from "./_records.ts";
import type { Subject } from "./_subject.ts";

/** One person at two instances, with the same ids, address and account at both. */
function twins(): Records {
  const [here, there] = [A, B].map((instance_id) =>
    user(1, { instance_id, email: "ada@acme.test", name: instance_id }),
  );
  return records({
    users: [here!, there!],
    identities: [here!, there!].map((owner) => identity(11, owner, { uid: "ada" })),
    sessions: [here!, there!].map((owner) => session(21, owner)),
  });
}

/** The contract of every store for records that have the same ids in two instances. */
export function testInstances(subject: Subject): void {
  describe("Two instances with the same ids", () => {
    it("find each its own, and the ids name both", async () => {
      const { store } = subject;
      await store.seed(twins());
      for (const instance_id of [A, B]) {
        const other = instance_id === A ? B : A;
        expect(await store.findUser(instance_id, id(1))).toMatchObject({
          user: { instance_id },
          providers: ["google"],
        });
        expect(await store.findSession(instance_id, sessionId(21))).toMatchObject({ instance_id });
        expect(await store.find("identities", { instance_id, id: id(11) })).toMatchObject({ instance_id });
        expect(await store.identitiesOf(instance_id, id(1))).toMatchObject([{ instance_id }]);
        expect(await all(store.users(instance_id, {}))).toMatchObject([{ user: { name: instance_id } }]);
        expect(await all(store.sessions(instance_id, {}))).toMatchObject([{ name: instance_id }]);
        expect(JSON.stringify(await all(store.sessions(instance_id, {})))).not.toContain(other);
      }
      expect((await store.instancesWith("users", id(1))).toSorted()).toEqual([A, B]);
      expect((await store.instancesWith("sessions", sessionId(21))).toSorted()).toEqual([A, B]);
      expect(await store.instancesWith("users", id(99))).toEqual([]);
      expect(await store.instancesWith("users", "\0")).toEqual([]);
      expect(await store.counts()).toMatchObject({ users: 2, identities: 2, sessions: 2 });
    });

    it("refuse a second one of their own", async () => {
      await subject.store.seed(twins());
      const ours = { instance_id: B };
      for (const added of [
        { users: [user(1, { ...ours, email: "new@acme.test" })] },
        { users: [user(2, { ...ours, email: "ADA@acme.test" })] },
        { users: [user(2, ours)], identities: [identity(11, user(2, ours))] },
        { users: [user(2, ours)], sessions: [session(21, user(2, ours))] },
      ])
        await expect(subject.store.add(added)).rejects.toBeInstanceOf(Conflict);
    });

    it("add records to a user of their own only", async () => {
      await subject.store.seed(twins());
      await subject.store.add({ users: [user(2)] });
      const owner = user(2, { instance_id: B });
      await expect(subject.store.add({ identities: [identity(12, owner)] })).rejects.toBeInstanceOf(Conflict);
      await expect(subject.store.add({ sessions: [session(22, owner)] })).rejects.toBeInstanceOf(Conflict);
      await subject.store.add({ users: [owner], identities: [identity(12, owner)], sessions: [session(22, owner)] });
      expect(await subject.store.identitiesOf(B, id(2))).toHaveLength(1);
      expect(await subject.store.identitiesOf(A, id(2))).toEqual([]);
    });

    it("change, sign in and revoke at one of them alone", async () => {
      const { store } = subject;
      await store.seed(twins());
      await store.change("users", { instance_id: B, id: id(1) }, (before) => before && { ...before, name: "Renamed" });
      expect((await store.findUser(A, id(1)))?.user.name).toBe(A);
      expect((await store.findUser(B, id(1)))?.user.name).toBe("Renamed");

      const { session: renewed } = await store.completeSignIn(arrival({ instance_id: B, uid: "ada" }));
      expect(renewed).toMatchObject({ instance_id: B, session_id: sessionId(21), last_signin_at: at(1000) });
      expect((await store.findSession(A, sessionId(21)))?.last_signin_at).toBe(at(21));

      const linked = arrival({ instance_id: B, provider: "github", uid: "new", email: "ada@acme.test", clears: true });
      await store.completeSignIn(linked);
      expect(await store.identitiesOf(B, id(1))).toMatchObject([{ uid: "new" }]);
      expect(await store.identitiesOf(A, id(1))).toMatchObject([{ uid: "ada" }]);
      expect((await store.findSession(B, sessionId(21)))?.revoked_at).toBe(at(1000));
      expect((await store.findSession(A, sessionId(21)))?.revoked_at).toBeNull();
    });

    it.each([
      [A, B],
      [B, A],
    ])("delete at one of them alone: %s", async (deleted, kept) => {
      const { store } = subject;
      await store.seed(twins());
      expect(await store.deleteUser(deleted, id(1))).toBe(true);
      expect(await store.deleteUser(deleted, id(1))).toBe(false);
      expect(await store.instancesWith("users", id(1))).toEqual([kept]);
      expect(await store.findUser(deleted, id(1))).toBeUndefined();
      expect(await store.findSession(deleted, sessionId(21))).toBeUndefined();
      expect(await store.findSession(kept, sessionId(21))).toMatchObject({ user_id: id(1) });
      expect(await store.findUser(kept, id(1))).toMatchObject({ providers: ["google"] });
      const { user: again } = await store.completeSignIn(arrival({ instance_id: deleted, uid: "ada", n: 1 }));
      expect(await store.findUser(deleted, again.id)).toMatchObject({ user: { id: id(1), instance_id: deleted } });
      await store.removeInstance(deleted);
      expect(await store.counts()).toMatchObject({ instances: 1, users: 1, identities: 1, sessions: 1 });
    });

    it("survive snapshots", async () => {
      const { store } = subject;
      await store.seed(twins());
      await store.snapshots.save("both", at(1));
      await store.deleteUser(A, id(1));
      expect(await store.snapshots.restore("both")).toBe(true);
      expect((await store.instancesWith("sessions", sessionId(21))).toSorted()).toEqual([A, B]);
    });
  });
}
