import { isDeepStrictEqual } from "node:util";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Store } from "../../src/server/store/store.ts";
import { A, arrival, at, B, contentOf, id, records, state } from "./_records.ts";

/** An empty store for one history. */
export interface Subject {
  readonly store: Store;
  /** Closes and reopens it. */
  reopen(): Promise<Store>;
  /** Opens the present files, as if the process that had them were gone. */
  crash(): Promise<Store>;
  end(): Promise<void>;
}

export interface ModelOptions {
  readonly histories: number;
  /** The maximum. */
  readonly steps: number;
}

type Action =
  | {
      kind: "sign-in";
      tenant: string;
      uid: string;
      provider: "google" | "github";
      email: string;
      ip_address: string;
      clears: boolean;
    }
  | { kind: "delete"; tenant: string; nth: number }
  | { kind: "save" }
  | { kind: "take"; nth: number };

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
      clears: fc.boolean(),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: kind("delete"), tenant, nth: small }) },
  { weight: 1, arbitrary: fc.record({ kind: kind("save") }) },
  { weight: 1, arbitrary: fc.record({ kind: kind("take"), nth: small }) },
);

/** The expected content of a store, by lists and loops only. */
class Model {
  users: { id: string; tenant: string; email: string; made: number; seen: number }[] = [];
  identities: { user: string; tenant: string; provider: string; uid: string }[] = [];
  sessions: {
    id: string;
    user: string;
    tenant: string;
    provider: string;
    ip: string;
    last: number;
    revoked?: number;
  }[] = [];
  states: string[] = [];

  copy(): Model {
    const { users, identities, sessions, states } = this;
    return Object.assign(new Model(), structuredClone({ users, identities, sessions, states }));
  }

  /** The deleted user or the taken state. */
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
    if (!known && user.made !== n && now.clears) {
      this.identities = this.identities.filter((row) => row.user !== owner);
      for (const row of this.sessions) if (row.user === owner) row.revoked ??= n;
    }
    if (!known) this.identities.push({ user: owner, tenant: now.tenant, provider: now.provider, uid: now.uid });
    let session = this.sessions.find(
      (row) =>
        row.user === owner && row.provider === now.provider && row.ip === now.ip_address && row.revoked === undefined,
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
      sessions: sessions.map(({ revoked, ...row }) => [
        row.id,
        row.user,
        row.provider,
        row.ip,
        at(row.last),
        revoked === undefined ? null : at(revoked),
      ]),
    };
  }
}

async function act(store: Store, now: Action, n: number, subject: string): Promise<unknown> {
  if (now.kind === "save") return store.saveState(state(n));
  if (now.kind === "take") return (await store.takeState(subject)) !== undefined;
  if (now.kind === "delete") return store.deleteUser(now.tenant, subject);
  const { tenant: instance_id, uid, provider, email, ip_address, clears } = now;
  const { user, session } = await store.completeSignIn(
    arrival({ instance_id, uid, provider, email, ip_address, clears, time: n, n }),
  );
  return [user.id, session.id];
}

async function seen(store: Store): Promise<unknown> {
  const { users, sessions } = await contentOf(store);
  return {
    users: users.map(({ user, providers }) => [user.id, user.email, user.updated_at, providers.toSorted()]),
    sessions: sessions.map((row) => [
      row.id,
      row.user_id,
      row.provider,
      row.ip_address,
      row.last_signin_at,
      row.revoked_at,
    ]),
  };
}

interface Real {
  readonly subject: Subject;
  store: Store;
  /** The number of the last action. */
  n: number;
}
type Step = fc.AsyncCommand<Model, Real>;

async function agrees(model: Model, { store }: Real): Promise<void> {
  expect(await seen(store)).toEqual(model.content);
}

/** A call and its result. */
interface Answered {
  readonly now: Action;
  readonly n: number;
  readonly subject: string;
  readonly answer: unknown;
}

function* ordersOf<T>(items: readonly T[]): Iterable<readonly T[]> {
  if (items.length === 0) yield [];
  for (const [place, item] of items.entries()) {
    for (const rest of ordersOf(items.toSpliced(place, 1))) yield [item, ...rest];
  }
}

/** Simultaneous calls may run in any order that explains all results and the final content. */
function explain(model: Model, calls: readonly Answered[], content: unknown): void {
  for (const order of ordersOf(calls)) {
    const after = model.copy();
    const isSo = order.every(({ now, n, subject, answer }) => isDeepStrictEqual(after.act(now, n, subject), answer));
    if (isSo && isDeepStrictEqual(after.content, content)) return void Object.assign(model, after);
  }
  throw new Error(`no order explains ${JSON.stringify(calls)} and ${JSON.stringify(content)}`);
}

/** Simultaneous actions on users chosen before the first. `turn` says when each starts. */
async function actAtOnce(
  model: Model,
  real: Real,
  actions: readonly Action[],
  turn: () => Promise<unknown> = () => Promise.resolve(),
): Promise<void> {
  const calls = actions.map(async (now): Promise<Answered> => {
    const n = ++real.n;
    const subject = model.subjectOf(now);
    await turn();
    return { now, n, subject, answer: await act(real.store, now, n, subject) };
  });
  explain(model, await Promise.all(calls), await seen(real.store));
}

class Acts implements Step {
  readonly actions: readonly Action[];

  constructor(actions: readonly Action[]) {
    this.actions = actions;
  }

  check(): boolean {
    return true;
  }

  run(model: Model, real: Real): Promise<void> {
    return actAtOnce(model, real, this.actions);
  }

  toString(): string {
    return this.actions.map((now) => JSON.stringify(now)).join(" & ");
  }
}

class Restart implements Step {
  readonly kind: "reopen" | "crash";

  constructor(kind_: "reopen" | "crash") {
    this.kind = kind_;
  }

  check(): boolean {
    return true;
  }

  async run(model: Model, real: Real): Promise<void> {
    real.store = await real.subject[this.kind]();
    await agrees(model, real);
  }

  toString(): string {
    return this.kind;
  }
}

async function withSubject(open: () => Promise<Subject>, use: (real: Real) => Promise<void>): Promise<void> {
  const subject = await open();
  try {
    await subject.store.seed(records());
    await use({ subject, store: subject.store, n: 0 });
  } finally {
    await subject.end();
  }
}

/** The contract of every store against a model; `open` gives a new store each time. */
export function testModel(name: string, open: () => Promise<Subject>, options: ModelOptions): void {
  const { histories, steps } = options;
  const acts: fc.Arbitrary<Step> = fc.array(action, { minLength: 1, maxLength: 5 }).map((actions) => new Acts(actions));
  const restart: fc.Arbitrary<Step> = fc
    .constantFrom("reopen" as const, "crash" as const)
    .map((how) => new Restart(how));

  describe(`A store against a model (${name})`, () => {
    it(`does what a list of records does, reopened and crashed in between, in ${histories} histories`, async () => {
      const commands = fc.commands([acts, acts, acts, restart], { maxCommands: steps, size: "max" });
      await fc.assert(
        fc.asyncProperty(commands, (sequence) =>
          withSubject(open, async (real) => {
            const model = new Model();
            await fc.asyncModelRun(() => ({ model, real }), sequence);
            const left = await Promise.all(
              Array.from({ length: real.n }, (_, index) => real.store.takeState(state(index + 1).state)),
            );
            expect(left.flatMap((record) => record?.state ?? [])).toEqual(model.states.toSorted());
          }),
        ),
        { numRuns: histories },
      );
    });

    it("answers concurrent calls as if each ran alone, in some order", async () => {
      const few = fc.array(action, { maxLength: 6 });
      await fc.assert(
        fc.asyncProperty(fc.scheduler(), few, few, (scheduler, before, actions) =>
          withSubject(open, async (real) => {
            const model = new Model();
            for (const now of before) await actAtOnce(model, real, [now]);
            const turn = (): Promise<void> => scheduler.schedule(Promise.resolve());
            await scheduler.waitFor(actAtOnce(model, real, actions, turn));
          }),
        ),
        { numRuns: histories },
      );
    });
  });
}
