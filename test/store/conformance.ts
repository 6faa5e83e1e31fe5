import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { copyFile, mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { setImmediate } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import type {
  IdentityRecord,
  InstanceRecord,
  PersonaRecord,
  Records,
  SessionRecord,
  StateRecord,
  UserRecord,
} from "../../src/server/store/records.ts";
import type { SignInLookup, PageOptions, SignIn, Store, UserView } from "../../src/server/store/store.ts";
import { SESSION_FIELDS, USER_FIELDS } from "../../src/wire/fields.ts";
import type { Provider } from "../../src/wire/names.ts";
import { parseQuery } from "../../src/wire/query.ts";

const START = Date.UTC(2026, 5, 1, 12);

/** Two instances that know nothing of each other. */
export const A = id(0xa);
export const B = id(0xb);

export function id(n: number): string {
  return `00000000-0000-4000-8000-${n.toString(16).padStart(12, "0")}`;
}

export function sessionId(n: number): string {
  return `svc_session_${id(n)}`;
}

export function at(seconds: number): string {
  return new Date(START + seconds * 1000).toISOString();
}

export function instance(instance_id: string, name: string): InstanceRecord {
  return {
    id: instance_id,
    app_id: `app-${name}`,
    name,
    subdomain: name,
    active: true,
    publishable_key: `pk_${name}_0123456789`,
    secret_key: `sk_${name}_0123456789abcdefghijklmnopqrstuvwxyz`,
    default_provider: "google",
    redirect_uris: [],
    connections: {},
    created_at: at(0),
  };
}

export function persona(name: string): PersonaRecord {
  return {
    id: name,
    name,
    email: `${name}@acme.test`,
    avatar_url: null,
    accounts: { google: { sub: name, email_verified: true } },
  };
}

export function user(n: number, more: Partial<UserRecord> = {}): UserRecord {
  return {
    id: id(n),
    instance_id: A,
    email: `user${n}@acme.test`,
    name: `User ${n}`,
    avatar_url: null,
    email_verified_at: null,
    password_digest: null,
    created_at: at(n),
    updated_at: at(n),
    ...more,
  };
}

export function identity(n: number, owner: UserRecord, more: Partial<IdentityRecord> = {}): IdentityRecord {
  return {
    id: id(n),
    instance_id: owner.instance_id,
    user_id: owner.id,
    provider: "google",
    uid: String(n),
    email: owner.email,
    email_verified: true,
    access_token: null,
    refresh_token: null,
    token_expires_at: null,
    created_at: owner.created_at,
    updated_at: owner.created_at,
    ...more,
  };
}

export function session(n: number, owner: UserRecord, more: Partial<SessionRecord> = {}): SessionRecord {
  return {
    id: id(n),
    session_id: sessionId(n),
    instance_id: owner.instance_id,
    user_id: owner.id,
    provider: "google",
    name: owner.name,
    email: owner.email,
    ip_address: "203.0.113.7",
    geo_data: {},
    logged_in_at: at(n),
    last_signin_at: at(n),
    revoked_at: null,
    created_at: at(n),
    ...more,
  };
}

export function state(n: number, more: Partial<StateRecord> = {}): StateRecord {
  return {
    state: n.toString(16).padStart(64, "0"),
    instance_id: A,
    provider: "google",
    redirect_uri: "http://localhost:3000/callback",
    code_verifier: null,
    binding: null,
    created_at: at(0),
    expires_at: at(600),
    ...more,
  };
}

export function records(more: Partial<Records> = {}): Records {
  return {
    instances: [instance(B, "globex"), instance(A, "acme")],
    users: [],
    identities: [],
    sessions: [],
    personas: [],
    ...more,
  };
}

interface Person {
  instance_id?: string;
  provider?: Provider;
  uid: string;
  email?: string;
  ip_address?: string;
  /** In seconds after the start. */
  time?: number;
  /** The number of the records that are made; without it they have random ids. */
  n?: number;
}

/** A sign-in by the plainest rules: the user of a known identity, the user with the same address, or a new one. */
export function arrival(person: Person): SignIn {
  const { instance_id = A, provider = "google", uid, ip_address = "203.0.113.7", time = 1000, n } = person;
  const { email = `${uid}@acme.test` } = person;
  const now = at(time);
  const newId = (): string => (n === undefined ? randomUUID() : id(n));
  return {
    instance_id,
    provider,
    uid,
    email,
    ip_address,
    resolveUser({ known, sameEmail }) {
      const found = known?.user ?? sameEmail?.user;
      const owner: UserRecord = found
        ? { ...found, updated_at: now }
        : user(time, { id: newId(), instance_id, email, name: uid });
      const link: IdentityRecord = known
        ? { ...known.identity, updated_at: now }
        : identity(time, owner, { id: newId(), provider, uid, email, created_at: now, updated_at: now });
      return { user: owner, identity: link };
    },
    openSession(owner, active) {
      if (active) return { ...active, last_signin_at: now };
      const own = newId();
      return session(time, owner, { id: own, session_id: `svc_session_${own}`, provider, ip_address });
    },
  };
}

export async function all<Row>(pages: Promise<AsyncIterable<Row[]> | undefined>): Promise<Row[] | undefined> {
  const batches = await pages;
  if (!batches) return undefined;
  const rows: Row[] = [];
  for await (const batch of batches) rows.push(...batch);
  return rows;
}

interface Content {
  instances: readonly InstanceRecord[];
  personas: readonly PersonaRecord[];
  users: UserView[];
  sessions: SessionRecord[];
}

/** All that can be read in a store, in the order in which it is read. */
export async function contentOf(store: Store): Promise<Content> {
  const content: Content = {
    instances: await store.instances(),
    personas: await store.personas(),
    users: [],
    sessions: [],
  };
  for (const tenant of [A, B]) {
    content.users.push(...(await all(store.users(tenant, {})))!);
    content.sessions.push(...(await all(store.sessions(tenant, {})))!);
  }
  return content;
}

/** Ada, Charles and Grace at Acme; another Ada at Globex. */
export function people(): Records {
  const ada = user(1, { email: "ada@acme.test", name: "Ada Lovelace", email_verified_at: at(1) });
  const charles = user(2, { email: "charles@acme.test", name: "Charles Babbage", password_digest: "digest" });
  const grace = user(3, { email: "grace@navy.test", name: "Grace Hopper", avatar_url: "https://navy.test/grace.png" });
  const other = user(4, { instance_id: B, email: "ada@acme.test", name: "Ada of Globex" });
  return records({
    users: [ada, charles, grace, other],
    identities: [
      identity(11, ada, { uid: "ada" }),
      identity(12, ada, { provider: "github", uid: "ada" }),
      identity(13, grace, { provider: "github", uid: "grace" }),
      identity(14, other, { uid: "ada" }),
    ],
    sessions: [
      session(21, ada),
      session(22, ada, { provider: "github", ip_address: "198.51.100.23", revoked_at: at(30) }),
      session(23, charles, { provider: "password" }),
      session(24, other),
    ],
    personas: [persona("mary"), persona("alan")],
  });
}

export interface StoreTraits {
  /** Whether of two calls made at once the first is done first. Default true; a server with several connections decides for itself. */
  readonly isInOrder?: boolean;
  /** A quicker way to have many states saved, by their numbers, than to save one after another. */
  readonly saveStates?: (first: number, last: number) => Promise<void>;
}

/** What every store must do, whatever it is made of; `testChanging` in `changing.ts` has the rest. */
export function testStore(name: string, open: () => Promise<Store>, traits: StoreTraits = {}): void {
  const { isInOrder = true } = traits;
  describe(`A store (${name})`, () => {
    let store: Store;
    beforeEach(async () => {
      store = await open();
    });
    afterEach(() => store.close());

    const signIn = (person: Person): ReturnType<Store["completeSignIn"]> => store.completeSignIn(arrival(person));
    const users = async (options: PageOptions = {}, tenant = A): Promise<UserRecord[] | undefined> =>
      (await all(store.users(tenant, options)))?.map((view) => view.user);
    const sessions = (options: PageOptions = {}, tenant = A): Promise<SessionRecord[] | undefined> =>
      all(store.sessions(tenant, options));

    const userIds = async (options?: PageOptions): Promise<string[] | undefined> =>
      (await users(options))?.map((row) => row.id);
    const sessionIds = async (options?: PageOptions): Promise<string[] | undefined> =>
      (await sessions(options))?.map((row) => row.session_id);
    /** Saves states with consecutive numbers, 64 at once. */
    const begin = async (first: number, last: number): Promise<void> => {
      let next = first;
      const worker = async (): Promise<void> => {
        while (next <= last) await store.saveState(state(next++));
      };
      await Promise.all(Array.from({ length: 64 }, worker));
    };

    describe("seed, instances, personas", () => {
      it("is empty at first", async () => {
        expect(await contentOf(store)).toEqual({ instances: [], personas: [], users: [], sessions: [] });
      });

      it("gives instances and personas in the order in which they were made", async () => {
        await store.seed(people());
        expect(await store.instances()).toEqual([instance(B, "globex"), instance(A, "acme")]);
        expect(await store.personas()).toEqual([persona("mary"), persona("alan")]);
      });

      it("is seeded once: a second seed is refused, and nothing of it is kept", async () => {
        await store.seed(records({ users: [user(1)] }));
        const before = await contentOf(store);
        await expect(store.seed(people())).rejects.toThrow("can't be seeded");
        expect(await contentOf(store)).toEqual(before);
      });

      it("takes one whole seed of two that come at the same time", async () => {
        const one = records({ users: [user(1)], personas: [persona("one")] });
        const two = records({ instances: [instance(A, "two")], users: [user(2)], personas: [persona("two")] });
        const outcomes = await Promise.allSettled([store.seed(one), store.seed(two)]);
        const statuses = outcomes.map((outcome) => outcome.status);
        expect(isInOrder ? statuses : statuses.toSorted()).toEqual(["fulfilled", "rejected"]);
        const taken = statuses[0] === "fulfilled" ? one : two;
        expect(await store.instances()).toEqual(taken.instances);
        expect(await store.personas()).toEqual(taken.personas);
        expect(await users()).toEqual(taken.users);
      });

      it("shows a reader all of a seed or nothing", async () => {
        // What is read later may be newer, never older.
        const looks = await looksDuring(store.seed(people()), async () => {
          const rows = [await sessions(), await users(), await store.instances()];
          return rows.map((found) => found?.length).join(" ");
        });
        expect(looks.filter((look) => !["0 0 0", "0 0 2", "0 3 2", "3 3 2"].includes(look))).toEqual([]);
        expect(looks.at(-1)).toBe("3 3 2");
      });
    });

    describe("findUser, findSession", () => {
      beforeEach(() => store.seed(people()));

      it("finds a user by id, with the providers linked to it", async () => {
        const { users: seeded } = people();
        expect(await store.findUser(A, id(1))).toEqual({ user: seeded[0], providers: ["google", "github"] });
        expect(await store.findUser(A, id(2))).toEqual({ user: seeded[1], providers: [] });
        expect(await store.findUser(B, id(4))).toEqual({ user: seeded[3], providers: ["google"] });
      });

      it("finds a session by its session_id, not by its id", async () => {
        expect(await store.findSession(A, sessionId(22))).toEqual(people().sessions[1]);
        expect(await store.findSession(A, id(22))).toBeUndefined();
      });

      it.each([
        ["a missing id", A, id(99), sessionId(99)],
        ["an empty id", A, "", ""],
        ["a record of another instance", B, id(1), sessionId(21)],
        ["an instance that does not exist", id(77), id(1), sessionId(21)],
        ["a name that objects have by themselves", A, "__proto__", "constructor"],
      ])("finds nothing for %s", async (_, tenant, user_id, session_id) => {
        expect(await store.findUser(tenant, user_id)).toBeUndefined();
        expect(await store.findSession(tenant, session_id)).toBeUndefined();
      });
    });

    describe("users", () => {
      // 5 and 3 were made in the same moment.
      const made = [4, 5, 1, 3, 2].map((n) => user(n, n === 5 ? { created_at: at(3) } : {}));
      const order = [4, 3, 5, 2, 1].map(id);

      it("gives the newest first, ties by id, and each as findUser does", async () => {
        await store.seed(records({ users: made, identities: [identity(9, made[0]!)] }));
        const listed = (await all(store.users(A, {})))!;
        expect(listed.map((view) => view.user.id)).toEqual(order);
        expect(listed).toEqual(await Promise.all(order.map((user_id) => store.findUser(A, user_id))));
      });

      it("gives pages that make up the whole, wherever they are cut", async () => {
        await store.seed(records({ users: made }));
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

      it("gives nothing behind the last, and undefined behind what is not there", async () => {
        await store.seed(records({ users: [...made, user(9, { instance_id: B })] }));
        expect(await users({ after: id(1) })).toEqual([]);
        expect(await users({ after: id(99) })).toBeUndefined();
        expect(await users({ after: id(9) })).toBeUndefined();
        expect(await users({ after: "" })).toBeUndefined();
      });

      it("pages through a search", async () => {
        await store.seed(records({ users: made }));
        const query = parseQuery("-email:user2* -email:user4*", USER_FIELDS);
        expect(await userIds({ query })).toEqual([3, 5, 1].map(id));
        expect(await userIds({ query, limit: 2 })).toEqual([3, 5].map(id));
        expect(await userIds({ query, limit: 2, after: id(5) })).toEqual([1].map(id));
        expect(await userIds({ query, after: id(4), limit: 1 })).toEqual([3].map(id));
      });

      it("gives a long list whole and in order, in several batches", async () => {
        const many = Array.from({ length: 5000 }, (_, n) => user(n, { created_at: at((n * 7919) % 5000) }));
        await store.seed(records({ users: many }));
        const batches: UserView[][] = [];
        for await (const batch of (await store.users(A, {}))!) batches.push(batch);
        expect(batches.length).toBeGreaterThan(1);
        const expected = many.toSorted((a, b) => b.created_at.localeCompare(a.created_at)).map((row) => row.id);
        expect(batches.flat().map((view) => view.user.id)).toEqual(expected);
      });

      it("never gives a user without its identities, even one that is deleted meanwhile", async () => {
        const many = Array.from({ length: 5000 }, (_, n) => user(n));
        await store.seed(records({ users: many, identities: many.map((owner, n) => identity(n, owner)) }));
        const rows: UserView[] = [];
        for await (const batch of (await store.users(A, {}))!) {
          if (rows.length === 0) await store.deleteUser(A, id(0));
          rows.push(...batch);
        }
        expect(rows.filter((view) => view.providers.length === 0)).toEqual([]);
      });
    });

    describe("sessions", () => {
      const made = [4, 5, 1, 3, 2].map((n) => session(n, user(1), n === 5 ? { last_signin_at: at(3) } : {}));
      const order = [4, 3, 5, 2, 1].map(sessionId);

      it("gives the most recent sign-in first, ties by id", async () => {
        await store.seed(records({ users: [user(1)], sessions: made }));
        expect(await sessionIds()).toEqual(order);
      });

      it("gives pages that make up the whole, wherever they are cut", async () => {
        await store.seed(records({ users: [user(1)], sessions: made }));
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

      it("gives nothing behind the last, and undefined behind what is not there", async () => {
        const foreign = user(9, { instance_id: B });
        await store.seed(records({ users: [user(1), foreign], sessions: [...made, session(9, foreign)] }));
        expect(await sessions({ after: sessionId(1) })).toEqual([]);
        expect(await sessions({ after: sessionId(99) })).toBeUndefined();
        expect(await sessions({ after: sessionId(9) })).toBeUndefined();
        expect(await sessions({ after: "" })).toBeUndefined();
      });

      it("pages through a search", async () => {
        await store.seed(people());
        const query = parseQuery("provider:g*", SESSION_FIELDS);
        expect(await sessionIds({ query })).toEqual([sessionId(22), sessionId(21)]);
        expect(await sessionIds({ query, limit: 1 })).toEqual([sessionId(22)]);
        expect(await sessionIds({ query, limit: 1, after: sessionId(22) })).toEqual([sessionId(21)]);
        expect(await sessionIds({ query, limit: 1, after: sessionId(23) })).toEqual([sessionId(22)]);
      });

      it("brings a renewed session to the top, where it stands once", async () => {
        await store.seed(people());
        const { session: renewed } = await signIn({ uid: "ada", time: 2000 });
        expect(renewed.session_id).toBe(sessionId(21));
        expect(await sessionIds()).toEqual([sessionId(21), sessionId(23), sessionId(22)]);
      });
    });

    describe("search", () => {
      it.each([
        ["email:ada@acme.test", [1]],
        ["email:ADA@ACME.TEST", [1]],
        ["email:ａｄａ@acme.test", [1]],
        ["email:ada@acme", []],
        ["email:*@acme.test", [2, 1]],
        ["name:*b*", [2]],
        ["name:gra*", [3]],
        ["name:*", [3, 2, 1]],
        ["name:a*e", []],
        ["email:ada* email:grace*", [3, 1]],
        ["email:*@acme.test name:ada*", [1]],
        ["email:ada* name:grace*", []],
        ["-email:ada*", [3, 2]],
        ["-email:ada* -email:grace*", [2]],
        ["avatar_url:null", [2, 1]],
        ["-avatar_url:null", [3]],
        ["-avatar_url:*x*", [3, 2, 1]],
        ["email_verified_at:null", [3, 2]],
        ["email_verified_at>2026-01-01", [1]],
        ["-email_verified_at:2026-06-01", [3, 2]],
        ["created_at:2026-06-01", [3, 2, 1]],
        ["created_at:2026-05-31", []],
        ["created_at>2026-06-01", [3, 2, 1]],
        ["created_at<2026-06-01", []],
        ["created_at:2026-06-01T12:00:02Z", [2]],
        ["created_at>2026-06-01T12:00:01Z created_at<2026-06-01T12:00:03Z", [2]],
        ["created_at>=2026-06-01T12:00:02Z created_at<=2026-06-01T12:00:02Z", [2]],
        ["created_at:2026-06-01T12:00:01Z created_at>2026-06-01T12:00:02Z", [3, 1]],
        ["name:(a+)+$", []],
      ])("users: %s", async (text, expected) => {
        await store.seed(people());
        const found = await users({ query: parseQuery(text, USER_FIELDS) });
        expect(found?.map((row) => row.id)).toEqual(expected.map(id));
      });

      it.each([
        ["name:100%", [1]],
        ["name:10*", [1, 2]],
        ["name:10%*", []],
        ["name:*%*", [1]],
        ["name:*_b", [3]],
        ["name:*a_*", [3]],
        ["name:a_b", [3]],
        ["name:*\\*", [4]],
        ["name:*\\", []],
        ["name:*\\x", [4]],
        ["name:*'*", [5]],
        ["name:*';--", [5]],
        ["name:*\0*", []],
        ["-name:*%*", [2, 3, 4, 5, 6]],
      ])("takes every character for itself: %s", async (query, expected) => {
        const texts = ["100%", "1000", "a_b", "a\\x", "';--", "axb"];
        const named = texts.map((text, n) => user(n + 1, { name: text, created_at: at(-n) }));
        await store.seed(records({ users: named }));
        expect(await userIds({ query: parseQuery(query, USER_FIELDS) })).toEqual(expected.map(id));
      });

      it.each([
        ["provider:password", [23]],
        ["provider:g*", [22, 21]],
        ["ip_address:198.51.*", [22]],
        ["revoked_at:null", [23, 21]],
        ["-revoked_at:null", [22]],
        ["active:true", [23, 21]],
        ["active:false", [22]],
        ["-active:true", [22]],
        ["active:true active:false", [23, 22, 21]],
        ["active:true revoked_at>=2020-01-01", []],
        ["active:false revoked_at>=2020-01-01", [22]],
        [`user_id:${id(1)}`, [22, 21]],
        [`session_id:${sessionId(23)}`, [23]],
      ])("sessions: %s", async (text, expected) => {
        await store.seed(people());
        const found = await sessions({ query: parseQuery(text, SESSION_FIELDS) });
        expect(found?.map((row) => row.session_id)).toEqual(expected.map(sessionId));
      });
    });

    describe("deleteUser", () => {
      beforeEach(() => store.seed(people()));

      it("removes the user, its identities and its sessions, and nothing else", async () => {
        const { users: seeded, sessions: opened } = people();
        expect(await store.deleteUser(A, id(1))).toBe(true);
        expect(await store.findUser(A, id(1))).toBeUndefined();
        expect(await store.findSession(A, sessionId(21))).toBeUndefined();
        expect(await users()).toEqual([seeded[2], seeded[1]]);
        expect(await sessions()).toEqual([opened[2]]);
        expect(await users({}, B)).toEqual([seeded[3]]);
        expect(await sessions({}, B)).toEqual([opened[3]]);
      });

      it("is false the second time, for a missing user, and for another instance's, which stays", async () => {
        const before = await contentOf(store);
        expect(await store.deleteUser(B, id(1))).toBe(false);
        expect(await store.deleteUser(A, id(99))).toBe(false);
        expect(await contentOf(store)).toEqual(before);
        expect(await store.deleteUser(A, id(1))).toBe(true);
        expect(await store.deleteUser(A, id(1))).toBe(false);
      });

      it("is true for one of a hundred that ask at the same time", async () => {
        const answers = await Promise.all(Array.from({ length: 100 }, () => store.deleteUser(A, id(1))));
        expect(answers.filter(Boolean)).toEqual([true]);
      });

      it("frees the address and the uid: who comes back is somebody new", async () => {
        await store.deleteUser(A, id(1));
        const found: SignInLookup[] = [];
        const plain = arrival({ uid: "ada", email: "ada@acme.test" });
        const { user: fresh } = await store.completeSignIn({
          ...plain,
          resolveUser(lookup) {
            found.push(lookup);
            return plain.resolveUser(lookup);
          },
        });
        expect(found).toEqual([{}]);
        expect(fresh.id).not.toBe(id(1));
        expect(await store.findUser(A, fresh.id)).toEqual({ user: fresh, providers: ["google"] });
      });

      const returning: [string, Person, "before" | "after"][] = [
        ["by a known identity just before it", { uid: "ada", email: "other@acme.test" }, "before"],
        ["by a known identity just after it", { uid: "ada", email: "ada@acme.test" }, "after"],
        ["by the same address just before it", { uid: "9", email: "ada@acme.test" }, "before"],
        ["by the same address just after it", { uid: "9", email: "ada@acme.test" }, "after"],
      ];
      it.each(returning)("leaves nothing half there when the person signs in %s", async (_, person, when) => {
        const steps = [(): Promise<unknown> => signIn(person), (): Promise<unknown> => store.deleteUser(A, id(1))];
        await Promise.all((when === "before" ? steps : steps.toReversed()).map((step) => step()));
        const others = [id(3), id(2)];
        const views = (await all(store.users(A, {})))!.filter((view) => !others.includes(view.user.id));
        const found = views.map((view) => [view.user.id === id(1), view.providers]);
        const [gone, anew] = [[], [[false, ["google"]]]];
        if (isInOrder) expect(found).toEqual(when === "before" ? gone : anew);
        else expect([gone, anew]).toContainEqual(found);
        const owners = (await sessions())!.map((row) => row.user_id).filter((owner) => !others.includes(owner));
        expect(owners).toEqual(views.map((view) => view.user.id));
      });
    });

    describe("saveState, takeState", () => {
      it("gives a state back as it was, once", async () => {
        const record = state(1, { provider: "twitter", code_verifier: "verifier", binding: "hash" });
        await store.saveState(record);
        expect(await store.takeState(record.state)).toEqual(record);
        expect(await store.takeState(record.state)).toBeUndefined();
      });

      it("knows nothing of a state that was never saved", async () => {
        await store.saveState(state(1));
        expect(await store.takeState(state(2).state)).toBeUndefined();
        expect(await store.takeState("")).toBeUndefined();
        expect(await store.takeState("__proto__")).toBeUndefined();
      });

      it("gives it to one of a hundred that take it at the same time", async () => {
        await store.saveState(state(1));
        const taken = await Promise.all(Array.from({ length: 100 }, () => store.takeState(state(1).state)));
        expect(taken.filter((record) => record !== undefined)).toEqual([state(1)]);
      });

      it("drops what has expired when another is saved, and nothing before", async () => {
        const begun = (n: number, seconds: number): StateRecord =>
          state(n, { created_at: at(seconds), expires_at: at(seconds + 600) });
        await store.saveState(begun(1, 0));
        await store.saveState(begun(2, 1));
        await store.saveState(begun(3, 599));
        expect(await store.takeState(state(1).state)).toEqual(begun(1, 0));
        await store.saveState(begun(4, 600));
        expect(await store.takeState(state(2).state)).toEqual(begun(2, 1));
        await store.saveState(begun(5, 1199));
        expect(await store.takeState(state(3).state)).toBeUndefined();
        expect(await store.takeState(state(4).state)).toEqual(begun(4, 600));
        expect(await store.takeState(state(5).state)).toEqual(begun(5, 1199));
      });

      it("drops an instance's oldest where it has begun too many, and none of another's", async () => {
        await store.saveState(state(0, { instance_id: B }));
        await (traits.saveStates ?? begin)(1, 50_000);
        await begin(50_001, 51_000);
        expect(await store.takeState(state(1).state)).toBeUndefined();
        expect(await store.takeState(state(51_000).state)).toEqual(state(51_000));
        expect(await store.takeState(state(0).state)).toEqual(state(0, { instance_id: B }));
      }, 20_000);
    });

    describe("completeSignIn", () => {
      const seeing = (person: Person, found: unknown[]): SignIn => {
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

      it("writes user, identity and session, and answers with what it wrote", async () => {
        await store.seed(records());
        const { user: fresh, session: opened } = await signIn({ uid: "new" });
        expect(fresh).toMatchObject({ email: "new@acme.test", instance_id: A });
        expect(opened).toMatchObject({ user_id: fresh.id, ip_address: "203.0.113.7", provider: "google" });
        expect(await store.findUser(A, fresh.id)).toEqual({ user: fresh, providers: ["google"] });
        expect(await store.findSession(A, opened.session_id)).toEqual(opened);
      });

      const { users: seeded, identities } = people();
      const ada = { user: seeded[0]!, identities: [identities[0]!, identities[1]!] };
      it.each<[string, Person, SignInLookup]>([
        ["nobody", { uid: "new" }, {}],
        [
          "a known identity",
          { uid: "ada", email: "x@y.test" },
          { known: { user: ada.user, identity: identities[0]! } },
        ],
        [
          "a known identity, with the address of somebody else",
          { uid: "ada", email: "grace@navy.test" },
          { known: { user: ada.user, identity: identities[0]! } },
        ],
        ["the same address", { uid: "2", email: "ada@acme.test" }, { sameEmail: ada }],
        ["the same address, written otherwise", { uid: "2", email: "ＡＤＡ@Acme.test" }, { sameEmail: ada }],
        ["the same uid at another provider", { uid: "grace", provider: "google", email: "grace@other.test" }, {}],
        [
          "another instance's people only by its own",
          { instance_id: B, uid: "grace", provider: "github", email: "grace@navy.test" },
          {},
        ],
        [
          "the same identity and address in another instance",
          { instance_id: B, uid: "ada", email: "ada@acme.test" },
          { known: { user: seeded[3]!, identity: identities[3]! } },
        ],
      ])("is told of %s", async (_, person, expected) => {
        await store.seed(people());
        const found: unknown[] = [];
        await store.completeSignIn(seeing(person, found));
        expect(found[0]).toEqual(expected);
      });

      it.each<[string, Person, string | undefined]>([
        ["of the same provider and address", { uid: "ada" }, sessionId(21)],
        ["but not from another address", { uid: "ada", ip_address: "192.0.2.1" }, undefined],
        ["but not a revoked one", { uid: "ada", provider: "github", ip_address: "198.51.100.23" }, undefined],
        ["but not of another provider", { uid: "ada", provider: "github" }, undefined],
        ["but not of another user", { uid: "grace", provider: "github" }, undefined],
      ])("is given the active session %s", async (_, person, expected) => {
        await store.seed(people());
        const found: unknown[] = [];
        await store.completeSignIn(seeing(person, found));
        expect(found[1]).toBe(expected);
      });

      it.each(["resolveUser", "openSession"] as const)("writes nothing where %s throws", async (step) => {
        await store.seed(people());
        const before = await contentOf(store);
        const refusal = new Error("refused");
        const refuse = (): never => {
          throw refusal;
        };
        const grace: Person = { uid: "grace", provider: "github" };
        const refused = [{ uid: "new" }, grace].map((person) =>
          store.completeSignIn({ ...arrival(person), [step]: refuse }),
        );
        const [other, ...errors] = await Promise.all([signIn(grace), ...refused.map((call) => call.catch(String))]);
        expect(errors).toEqual([String(refusal), String(refusal)]);
        expect(await contentOf(store)).toEqual({
          ...before,
          users: before.users.map((view) => (view.user.id === id(3) ? { ...view, user: other.user } : view)),
          sessions: [other.session, ...before.sessions],
        });
      });

      it("names a user's providers with the oldest link first, each once, however often one is used", async () => {
        await store.seed(records());
        const { user: fresh } = await signIn({ uid: "1", email: "x@acme.test" });
        await signIn({ uid: "2", provider: "github", email: "x@acme.test" });
        await signIn({ uid: "3", email: "x@acme.test" });
        await signIn({ uid: "1" });
        expect((await store.findUser(A, fresh.id))?.providers).toEqual(["google", "github"]);
      });

      it("lists a user once that a sign-in left as it was", async () => {
        await store.seed(people());
        const plain = arrival({ uid: "ada" });
        await store.completeSignIn({
          ...plain,
          resolveUser: ({ known }) => known!,
          openSession: (_, active) => active!,
        });
        expect((await users())?.map((row) => row.id)).toEqual([3, 2, 1].map(id));
        expect((await sessions())?.map((row) => row.session_id)).toEqual([23, 22, 21].map(sessionId));
        expect((await store.findUser(A, id(1)))?.providers).toEqual(["google", "github"]);
      });

      it("makes one user and one session of an identity that signs in fifty times at once, with two addresses", async () => {
        await store.seed(records());
        const outcomes = await Promise.all(
          Array.from({ length: 50 }, (_, n) => signIn({ uid: "new", email: `${n % 2}@acme.test` })),
        );
        expect(new Set(outcomes.map((outcome) => outcome.user.id)).size).toBe(1);
        expect((await users())?.length).toBe(1);
        expect((await sessions())?.length).toBe(1);
      });

      it("makes one user of one address that comes from three providers at once, however it is written", async () => {
        await store.seed(records());
        await Promise.all([
          signIn({ uid: "1", provider: "google", email: "new@acme.test" }),
          signIn({ uid: "2", provider: "github", email: "NEW@acme.test" }),
          signIn({ uid: "3", provider: "twitter", email: "ｎｅｗ@acme.test" }),
        ]);
        const views = (await all(store.users(A, {})))!;
        const inSomeOrder = views.map((view) => (isInOrder ? view.providers : view.providers.toSorted()));
        expect(inSomeOrder).toEqual([isInOrder ? ["google", "github", "twitter"] : ["github", "google", "twitter"]]);
        expect((await sessions())?.map((row) => row.user_id)).toEqual(Array(3).fill(views[0]?.user.id));
      });

      it("makes fifty users of fifty identities that sign in a thousand times, 64 at once", async () => {
        await store.seed(records());
        const queue = Array.from({ length: 1000 }, (_, n) => ({ uid: String((n * 7) % 50) }));
        const worker = async (): Promise<void> => {
          for (let person = queue.pop(); person; person = queue.pop()) await signIn(person);
        };
        await Promise.all(Array.from({ length: 64 }, worker));
        expect((await users())?.map((row) => row.name).toSorted()).toEqual(
          Array.from({ length: 50 }, (_, n) => String(n)).toSorted(),
        );
        expect((await sessions())?.length).toBe(50);
      });

      it("keeps one person at two instances apart", async () => {
        await store.seed(records());
        const [here, there] = await Promise.all([A, B].map((tenant) => signIn({ instance_id: tenant, uid: "new" })));
        expect(await users({}, A)).toEqual([here?.user]);
        expect(await users({}, B)).toEqual([there?.user]);
        expect(await store.findSession(A, there!.session.session_id)).toBeUndefined();
        expect(here?.user.id).not.toBe(there?.user.id);
      });

      it("shows a reader all of a sign-in or nothing", async () => {
        await store.seed(records());
        const looks = await looksDuring(signIn({ uid: "new" }), async () => {
          const rows = await sessions();
          const views = await all(store.users(A, {}));
          return JSON.stringify([rows?.length, views?.map((view) => view.providers)]);
        });
        expect(looks.filter((look) => !["[0,[]]", '[0,[["google"]]]', '[1,[["google"]]]'].includes(look))).toEqual([]);
        expect(looks.at(-1)).toBe('[1,[["google"]]]');
      });
    });
  });
}

/** What a reader sees while something is under way, and once after it. */
async function looksDuring(work: Promise<unknown>, look: () => Promise<string>): Promise<string[]> {
  const looks = [await look()];
  const progress = { done: false };
  const ended = work.finally(() => (progress.done = true));
  while (!progress.done) {
    looks.push(await look());
    await setImmediate();
  }
  await ended;
  return [...looks, await look()];
}

/** A directory for one test. */
export async function temporaryDirectory(): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), "svc-store-"));
  onTestFinished(() => rm(path, { recursive: true, force: true }));
  return path;
}

/** A store's files as they are now, elsewhere: what a crash in this moment leaves. */
export async function abandoned(path: string): Promise<string> {
  const copy = join(await temporaryDirectory(), "db.json");
  for (const entry of await readdir(dirname(path), { withFileTypes: true })) {
    const { name } = entry;
    if (entry.isFile() && name.startsWith("db.")) await copyFile(join(dirname(path), name), join(dirname(copy), name));
  }
  return copy;
}

const SCRIPT = `
import { createInterface } from "node:readline";
import { serve } from "svc-identity/server";
const warnings = [];
let server;
for await (const line of createInterface({ input: process.stdin })) {
  let refusal;
  try {
    if (line === "serve") server = await serve({ store: process.argv[1], port: 0, warn: (text) => warnings.push(text) });
    if (line === "close") await server?.close().finally(() => (server = undefined));
  } catch ({ name, reason, message }) {
    refusal = { name, reason, message };
  }
  const { port, instances } = server ?? {};
  console.log(JSON.stringify({ pid: process.pid, url: "http://127.0.0.1:" + port, instances, warnings, refusal }));
}
process.exit();
`;

export interface Answer {
  readonly pid: number;
  readonly url: string;
  readonly instances: readonly InstanceRecord[];
  readonly warnings: readonly string[];
  /** Why the command was not done. */
  readonly refusal?: { readonly name: string; readonly reason?: string; readonly message: string };
}

interface OtherProcess {
  ask(command: "serve" | "close" | "report"): Promise<Answer>;
  /** By SIGKILL: nothing is put in order. */
  kill(): Promise<void>;
}

/** Another process, with the package as it was built, that can serve a store; `under` is a command that runs it. */
export async function startProcess(store: string, under: readonly string[] = []): Promise<OtherProcess> {
  const [command, ...args] = [...under, process.execPath, "--input-type=module", "-e", SCRIPT, store];
  const child = spawn(command!, args, { cwd: new URL("../..", import.meta.url), stdio: ["pipe", "pipe", "inherit"] });
  const exited = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  const output = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const ask: OtherProcess["ask"] = async (line) => {
    child.stdin.write(`${line}\n`);
    const { value, done } = await output.next();
    if (done) throw new Error("the other process has ended");
    return JSON.parse(value) as Answer;
  };
  const { pid } = await ask("report");
  const kill = async (): Promise<void> => {
    if (child.exitCode === null && child.signalCode === null) process.kill(pid, "SIGKILL");
    await exited;
  };
  onTestFinished(kill);
  return { ask, kill };
}
