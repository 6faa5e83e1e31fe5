import { describe, expect, it } from "vitest";
import type { Provider } from "../../src/wire/providers.ts";
import { APP, decodePart, type Service } from "../_setup.ts";
import { contents } from "../_provider.ts";
import { EMAIL, outcome, person, setupWith } from "./_linking.ts";

/** Runs all jobs, a number at a time. */
async function inParallel<T>(width: number, jobs: (() => Promise<T>)[]): Promise<T[]> {
  const results: T[] = [];
  const left = [...jobs.entries()];
  const work = async (): Promise<void> => {
    for (let next = left.shift(); next; next = left.shift()) results[next[0]] = await next[1]();
  };
  await Promise.all(Array.from({ length: width }, work));
  return results;
}

describe("Concurrent sign-ins", () => {
  const PEOPLE = Array.from({ length: 50 }, (_, i) => person(i));

  it("of 50 accounts, 400 in total and 64 at a time, create 50 users", async () => {
    const service = await setupWith([], PEOPLE);
    const jobs = Array.from({ length: 400 }, (_, i) => () => outcome(service, "google", `p${Math.floor(i / 8)}`));
    const subs = await inParallel(64, jobs);
    const { users, sessions } = await contents(service);
    const byName = new Map(users.map(({ user }) => [user.name, user.id]));
    expect([users.length, sessions.length]).toEqual([50, 50]);
    expect(subs).toEqual(jobs.map((_, i) => byName.get(`Person ${Math.floor(i / 8)}`)));
    expect(service.log.bugs).toEqual([]);
  });

  it("through two providers create one user for each person", async () => {
    const service = await setupWith([], PEOPLE);
    const jobs = Array.from(
      { length: 200 },
      (_, i) => () => outcome(service, i % 2 === 0 ? "google" : "github", `p${Math.floor(i / 4)}`),
    );
    await inParallel(64, jobs);
    const { users } = await contents(service);
    expect(users).toHaveLength(50);
    expect(new Set(users.map(({ providers }) => providers.toSorted().join()))).toEqual(new Set(["github,google"]));
  });

  it("of one account whose address changes meanwhile create one user", async () => {
    const google = { sub: "77", email_verified: true };
    const faces = Array.from({ length: 20 }, (_, i) => ({ ...person(i), google }));
    const service = await setupWith([], faces);
    const subs = await Promise.all(faces.map(({ id }) => outcome(service, "google", id)));
    const { users } = await contents(service);
    expect(users).toHaveLength(1);
    expect(new Set(subs)).toEqual(new Set([users[0]!.user.id]));
  });

  it("of twenty new accounts with one e-mail address create one user", async () => {
    const accounts = Array.from({ length: 20 }, (_, i) => person(i, EMAIL));
    const service = await setupWith([], accounts);
    const subs = await Promise.all(accounts.map(({ id }) => outcome(service, "google", id)));
    const { users } = await contents(service);
    expect(users).toHaveLength(1);
    expect(new Set(subs)).toEqual(new Set([users[0]!.user.id]));
    expect(await service.store.identitiesOf(service.acme.id, subs[0]!)).toHaveLength(20);
  });
});

async function turns(count: number): Promise<void> {
  for (let i = 0; i < count; i++) await Promise.resolve();
}

/** A sign-in up to the callback, which is not requested yet. */
async function untilCallback({ fetch }: Service, provider: Provider): Promise<string> {
  const query = new URLSearchParams({ provider, redirect_uri: APP, login_hint: "p0" });
  const begun = await fetch(`/oauth/authorize?${query.toString()}`);
  return (await fetch(begun.headers.get("location")!)).headers.get("location")!;
}

describe("A deletion during the user's sign-in", () => {
  const TURNS = 80;

  it.each([
    ["with an existing account", "google"],
    ["with an account that is being linked", "github"],
  ] as const)("leaves no partial records, %s", async (_what, provider) => {
    const outcomes = new Set<string>();
    for (let offset = -TURNS; offset <= TURNS; offset += 3) {
      const service = await setupWith([], [person(0, EMAIL)]);
      const { store, acme } = service;
      const old = await outcome(service, "google", "p0");
      const toCallback = await untilCallback(service, provider);
      const [deleted, arrived] = await Promise.all([
        turns(offset).then(() => service.as(acme, `/api/v1/users/${old}`, { method: "DELETE" })),
        turns(-offset).then(() => service.fetch(toCallback)),
      ]);
      expect([deleted.status, await deleted.json()]).toEqual([200, { deleted: true, id: old }]);
      const token = new URL(arrived.headers.get("location")!).searchParams.get("token")!;
      const sub = String(decodePart(token, 1)["sub"]);
      outcomes.add(sub === old ? "deleted last" : "deleted first");

      const { users, sessions } = await contents(service);
      const expected = sub === old ? [] : [[sub, [provider]]];
      expect(users.map((view) => [view.user.id, view.providers])).toEqual(expected);
      expect(sessions.map(({ user_id }) => user_id)).toEqual(sub === old ? [] : [sub]);
      expect(await store.findUser(acme.id, old)).toBeUndefined();

      const again = await outcome(service, provider, "p0");
      expect(again === sub).toBe(sub !== old);
      expect((await contents(service)).users.map(({ user }) => user.id)).toEqual([again]);
    }
    expect(outcomes).toEqual(new Set(["deleted first", "deleted last"]));
  });
});
