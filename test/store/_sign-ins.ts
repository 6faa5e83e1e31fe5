import { describe, expect, it } from "vitest";
import type { StoredSignIn } from "../../src/server/store/store.ts";
import { looksDuring } from "./_looks.ts";
import { A, all, arrival, at, contentOf, id, people, records, session, sessionId, type Person } from "./_records.ts";
import type { Subject } from "./_subject.ts";
import { SESSION_PROVIDERS } from "../../src/wire/providers.ts";

/** The contract of every store for sign-ins. */
export function testSignIns(subject: Subject): void {
  const { signIn, users, sessions, isInOrder } = subject;

  describe("completeSignIn", () => {
    const seeing = (person: Person, found: unknown[]): StoredSignIn => {
      const plain = arrival(person);
      return {
        ...plain,
        resolveUser(lookup) {
          found.push(structuredClone(lookup));
          return plain.resolveUser(lookup);
        },
        openSession(owner, active) {
          found.push(active?.session_id);
          return plain.openSession(owner, active);
        },
      };
    };

    it.each(["resolveUser", "openSession"] as const)("writes nothing if %s throws", async (step) => {
      await subject.store.seed(people());
      const before = await contentOf(subject.store);
      const refusal = new Error("refused");
      const refuse = (): never => {
        throw refusal;
      };
      const grace: Person = { uid: "grace", provider: "github" };
      const refused = [{ uid: "new" }, grace].map((person) =>
        subject.store.completeSignIn({ ...arrival(person), [step]: refuse }),
      );
      const [other, ...errors] = await Promise.all([signIn(grace), ...refused.map((call) => call.catch(String))]);
      expect(errors).toEqual([String(refusal), String(refusal)]);
      expect(await contentOf(subject.store)).toEqual({
        ...before,
        users: before.users.map((view) => (view.user.id === id(3) ? { ...view, user: other.user } : view)),
        sessions: [other.session, ...before.sessions],
      });
    });

    it("keeps a user unchanged by a sign-in once in the list", async () => {
      await subject.store.seed(people());
      const plain = arrival({ uid: "ada" });
      await subject.store.completeSignIn({
        ...plain,
        resolveUser: ({ known }) => known!,
        openSession: (_, active) => active!,
      });
      expect((await users())?.map((row) => row.id)).toEqual([3, 2, 1].map(id));
      expect((await sessions())?.map((row) => row.session_id)).toEqual([23, 22, 21].map(sessionId));
      expect((await subject.store.findUser(A, id(1)))?.providers).toEqual(["google", "github"]);
    });

    it("creates one user and one session for fifty simultaneous sign-ins of one identity with two addresses", async () => {
      await subject.store.seed(records());
      const outcomes = await Promise.all(
        Array.from({ length: 50 }, (_, n) => signIn({ uid: "new", email: `${n % 2}@acme.test` })),
      );
      expect(new Set(outcomes.map((outcome) => outcome.user.id)).size).toBe(1);
      expect((await users())?.length).toBe(1);
      expect((await sessions())?.length).toBe(1);
    });

    it("creates one user for one address from three providers at once, in any spelling", async () => {
      await subject.store.seed(records());
      await Promise.all([
        signIn({ uid: "1", provider: "google", email: "new@acme.test" }),
        signIn({ uid: "2", provider: "github", email: "NEW@acme.test" }),
        signIn({ uid: "3", provider: "twitter", email: "ｎｅｗ@acme.test" }),
      ]);
      const views = await all(subject.store.users(A, {}));
      const inSomeOrder = views.map((view) => (isInOrder ? view.providers : view.providers.toSorted()));
      expect(inSomeOrder).toEqual([isInOrder ? ["google", "github", "twitter"] : ["github", "google", "twitter"]]);
      expect((await sessions())?.map((row) => row.user_id)).toEqual(Array(3).fill(views[0]?.user.id));
    });

    describe("with something to clear", () => {
      const github: Person = { uid: "new", provider: "github", email: "ada@acme.test", ip_address: "198.51.100.23" };
      const clearing: Person = { ...github, clears: true };
      /** Ada, with an open session of each kind, and her revoked one. */
      const seedAda = async (): Promise<void> => {
        const { users: owners, sessions: others, ...rest } = people();
        const [adas] = owners;
        const own = SESSION_PROVIDERS.map((provider, n) =>
          session(30 + n, adas!, { provider, ip_address: "198.51.100.23" }),
        );
        await subject.store.seed({ ...rest, users: owners, sessions: [...others, ...own] });
      };
      const openIds = async (): Promise<string[]> =>
        (await sessions())
          .filter((row) => row.revoked_at === null && row.user_id === id(1))
          .map((row) => row.session_id);

      it("removes the identities and revokes the user's open sessions, and nobody else's", async () => {
        await seedAda();
        const before = await contentOf(subject.store);
        const { user: owner, session: opened } = await signIn(clearing);
        expect(owner.id).toBe(id(1));
        expect((await subject.store.identitiesOf(A, id(1))).map(({ provider, uid }) => [provider, uid])).toEqual([
          ["github", "new"],
        ]);
        expect(opened).toMatchObject({ provider: "github", revoked_at: null, logged_in_at: at(1000) });
        const revoked = before.sessions.map((row) =>
          row.user_id === id(1) ? { ...row, revoked_at: row.revoked_at ?? at(1000) } : row,
        );
        expect(await contentOf(subject.store)).toEqual({
          ...before,
          users: before.users.map((view) => (view.user.id === id(1) ? { user: owner, providers: ["github"] } : view)),
          sessions: [opened, ...revoked],
        });
      });

      it("gives a removed account to its next user", async () => {
        await seedAda();
        await signIn(clearing);
        const found: unknown[] = [];
        await subject.store.completeSignIn(seeing({ uid: "ada", email: "mallory@evil.test" }, found));
        expect(found).toEqual([{}, undefined]);
      });

      it("renews no session, not even that of the same provider and address", async () => {
        await seedAda();
        const found: unknown[] = [];
        const { openSession } = seeing(clearing, found);
        const { session: opened } = await subject.store.completeSignIn({ ...arrival(clearing), openSession });
        expect(found).toEqual([undefined]);
        expect(await openIds()).toEqual([opened.session_id]);
        const { session: again } = await signIn(github);
        expect(again.session_id).toBe(opened.session_id);
      });

      it("writes nothing if openSession throws", async () => {
        await seedAda();
        const before = await contentOf(subject.store);
        const openSession = (): never => {
          throw new Error("refused");
        };
        await expect(subject.store.completeSignIn({ ...arrival(clearing), openSession })).rejects.toThrow("refused");
        expect(await contentOf(subject.store)).toEqual(before);
        expect(await subject.store.identitiesOf(A, id(1))).toHaveLength(2);
      });

      it("is visible to a reader completely or not at all", async () => {
        await seedAda();
        const looks = await looksDuring(signIn(clearing), async () => (await openIds()).length.toString());
        expect(looks.filter((look) => look !== "5" && look !== "1")).toEqual([]);
        expect(looks.at(-1)).toBe("1");
      });

      it("leaves nothing open to accounts that sign in at the same time and are removed", async () => {
        await seedAda();
        const known: Person = { uid: "ada", email: "mallory@evil.test" };
        const attempts = Array.from({ length: 30 }, (_, n) =>
          signIn(n === 15 ? clearing : { ...known, ip_address: `192.0.2.${n}` }),
        );
        const outcomes = await Promise.all(attempts);
        const owner = outcomes[15]!;
        expect(owner.user.id).toBe(id(1));
        expect(await openIds()).toEqual([owner.session.session_id]);
        expect((await subject.store.identitiesOf(A, id(1))).map(({ uid }) => uid)).toEqual(["new"]);
        const mallory = (await users()).find((row) => row.email === "mallory@evil.test");
        const later = await signIn(known);
        if (mallory) expect(later.user.id).toBe(mallory.id);
        else expect(later.user.id).not.toBe(id(1));
      });

      it("clears once if two sign-ins clear at the same time", async () => {
        await seedAda();
        await Promise.all(
          (["twitter", "google"] as const).map((provider) => signIn({ ...clearing, provider, uid: provider })),
        );
        // The second one removes what the first one has added: both decide on what is there then.
        expect(await subject.store.identitiesOf(A, id(1))).toHaveLength(1);
        expect(await openIds()).toHaveLength(1);
      });
    });

    it("is visible to a reader completely or not at all", async () => {
      await subject.store.seed(records());
      const looks = await looksDuring(signIn({ uid: "new" }), async () => {
        const rows = await sessions();
        const views = await all(subject.store.users(A, {}));
        return JSON.stringify([rows?.length, views?.map((view) => view.providers)]);
      });
      expect(looks.filter((look) => !["[0,[]]", '[0,[["google"]]]', '[1,[["google"]]]'].includes(look))).toEqual([]);
      expect(looks.at(-1)).toBe('[1,[["google"]]]');
    });
  });
}
