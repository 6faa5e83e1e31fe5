import { setTimeout as sleep } from "node:timers/promises";
import type { Unit } from "./_unit.ts";
import { APP, PEOPLE, secret, type Answer, type Whole } from "./_whole.ts";

const WRITERS = 16;
const EACH = PEOPLE / WRITERS;

/** What was acknowledged of a person: the user's id, that there is none, or nothing. */
type Held = string | null | undefined;

export interface People {
  /** By number. Nothing is known of those who are left out. */
  readonly held: ReadonlyMap<number, Held>;
  /** How many sign-ins and deletions were acknowledged. */
  readonly acknowledged: { signIns: number; deletions: number };
  stop(): Promise<void>;
}

export const emailOf = (n: number): string => `p${n}@acme.test`;
export const addressOf = (n: number): string => `10.1.${Math.floor(n / 250)}.${n % 250}`;

/** A whole sign-in, each step at the next unit. @returns the last answer */
export async function signIn(whole: Whole, n: number, next: () => Unit, from = addressOf(n)): Promise<Answer> {
  const query = new URLSearchParams({ provider: "google", redirect_uri: APP, login_hint: `p${n}` });
  let path = `/oauth/authorize?${query.toString()}`;
  for (;;) {
    const answer = await whole.send(next(), path, { headers: { "x-forwarded-for": from } });
    const { location } = answer.headers;
    if (answer.status !== 302 || location === undefined || location.startsWith(APP)) return answer;
    const { pathname, search } = new URL(location);
    path = pathname + search;
  }
}

export const tokenOf = ({ headers }: Answer): string | undefined =>
  new URL(headers.location ?? APP).searchParams.get("token") ?? undefined;

function subjectOf(token: string): string {
  const [, claims = ""] = token.split(".");
  return (JSON.parse(Buffer.from(claims, "base64url").toString()) as { sub: string }).sub;
}

/** Sixteen writers. Each signs its people in, reads what it has written at another unit, and deletes every third. */
export function startPeople(whole: Whole): People {
  const held = new Map<number, Held>();
  const acknowledged = { signIns: 0, deletions: 0 };
  const state = { isOver: false, turn: 0 };
  const next = (): Unit => whole.units[state.turn++ % whole.units.length]!;

  async function comeIn(n: number): Promise<void> {
    const before = held.get(n);
    held.set(n, undefined);
    const answer = await signIn(whole, n, next);
    const token = tokenOf(answer);
    if (!whole.check("sign-in", answer, token !== undefined)) return sleep(50);
    const id = subjectOf(token!);
    acknowledged.signIns++;
    held.set(n, id);
    if (typeof before === "string" && before !== id) whole.faults.push(`p${n} was ${before}, and is ${id} now`);
    const options = { method: "POST", headers: secret(whole.keys.current), body: { token: token! } };
    const verified = await whole.send(next(), "/api/v1/tokens/verify", options);
    whole.check("verify", verified, verified.status === 200 && verified.body.includes(id));
  }

  async function goAway(n: number, id: string): Promise<void> {
    held.set(n, undefined);
    const path = `/api/v1/users/${id}`;
    const removed = await whole.send(next(), path, { method: "DELETE", headers: secret(whole.keys.current) });
    if (!whole.check("delete", removed, removed.status === 200)) return;
    acknowledged.deletions++;
    held.set(n, null);
    const gone = await whole.send(next(), path, { headers: secret(whole.keys.current) });
    whole.check("read", gone, gone.status === 404);
  }

  const running = Array.from({ length: WRITERS }, async (_, writer) => {
    for (let count = 0; !state.isOver; count++) {
      const n = writer * EACH + (count % EACH);
      await comeIn(n);
      const id = held.get(n);
      if (typeof id === "string" && count % 3 === 0) await goAway(n, id);
      // Two cores also run the servers, the database and what watches them.
      await sleep(10);
    }
  });
  return {
    held,
    acknowledged,
    async stop() {
      state.isOver = true;
      await Promise.all(running);
    },
  };
}

type Listed = { readonly id: string; readonly data: { readonly email: string; readonly user_id?: string } };

/** Compares what a server has with what was acknowledged. @returns what is lost, doubled or resurrected */
export async function compare(whole: Whole, unit: Unit, { held }: People): Promise<string[]> {
  const list = async (path: string): Promise<Listed[]> => {
    const answer = await whole.send(unit, path, { headers: secret(whole.keys.current) });
    if (answer.status !== 200) throw new Error(`${path}: ${answer.status} ${answer.body}`);
    return JSON.parse(answer.body) as Listed[];
  };
  const users = await list("/api/v1/users");
  const sessions = await list("/api/v1/sessions");
  const faults: string[] = [];
  for (let n = 0; n < PEOPLE; n++) {
    const found = users.filter(({ data }) => data.email === emailOf(n));
    const known = held.has(n) ? held.get(n) : null;
    if (found.length > 1) faults.push(`doubled: p${n}`);
    if (known === null && found.length > 0) faults.push(`resurrected: p${n}`);
    if (typeof known === "string" && found[0]?.id !== known) faults.push(`lost: p${n}, ${known}`);
    const own = sessions.filter(({ data }) => data.email === emailOf(n));
    if (own.length !== found.length) faults.push(`p${n} has ${own.length} sessions`);
  }
  if (users.length > PEOPLE) faults.push(`${users.length} users of ${PEOPLE} people`);
  return faults;
}
