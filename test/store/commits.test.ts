import { rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { setImmediate } from "node:timers/promises";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Commits, type Log, type Operation } from "../../src/server/store/json/commits.ts";
import { Document, type Change } from "../../src/server/store/json/document.ts";
import { openJsonStore } from "../../src/server/store/json/index.ts";
import { StorageUnavailable, type Store } from "../../src/server/store/store.ts";
import {
  A,
  abandoned,
  arrival,
  at,
  B,
  contentOf,
  id,
  persona,
  records,
  state,
  temporaryDirectory,
} from "./conformance.ts";

/** A log that writes when it is let, and fails when it is told to. */
class HeldLog implements Log {
  readonly groups: (readonly Change[])[] = [];
  readonly #held: ((error?: Error) => void)[] = [];

  append(changes: readonly Change[]): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#held.push((error) => {
        if (error) return reject(error);
        this.groups.push(changes);
        resolve();
      });
    });
  }

  async replace(_: Document, publish: () => void): Promise<void> {
    publish();
  }

  /** Lets the group that waits go, once there is one, and those that follow from it be taken up. */
  async next(error?: Error): Promise<void> {
    while (this.#held.length === 0) await setImmediate();
    this.#held.shift()!(error);
    await setImmediate();
  }

  get isIdle(): boolean {
    return this.#held.length === 0;
  }
}

/** Adds one to the number that stands at each of the keys, and answers with what it made of the first. */
function count(document: Document, keys: readonly string[]): Operation<number> {
  const numberAt = (key: string): number => Number(document.tables.personas.get(key)?.name ?? 0);
  return {
    keys: () => keys,
    run: () => ({
      changes: keys.map((key): Change => ["put", "personas", { ...persona(key), name: String(numberAt(key) + 1) }]),
      result: numberAt(keys[0] ?? "") + 1,
    }),
  };
}

function begin(): { document: Document; log: HeldLog; commits: Commits } {
  const document = new Document();
  const log = new HeldLog();
  return { document, log, commits: new Commits(document, log) };
}

describe("A group of operations", () => {
  it("is written at once: first those of one turn, then all that came meanwhile", async () => {
    const { document, log, commits } = begin();
    const first = [commits.commit(count(document, ["a"])), commits.commit(count(document, ["b"]))];
    await setImmediate();
    const second = Array.from({ length: 100 }, (_, n) => commits.commit(count(document, [String(n)])));
    await log.next();
    await log.next();
    expect(await Promise.all([...first, ...second])).toEqual(Array(102).fill(1));
    expect(log.groups.map((group) => group.length)).toEqual([2, 100]);
  });

  it("holds no more than 1024, and the rest follow", async () => {
    const { document, log, commits } = begin();
    const all = Array.from({ length: 2500 }, (_, n) => commits.commit(count(document, [String(n)])));
    for (let n = 0; n < 3; n++) await log.next();
    await Promise.all(all);
    expect(log.groups.map((group) => group.length)).toEqual([1024, 1024, 452]);
  });

  it("is seen by nobody before it is written", async () => {
    const { document, log, commits } = begin();
    let answered = false;
    const call = commits.commit(count(document, ["a"])).then(() => (answered = true));
    for (let n = 0; n < 5; n++) await setImmediate();
    expect([answered, document.tables.personas.size]).toEqual([false, 0]);
    await log.next();
    await call;
    expect(document.tables.personas.size).toBe(1);
  });

  it("holds one operation of each key: the next one decides on what the first has written", async () => {
    const { document, log, commits } = begin();
    const calls = [["a"], ["a", "b"], ["b"], ["c"]].map((keys) => commits.commit(count(document, keys)));
    for (let n = 0; n < 3; n++) await log.next();
    expect(await Promise.all(calls)).toEqual([1, 2, 2, 1]);
    // The third waits for the second, although nobody has written its key yet.
    expect(log.groups.map((group) => group.length)).toEqual([2, 2, 1]);
  });

  it("needs no write where nothing changes", async () => {
    const { log, commits } = begin();
    expect(await commits.commit({ keys: () => [], run: () => ({ changes: [], result: "read" }) })).toBe("read");
    expect(log.isIdle).toBe(true);
  });

  it("is refused as a whole where it can't be written, and leaves the document as it was", async () => {
    const { document, log, commits } = begin();
    const failure = new StorageUnavailable("disk full");
    const calls = ["a", "b"].map((key) => commits.commit(count(document, [key])));
    const refusals = Promise.allSettled(calls);
    await setImmediate();
    const later = ["a", "c"].map((key) => commits.commit(count(document, [key])));
    await log.next(failure);
    expect(await refusals).toEqual(calls.map(() => ({ status: "rejected", reason: failure })));
    expect(document.isEmpty).toBe(true);
    await log.next();
    expect(await Promise.all(later)).toEqual([1, 1]);
    expect([...document.tables.personas.keys()]).toEqual(["a", "c"]);
  });

  it.each(["keys", "run"] as const)("goes on without an operation whose %s throws", async (part) => {
    const { document, log, commits } = begin();
    const failure = new Error("refused");
    const refuse = (): never => {
      throw failure;
    };
    const before = commits.commit(count(document, ["a"]));
    const refused = commits.commit({ ...count(document, ["a"]), keys: () => ["x"], [part]: refuse }).catch(String);
    const after = commits.commit(count(document, ["b"]));
    await setImmediate();
    expect(log.isIdle).toBe(false);
    await log.next();
    expect(await Promise.all([before, refused, after])).toEqual([1, String(failure), 1]);
  });

  it("is waited for by who asks when all is settled", async () => {
    const { document, log, commits } = begin();
    let settled = false;
    const calls = ["a", "a"].map((key) => commits.commit(count(document, [key])));
    const waiting = commits.settled().then(() => (settled = true));
    await log.next();
    expect(settled).toBe(false);
    await log.next();
    await Promise.all([...calls, waiting]);
    expect(document.tables.personas.get("a")?.name).toBe("2");
    await commits.settled();
  });

  it("keeps each key's order, loses no update, and holds what was written, whatever fails", async () => {
    const keys = fc.uniqueArray(fc.constantFrom("a", "b", "c", "d"), { minLength: 1, maxLength: 3 });
    const turn = fc.record({ operations: fc.array(keys, { maxLength: 6 }), fails: fc.boolean() });
    await fc.assert(
      fc.asyncProperty(fc.array(turn, { maxLength: 12 }), async (turns) => {
        const { document, log, commits } = begin();
        const answers: { key: string; result: number }[] = [];
        const calls: Promise<void>[] = [];
        for (const { operations, fails } of turns) {
          for (const names of operations) {
            const call = commits.commit(count(document, names));
            calls.push(
              call.then(
                (result) => void answers.push({ key: names[0]!, result }),
                () => undefined,
              ),
            );
          }
          await setImmediate();
          if (!log.isIdle) await log.next(fails ? new Error("failed") : undefined);
        }
        while (!log.isIdle) await log.next();
        await Promise.all(calls);

        const written = new Document();
        for (const change of log.groups.flat()) written.apply(change);
        expect([...document.tables.personas]).toEqual([...written.tables.personas]);
        for (const key of ["a", "b", "c", "d"]) {
          const times = log.groups.flat().filter(([, , record]) => (record as { id: string }).id === key).length;
          expect(Number(document.tables.personas.get(key)?.name ?? 0)).toBe(times);
          const results = answers.filter((answer) => answer.key === key).map((answer) => answer.result);
          expect(results).toEqual(results.toSorted((a, b) => a - b));
          expect(new Set(results).size).toBe(results.length);
        }
      }),
    );
  });
});

type Action =
  | { kind: "sign-in"; tenant: string; uid: string; provider: "google" | "github"; email: string; ip_address: string }
  | { kind: "delete"; tenant: string; nth: number }
  | { kind: "save" }
  | { kind: "take"; nth: number };
type Command = { kind: "act"; actions: Action[] } | { kind: "close" } | { kind: "crash" };

const tenant = fc.constantFrom(A, B);
const small = fc.nat({ max: 3 });
const kind = <Kind extends string>(name: Kind): fc.Arbitrary<Kind> => fc.constant(name);
const action: fc.Arbitrary<Action> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      kind: kind("sign-in"),
      tenant,
      uid: small.map(String),
      provider: fc.constantFrom("google" as const, "github" as const),
      email: small.map((n) => `${n}@acme.test`),
      ip_address: fc.constantFrom("192.0.2.1", "192.0.2.2"),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: kind("delete"), tenant, nth: small }) },
  { weight: 1, arbitrary: fc.record({ kind: kind("save") }) },
  { weight: 1, arbitrary: fc.record({ kind: kind("take"), nth: small }) },
);
const command: fc.Arbitrary<Command> = fc.oneof(
  { weight: 8, arbitrary: fc.record({ kind: kind("act"), actions: fc.array(action, { minLength: 1, maxLength: 5 }) }) },
  { weight: 1, arbitrary: fc.record({ kind: kind("close") }) },
  { weight: 1, arbitrary: fc.record({ kind: kind("crash") }) },
);

/** What a store should hold, by lists and loops alone. */
class Model {
  users: { id: string; tenant: string; email: string; made: number; seen: number }[] = [];
  identities: { user: string; tenant: string; provider: string; uid: string }[] = [];
  sessions: { id: string; user: string; tenant: string; provider: string; ip: string; last: number }[] = [];
  states: string[] = [];

  /** Who is deleted, or which state is taken. */
  subjectOf(now: Action): string {
    if (now.kind === "take") return this.states[now.nth] ?? "";
    return (now.kind === "delete" && this.usersOf(now.tenant)[now.nth]?.id) || "";
  }

  act(now: Action, n: number, subject: string): unknown {
    if (now.kind === "save") return void this.states.push(state(n).state);
    if (now.kind === "take") {
      const isThere = this.states.includes(subject);
      this.states = this.states.filter((row) => row !== subject);
      return isThere;
    }
    if (now.kind === "delete") {
      const { length } = this.users;
      this.users = this.users.filter((row) => row.id !== subject);
      this.identities = this.identities.filter((row) => row.user !== subject);
      this.sessions = this.sessions.filter((row) => row.user !== subject);
      return this.users.length < length;
    }
    const here = this.users.filter((row) => row.tenant === now.tenant);
    const known = this.identities.find(
      (row) => row.tenant === now.tenant && row.provider === now.provider && row.uid === now.uid,
    );
    let user = here.find((row) => (known ? row.id === known.user : row.email === now.email));
    if (!user) this.users.push((user = { id: id(n), tenant: now.tenant, email: now.email, made: n, seen: n }));
    user.seen = n;
    const { id: owner } = user;
    if (!known) this.identities.push({ user: owner, tenant: now.tenant, provider: now.provider, uid: now.uid });
    let session = this.sessions.find(
      (row) => row.user === owner && row.provider === now.provider && row.ip === now.ip_address,
    );
    if (!session) {
      session = { id: id(n), user: owner, tenant: now.tenant, provider: now.provider, ip: now.ip_address, last: n };
      this.sessions.push(session);
    }
    session.last = n;
    return [owner, session.id];
  }

  usersOf(name: string): Model["users"] {
    return this.users.filter((row) => row.tenant === name).toSorted((a, b) => b.made - a.made);
  }

  get content(): unknown {
    const sessions = [A, B].flatMap((name) =>
      this.sessions.filter((row) => row.tenant === name).toSorted((a, b) => b.last - a.last),
    );
    return {
      users: [A, B].flatMap((name) =>
        this.usersOf(name).map((row) => [
          row.id,
          row.email,
          at(row.seen),
          [...new Set(this.identities.filter((one) => one.user === row.id).map((one) => one.provider))].toSorted(),
        ]),
      ),
      sessions: sessions.map((row) => [row.id, row.user, row.provider, row.ip, at(row.last)]),
    };
  }
}

async function act(store: Store, now: Action, n: number, subject: string): Promise<unknown> {
  if (now.kind === "save") return store.saveState(state(n));
  if (now.kind === "take") return (await store.takeState(subject)) !== undefined;
  if (now.kind === "delete") return store.deleteUser(now.tenant, subject);
  const { tenant: instance_id, uid, provider, email, ip_address } = now;
  const { user, session } = await store.completeSignIn(
    arrival({ instance_id, uid, provider, email, ip_address, time: n, n }),
  );
  return [user.id, session.id];
}

async function seen(store: Store): Promise<unknown> {
  const { users, sessions } = await contentOf(store);
  return {
    users: users.map(({ user, providers }) => [user.id, user.email, user.updated_at, providers.toSorted()]),
    sessions: sessions.map((row) => [row.id, row.user_id, row.provider, row.ip_address, row.last_signin_at]),
  };
}

it("A JSON store does what a list of records does, opened anew and crashed in between", async () => {
  const warnings: string[] = [];
  const open = (path: string): Promise<Store> => openJsonStore(path, { warn: (message) => warnings.push(message) });
  await fc.assert(
    fc.asyncProperty(fc.array(command, { size: "max", maxLength: 25 }), async (commands) => {
      let path = join(await temporaryDirectory(), "db.json");
      let store = await open(path);
      const model = new Model();
      await store.seed(records());
      let n = 0;
      for (const next of commands) {
        if (next.kind === "act") {
          // Each call is made before the one before it is answered; what is deleted or taken was there before.
          const subjects = next.actions.map((now) => model.subjectOf(now));
          const calls = next.actions.map((now, index) => {
            const call = act(store, now, ++n, subjects[index]!);
            return [call, model.act(now, n, subjects[index]!)] as const;
          });
          expect(await Promise.all(calls.map(([call]) => call))).toEqual(calls.map(([, expected]) => expected));
        } else {
          const copy = next.kind === "crash" ? await abandoned(path) : path;
          await store.close();
          path = copy;
          store = await open(path);
        }
        expect(await seen(store)).toEqual(model.content);
      }
      const left = await Promise.all(Array.from({ length: n }, (_, index) => store.takeState(state(index + 1).state)));
      expect(left.flatMap((record) => record?.state ?? [])).toEqual(model.states);
      await store.close();
      await rm(dirname(path), { recursive: true });
      expect(warnings).toEqual([]);
    }),
    { numRuns: 25 },
  );
}, 120_000);
