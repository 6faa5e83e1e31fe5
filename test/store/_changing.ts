// Below the faces: the same tests run on each store.

import { describe, expect, it } from "vitest";
import { changeSetting } from "../../src/server/store/settings.ts";
import { Conflict } from "../../src/server/store/store.ts";
import {
  A,
  B,
  all,
  arrival,
  at,
  contentOf,
  id,
  identity,
  instance,
  people,
  persona,
  records,
  session,
  sessionId,
  state,
  user,
} from "./_records.ts";
import type { Subject } from "./_subject.ts";

const key = (n: number): { instance_id: string; id: string } => ({ instance_id: A, id: id(n) });

/** The contract of every store for changes other than sign-ins. */
export function testChanging(subject: Subject): void {
  describe("add", () => {
    it("adds records of all kinds at once", async () => {
      await subject.store.seed(people());
      const fresh = user(50, { instance_id: id(0xc) });
      await subject.store.add({
        instances: [instance(id(0xc), "initech")],
        users: [fresh],
        identities: [identity(51, fresh)],
        sessions: [session(52, fresh)],
        personas: [persona("rosalind")],
      });
      expect(await subject.store.instances()).toHaveLength(3);
      expect(await subject.store.findUser(id(0xc), fresh.id)).toEqual({ user: fresh, providers: ["google"] });
      expect(await subject.store.find("sessions", { instance_id: id(0xc), id: sessionId(52) })).toEqual(
        session(52, fresh),
      );
      expect((await subject.store.personas()).at(-1)).toEqual(persona("rosalind"));
    });

    it.each([
      ["an id", { users: [user(1, { email: "new@acme.test" })] }],
      ["an e-mail address in any case", { users: [user(50), user(51, { email: "ADA@acme.test" })] }],
      ["an account", { users: [user(50)], identities: [identity(51, user(50), { uid: "ada" })] }],
      ["a subdomain", { users: [user(50)], instances: [{ ...instance(id(0xc), "initech"), subdomain: "acme" }] }],
      [
        "a secret key",
        { instances: [{ ...instance(id(0xc), "initech"), secret_key: instance(A, "acme").secret_key }] },
      ],
      ["a session", { users: [user(50)], sessions: [session(21, user(50))] }],
      ["a persona", { users: [user(50)], personas: [persona("mary")] }],
    ])("adds nothing if %s already exists", async (_, added) => {
      await subject.store.seed(people());
      const before = await contentOf(subject.store);
      await expect(subject.store.add(added)).rejects.toBeInstanceOf(Conflict);
      expect(await contentOf(subject.store)).toEqual(before);
    });

    it("does not repeat a secret key in its error", async () => {
      await subject.store.seed(people());
      const { secret_key } = instance(A, "acme");
      const error = await subject.store
        .add({ instances: [{ ...instance(id(0xc), "initech"), secret_key }] })
        .catch((reason: unknown) => reason);
      expect((error as Error).message).toContain("instances.secret_key");
      expect((error as Error).message).not.toContain(secret_key);
    });

    it("gives an address that two users claim to one of them", async () => {
      await subject.store.seed(people());
      const outcomes = await Promise.allSettled(
        [60, 61].map((n) => subject.store.add({ users: [user(n, { email: "same@acme.test" })] })),
      );
      expect(outcomes.map(({ status }) => status).toSorted()).toEqual(["fulfilled", "rejected"]);
    });
  });

  describe("change", () => {
    it("rejects duplicates, and throws what its callback throws", async () => {
      await subject.store.seed(people());
      await expect(
        subject.store.change("users", key(2), (before) => before && { ...before, email: "ADA@acme.test" }),
      ).rejects.toBeInstanceOf(Conflict);
      await expect(
        subject.store.change("instances", A, (before) => before && { ...before, subdomain: "globex" }),
      ).rejects.toBeInstanceOf(Conflict);
      await expect(
        subject.store.change("users", key(2), () => {
          throw new Error("no");
        }),
      ).rejects.toThrow("no");
      expect((await subject.store.findUser(A, id(2)))?.user.email).toBe("charles@acme.test");
    });

    it("counts every one of many simultaneous changes", async () => {
      await subject.store.seed(people());
      await Promise.all(
        Array.from({ length: 40 }, () =>
          changeSetting(subject.store, "count", (before) => ({ n: Number(before?.["n"] ?? 0) + 1 })),
        ),
      );
      expect(await subject.store.settings("count")).toEqual([{ name: "count", value: { n: 40 } }]);
    });

    it("revokes the session of a user who signs in meanwhile, or lets the sign-in go first", async () => {
      await subject.store.seed(people());
      const { session: own } = await subject.store.completeSignIn(arrival({ uid: "ada" }));
      await Promise.all([
        subject.store.change(
          "sessions",
          { instance_id: A, id: own.session_id },
          (before) => before && { ...before, revoked_at: at(2000) },
        ),
        subject.store.completeSignIn(arrival({ uid: "ada", time: 1500 })),
      ]);
      expect((await subject.store.find("sessions", { instance_id: A, id: own.session_id }))?.revoked_at).toBe(at(2000));
    });
  });

  describe("removeInstance and clearInstance", () => {
    it("remove everything of an instance and nothing of another", async () => {
      await subject.store.seed(people());
      await subject.store.saveState(state(1));
      await subject.store.saveState(state(2, { instance_id: B }));
      await subject.store.clearInstance(A);
      expect(await all(subject.store.users(A, {}))).toEqual([]);
      expect(await all(subject.store.sessions(A, {}))).toEqual([]);
      expect(await subject.store.find("states", state(1).state)).toBeUndefined();
      expect((await subject.store.instances()).map(({ id: own }) => own).toSorted()).toEqual([A, B]);
      await subject.store.removeInstance(A);
      expect((await subject.store.instances()).map(({ id: own }) => own)).toEqual([B]);
      expect(await all(subject.store.users(B, {}))).toHaveLength(1);
      expect(await subject.store.find("states", state(2).state)).toMatchObject({ instance_id: B });
    });
  });

  describe("Snapshots", () => {
    it("restore all records and the clock, and leave other settings alone", async () => {
      await subject.store.seed(people());
      await changeSetting(subject.store, "clock", () => ({ mode: "frozen", at: at(0) }));
      await changeSetting(subject.store, "secret/seal", () => ({ secret: "1" }));
      const before = await contentOf(subject.store);
      const info = await subject.store.snapshots.save("base", at(5));
      expect(info).toEqual({
        name: "base",
        created_at: at(5),
        records: { instances: 2, personas: 2, users: 4, identities: 4, sessions: 4 },
      });
      expect(await subject.store.snapshots.list()).toEqual([info]);

      await subject.store.completeSignIn(arrival({ uid: "new" }));
      await subject.store.deleteUser(A, id(1));
      await subject.store.saveState(state(1));
      await changeSetting(subject.store, "clock", () => undefined);
      await changeSetting(subject.store, "secret/seal", () => ({ secret: "2" }));
      await changeSetting(subject.store, "scenario/1", () => ({ n: 1 }));
      expect(await subject.store.snapshots.restore("base")).toBe(true);
      expect(await contentOf(subject.store)).toEqual(before);
      expect(await subject.store.find("states", state(1).state)).toBeUndefined();
      expect(
        (await subject.store.settings(""))
          .toSorted((a, b) => (a.name < b.name ? -1 : 1))
          .filter(({ name }) => name !== "store"),
      ).toEqual([
        { name: "clock", value: { mode: "frozen", at: at(0) } },
        { name: "scenario/1", value: { n: 1 } },
        { name: "secret/seal", value: { secret: "2" } },
      ]);
      await subject.store.snapshots.restore("base", "scenario/");
      expect(await subject.store.settings("scenario/")).toEqual([]);
    });

    it("restore one instance's users, identities and sessions, and leave all else alone", async () => {
      const { store } = subject;
      await store.seed(people());
      await changeSetting(store, "clock", () => ({ mode: "frozen", at: at(0) }));
      const saved = await contentOf(store);
      await store.snapshots.save("base", at(5));
      expect(await store.snapshots.countsOf("base", A)).toEqual({ users: 3, identities: 3, sessions: 3 });
      expect(await store.snapshots.countsOf("base", B)).toEqual({ users: 1, identities: 1, sessions: 1 });

      await store.deleteUser(A, id(1));
      for (const instance_id of [A, B]) {
        await store.completeSignIn(arrival({ uid: "new", instance_id }));
        await store.saveState(state(1, { instance_id, state: instance_id === A ? "a".repeat(64) : "b".repeat(64) }));
        await store.change("instances", instance_id, (before) => ({
          ...before!,
          secret_key: `sk_rotated_${instance_id}`,
        }));
      }
      await store.change("personas", "mary", (before) => ({ ...before!, name: "Mary Shelley" }));
      await changeSetting(store, "clock", () => undefined);
      const changed = await contentOf(store);
      expect(await store.snapshots.restoreInstance("base", A)).toEqual({ users: 3, identities: 3, sessions: 3 });

      const of = (content: typeof saved, tenant: string) => ({
        users: content.users.filter(({ user: { instance_id } }) => instance_id === tenant),
        sessions: content.sessions.filter(({ instance_id }) => instance_id === tenant),
      });
      const after = await contentOf(store);
      expect(of(after, A)).toEqual(of(saved, A));
      expect(of(after, B)).toEqual(of(changed, B));
      expect(after).toMatchObject({ instances: changed.instances, personas: changed.personas });
      expect(await store.identitiesOf(A, id(1))).toHaveLength(2);
      expect(await store.settings("clock")).toEqual([]);
      expect(await store.find("states", "a".repeat(64))).toBeUndefined();
      expect(await store.find("states", "b".repeat(64))).toMatchObject({ instance_id: B });
      // A sign-in finds what came back.
      const { user: known } = await store.completeSignIn(arrival({ uid: "ada" }));
      expect(known.id).toBe(id(1));
    });

    it("restore no instance that they lack, or that was deleted", async () => {
      const { store } = subject;
      await store.seed(people());
      await store.snapshots.save("base", at(1));
      await store.add({ instances: [instance(id(0xc), "initech")] });
      await store.removeInstance(B);
      const before = await contentOf(store);
      for (const [name, instance_id] of [
        ["base", id(0xc)],
        ["none", A],
      ] as const) {
        expect(await store.snapshots.countsOf(name, instance_id)).toBeUndefined();
        expect(await store.snapshots.restoreInstance(name, instance_id)).toBeUndefined();
      }
      await expect(store.snapshots.restoreInstance("base", B)).rejects.toThrow(Conflict);
      expect(await contentOf(store)).toEqual(before);
    });

    it("can be replaced and deleted, and may be missing", async () => {
      await subject.store.seed(people());
      await subject.store.snapshots.save("base", at(1));
      await subject.store.replace(records());
      await subject.store.snapshots.save("base", at(2));
      expect(await subject.store.snapshots.list()).toMatchObject([{ created_at: at(2), records: { users: 0 } }]);
      expect(await subject.store.snapshots.delete("base")).toBe(true);
      expect(await subject.store.snapshots.delete("base")).toBe(false);
      expect(await subject.store.snapshots.restore("base")).toBe(false);
      expect(await subject.store.snapshots.list()).toEqual([]);
    });
  });

  describe("replace", () => {
    it("keeps the secrets of the subject.store and no other setting", async () => {
      await subject.store.seed(people());
      await changeSetting(subject.store, "clock", () => ({ mode: "real" }));
      await changeSetting(subject.store, "secret/seal", () => ({ secret: "1" }));
      await subject.store.replace(records());
      expect((await subject.store.settings("")).filter(({ name }) => name !== "store")).toEqual([
        { name: "secret/seal", value: { secret: "1" } },
      ]);
    });
  });
}
