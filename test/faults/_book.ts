import { A, all, arrival, at, id, state, takeState } from "../store/_records.ts";
import type { Store } from "../../src/server/store/store.ts";

/**
 * A request to a store, as a line of text, so that it can be sent to another process and reported back:
 * `save 7` and `take 7` a state; `in 7 30` signs person 7 in at second 30, and `end 5 7 30` by the state 5; `out 7` deletes
 * that person.
 */
export type Act =
  | `save ${number}`
  | `take ${number}`
  | `in ${number} ${number}`
  | `end ${number} ${number} ${number}`
  | `out ${number}`;

/** The value of a key: 1 for a state, the time of the last sign-in for a person. Undefined if there is none. */
type Held = number | undefined;
export type Holdings = ReadonlyMap<string, Held>;

export async function perform(store: Store, act: Act): Promise<unknown> {
  const [verb, ...rest] = act.split(" ");
  if (verb === "end") {
    const [from, n, time] = rest.map(Number) as [number, number, number];
    const claimed = await store.claimState(stateOf(from).state);
    if (!claimed) throw new Error(`the state ${from} is gone`);
    return store.completeSignIn({ ...arrival({ uid: `p${n}`, n, time }), state: claimed.record.state });
  }
  const [n, time] = rest.map(Number) as [number, number];
  if (verb === "save") return store.saveState(stateOf(n));
  if (verb === "take") return takeState(store, stateOf(n).state);
  if (verb === "in") return store.completeSignIn(arrival({ uid: `p${n}`, n, time }));
  if (verb === "out") return store.deleteUser(A, id(n));
  throw new Error(`no act: ${act}`);
}

/** Records of many lengths, some longer than a page of the disk. */
function stateOf(n: number): ReturnType<typeof state> {
  const length = n % 11 === 0 ? 5000 : (n * 37) % 300;
  return state(n, { redirect_uri: `http://localhost:3000/${"x".repeat(length)}` });
}

function outcomesOf(act: Act): [key: string, held: Held][] {
  const [verb, n, time, at_] = act.split(" ");
  if (verb === "save") return [[`state ${n}`, 1]];
  if (verb === "take") return [[`state ${n}`, undefined]];
  if (verb === "out") return [[`person ${n}`, undefined]];
  if (verb === "in") return [[`person ${n}`, Number(time)]];
  return [
    [`state ${n}`, undefined],
    [`person ${time}`, Number(at_)],
  ];
}

/**
 * The requests to a store and its answers, which decide what it must contain after a crash: everything acknowledged,
 * nothing refused, and of the requests still unanswered any prefix. No key has two requests open.
 */
export class Book {
  readonly #acknowledged = new Map<string, Held>();
  /** In the order of the requests. */
  readonly #open: Act[] = [];
  acknowledgements = 0;

  asked(act: Act): void {
    this.#open.push(act);
  }

  acknowledged(act: Act): void {
    this.refused(act);
    for (const [key, held] of outcomesOf(act)) this.#acknowledged.set(key, held);
    this.acknowledgements++;
  }

  refused(act: Act): void {
    const at_ = this.#open.indexOf(act);
    if (at_ < 0) throw new Error(`nobody asked for: ${act}`);
    this.#open.splice(at_, 1);
  }

  /** Every state that can exist. */
  get states(): number[] {
    const keys = [...this.#acknowledged.keys(), ...this.#open.flatMap((act) => outcomesOf(act).map(([key]) => key))];
    return [...new Set(keys)].flatMap((key) => (key.startsWith("state ") ? Number(key.slice(6)) : []));
  }

  /** The content of a store that has answered everything. */
  holdings(): Holdings {
    return new Map([...this.#acknowledged].filter(([, held]) => held !== undefined));
  }

  /** The numbers of the states that certainly exist. */
  present(kind: "person" | "state"): number[] {
    const open = new Set(this.#open.flatMap((act) => outcomesOf(act).map(([key]) => key)));
    return [...this.#acknowledged].flatMap(([key, held]) =>
      key.startsWith(kind) && held !== undefined && !open.has(key) ? Number(key.split(" ")[1]) : [],
    );
  }

  /** What is wrong with a store that has this content. */
  faults(found: Holdings): string[] {
    const faults: string[] = [];
    const open = new Map(this.#open.flatMap((act) => outcomesOf(act)));
    for (const key of new Set([...this.#acknowledged.keys(), ...found.keys(), ...open.keys()])) {
      const expected = this.#acknowledged.get(key);
      const there = found.get(key);
      if (there === expected || (open.has(key) && there === open.get(key))) continue;
      if (there === undefined) faults.push(`lost: ${key} (${expected})`);
      else if (expected === undefined) faults.push(`resurrected: ${key} (${there})`);
      else faults.push(`altered: ${key} is ${there}, not ${expected}`);
    }
    const happened = this.#open.map((act) => {
      const done = outcomesOf(act)
        .filter(([key, held]) => this.#acknowledged.get(key) !== held)
        .map(([key, held]) => found.get(key) === held);
      if (new Set(done).size > 1) faults.push(`half done: ${act}`);
      return done[0];
    });
    const seen = happened.filter((did) => did !== undefined);
    if (seen.indexOf(false) >= 0 && seen.lastIndexOf(true) > seen.indexOf(false))
      faults.push(`out of order: ${this.#open.map((act, n) => `${act}: ${happened[n]}`).join(", ")}`);
    return faults;
  }

  /** Accepts a store's content after a crash as the state to continue from. */
  settle(found: Holdings): void {
    this.#open.length = 0;
    for (const key of new Set([...this.#acknowledged.keys(), ...found.keys()]))
      this.#acknowledged.set(key, found.get(key));
  }
}

/** Everything in a store that requests create. It takes the states, so use it on a copy. */
export async function holdingsOf(store: Store, states: readonly number[]): Promise<Holdings> {
  const found = new Map<string, Held>();
  const users = await all(store.users(A, {}));
  const sessions = await all(store.sessions(A, {}));
  const numberOf = (uuid: string): number => parseInt(uuid.slice(-12), 16);
  for (const { user, providers } of users) {
    const own = sessions.filter((session) => session.user_id === user.id);
    const n = numberOf(user.id);
    const isWhole = own.length === 1 && own[0]!.last_signin_at === user.updated_at && user.email === `p${n}@acme.test`;
    if (!isWhole || providers.join() !== "google") throw new Error(`half a person: ${JSON.stringify([user, own])}`);
    found.set(`person ${n}`, (Date.parse(user.updated_at) - Date.parse(at(0))) / 1000);
  }
  if (sessions.length !== users.length) throw new Error(`${sessions.length} sessions of ${users.length} users`);
  const taken = await Promise.all(states.map((n) => takeState(store, stateOf(n).state)));
  for (const [place, n] of states.entries()) {
    const record = taken[place];
    if (record && JSON.stringify(record) !== JSON.stringify(stateOf(n))) throw new Error(`altered: state ${n}`);
    if (record) found.set(`state ${n}`, 1);
  }
  return found;
}
