import { describe, expect, it } from "vitest";
import { DEFINITIONS } from "../../src/server/providers/index.ts";
import { resolveUser } from "../../src/server/sign-in/resolve-user.ts";
import type { SessionRecord } from "../../src/server/store/records.ts";
import type { UserView } from "../../src/server/store/store.ts";
import { PROVIDERS, type Provider } from "../../src/wire/names.ts";
import { ADA, APP, decodePart, SEED, setup, START, type Service } from "../_setup.ts";

const EMAIL = "ada@acme.test";
const VERIFIED_AT = "2026-01-05T09:00:00.000Z";
const INSTANCE = SEED.instances[0]!;

/** An instance with these users and personas. */
function setupWith(users: object[], personas: object[]): Promise<Service> {
  return setup({ seed: { instances: [{ ...INSTANCE, users }], personas } });
}

/** A person whose address both google and github have verified. */
function person(number: number, email = `p${number}@acme.test`): { id: string; name: string; email: string } {
  const accounts = {
    google: { sub: `${1000 + number}`, email_verified: true },
    github: { id: 1000 + number, login: `p${number}`, emails: [{ email, primary: true, verified: true }] },
  };
  return { id: `p${number}`, name: `Person ${number}`, email, ...accounts };
}

async function contents({ store, acme }: Service): Promise<{ users: UserView[]; sessions: SessionRecord[] }> {
  const users: UserView[] = [];
  for await (const batch of store.users(acme.id, {})) users.push(...batch);
  const sessions: SessionRecord[] = [];
  for await (const batch of store.sessions(acme.id, {})) sessions.push(...batch);
  return { users, sessions };
}

/** The result of a sign-in: the token's `sub`, or the error. */
async function outcome(service: Service, provider: Provider, as: string): Promise<string> {
  const { searchParams } = await service.signIn(provider, as);
  const token = searchParams.get("token");
  return token === null ? searchParams.get("error")! : String(decodePart(token, 1)["sub"]);
}

describe("A new account with an existing user's e-mail address", () => {
  const ARRIVALS = {
    "google, verified": { google: { sub: "77", email_verified: true } },
    "google, not verified": { google: { sub: "77", email_verified: false } },
    "github, verified": { github: { id: 77, login: "x", emails: [{ email: EMAIL, primary: true, verified: true }] } },
    "github, not verified": {
      github: { id: 77, login: "x", emails: [{ email: EMAIL, primary: true, verified: false }] },
    },
    twitter: { twitter: { id: "77", username: "x" } },
  };
  const USERS = {
    "with a verified address": { email_verified_at: VERIFIED_AT },
    "of a user with an unverified address": { password_digest: "digest" },
    "of a user without accounts": {},
    "of a user with a verified github account": {
      identities: [{ provider: "github", uid: "1", email_verified: true }],
    },
    "of a user with an unverified github account": {
      identities: [{ provider: "github", uid: "1", email_verified: false }],
    },
    "of a user with another address verified at github": {
      identities: [{ provider: "github", uid: "1", email: "other@acme.test", email_verified: true }],
    },
    "of a user verified by google": {
      email_verified_at: VERIFIED_AT,
      identities: [{ provider: "google", uid: "1", email_verified: true }],
    },
    "of a user with google and github accounts": {
      email_verified_at: VERIFIED_AT,
      identities: [
        { provider: "google", uid: "1", email_verified: true },
        { provider: "github", uid: "1", email_verified: true },
      ],
    },
    "with twitter, and a verified address": {
      email_verified_at: VERIFIED_AT,
      identities: [{ provider: "twitter", uid: "1", email: "1@twitter.invalid" }],
    },
  };
  const CONFLICT = "account_conflict";
  /** The result for a verified google account and for a verified github one; others do not depend on the user. */
  const TABLE = [
    ["with a verified address", "linked", "linked"],
    ["of a user with an unverified address", CONFLICT, CONFLICT],
    ["of a user without accounts", "linked", "linked"],
    ["of a user with a verified github account", "linked", CONFLICT],
    ["of a user with an unverified github account", CONFLICT, CONFLICT],
    ["of a user with another address verified at github", CONFLICT, CONFLICT],
    ["of a user verified by google", CONFLICT, "linked"],
    ["of a user with google and github accounts", CONFLICT, CONFLICT],
    ["with twitter, and a verified address", "linked", "linked"],
  ] as const;
  const ROWS = TABLE.flatMap(
    ([user, google, github]) =>
      [
        [user, "google, verified", google],
        [user, "github, verified", github],
        [user, "google, not verified", "email_not_verified"],
        [user, "github, not verified", "email_not_verified"],
        [user, "twitter", "another user"],
      ] as const,
  );

  it.each(ROWS)("%s: through %s: %s", async (user, arrival, expected) => {
    const provider = arrival.split(",")[0] as Provider;
    const service = await setupWith(
      [{ id: ADA, email: EMAIL, name: "Ada", created_at: VERIFIED_AT, ...USERS[user] }],
      [{ id: "x", name: "Newcomer", email: EMAIL, ...ARRIVALS[arrival] }],
    );
    const before = await contents(service);
    const [existing] = before.users;
    const sub = await outcome(service, provider, "x");
    const { users, sessions } = await contents(service);
    if (expected === "linked") {
      expect(sub).toBe(ADA);
      expect(users.map((view) => [view.user.email, view.providers])).toEqual([
        [EMAIL, [...existing!.providers, provider]],
      ]);
      const verified = provider === "google" ? START.toISOString() : null;
      expect(users[0]!.user.email_verified_at).toBe(existing!.user.email_verified_at ?? verified);
      expect(sessions.map((session) => [session.user_id, session.provider])).toEqual([[ADA, provider]]);
    } else if (expected === "another user") {
      expect(users.map((view) => [view.user.id, view.user.email, view.providers])).toEqual([
        [sub, "77@twitter.invalid", ["twitter"]],
        [ADA, EMAIL, existing!.providers],
      ]);
      expect(users[1]).toEqual(existing);
    } else {
      expect(sub).toBe(expected);
      expect({ users, sessions }).toEqual(before);
    }
  });
});

describe("An address that the provider has not verified", () => {
  it.each(PROVIDERS)("never links through %s, whoever has it", async (provider) => {
    const service = await setup();
    const { users } = await contents(service);
    const profile = { uid: "77", email: EMAIL, email_verified: false, name: "X", avatar_url: null };
    const definition = DEFINITIONS[provider];
    const arrival = {
      instance: service.acme,
      provider: definition,
      profile,
      tokens: { access_token: "t" },
      now: START.toISOString(),
    };
    expect(users.map(({ user }) => user.email_verified_at !== null)).toContain(true);
    const CONFLICT = expect.objectContaining({ code: "account_conflict" }) as Error;
    for (const { user } of users) {
      expect(() => resolveUser(arrival, { sameEmail: { user, identities: [] } })).toThrow(CONFLICT);
    }
  });
});

describe("An e-mail address in another spelling", () => {
  it.each([
    ["ADA@ACME.TEST", ADA],
    ["Ada@Acme.Test", ADA],
    ["ada@ａｃｍｅ.test", ADA],
    ["ada+work@acme.test", "another user"],
    ["a.da@acme.test", "another user"],
    ["\u0430da@acme.test", "another user"],
    ["ada@acme.test.evil.test", "another user"],
    ["ada@acme.tes", "another user"],
    ["ａｄａ@acme.test", "server_error"],
    ["ad\u00aa@acme.test", "server_error"],
    ["ada@\u0430cme.test", "server_error"],
    ["ada\uff20evil.test@acme.test", "server_error"],
    ["ada@acme.test\uff20evil.test", "server_error"],
    ["ada\u200d@acme.test", "server_error"],
    ["ada@acme.test\u200b", "server_error"],
    ["ada@acme.test.", "server_error"],
    ["ada@-acme.test", "server_error"],
    [`${"a".repeat(243)}@acme.test\ufdfa`, "server_error"],
  ])("%j belongs to: %s", async (email, expected) => {
    const service = await setupWith(
      [{ id: ADA, email: EMAIL, name: "Ada", email_verified_at: VERIFIED_AT }],
      [{ id: "x", name: "X", email, google: { sub: "77", email_verified: true } }],
    );
    const before = await contents(service);
    const sub = await outcome(service, "google", "x");
    const { users, sessions } = await contents(service);
    if (expected === "another user") expect(users.map(({ user }) => user.id).toSorted()).toEqual([ADA, sub].toSorted());
    else expect(sub).toBe(expected);
    if (expected === "server_error") expect({ users, sessions }).toEqual(before);
  });
});

describe("An e-mail address with accents", () => {
  it("is the same whether they are composed or not", async () => {
    const google = { sub: "77", email_verified: true };
    const service = await setupWith(
      [{ id: ADA, email: "zo\u00eb@acme.test", name: "Zoë", email_verified_at: VERIFIED_AT }],
      [{ id: "x", name: "X", email: "zoe\u0308@acme.test", google }],
    );
    expect(await outcome(service, "google", "x")).toBe(ADA);
  });
});

describe("A second account of a provider with the same e-mail address", () => {
  it.each(["google", "github"] as const)("at %s is rejected and changes nothing", async (provider) => {
    const service = await setupWith([], [person(1, EMAIL), person(2, EMAIL)]);
    const first = await outcome(service, provider, "p1");
    const before = await contents(service);
    expect(await outcome(service, provider, "p2")).toBe("account_conflict");
    expect(await contents(service)).toEqual(before);
    expect(await outcome(service, provider, "p1")).toBe(first);
  });

  it("differs from the same id at two providers", async () => {
    const service = await setupWith(
      [],
      [
        { id: "g", name: "G", email: "g@acme.test", google: { sub: "5", email_verified: true } },
        {
          id: "h",
          name: "H",
          email: "h@acme.test",
          github: { id: 5, login: "h", emails: [{ email: "h@acme.test", primary: true, verified: true }] },
        },
        { id: "t", name: "T", email: "t@acme.test", twitter: { id: "5", username: "t" } },
      ],
    );
    const subs = [
      await outcome(service, "google", "g"),
      await outcome(service, "github", "h"),
      await outcome(service, "twitter", "t"),
    ];
    const { users } = await contents(service);
    expect(users.map(({ user }) => user.id).toSorted()).toEqual(subs.toSorted());
    expect(users.map(({ user }) => user.name).toSorted()).toEqual(["G", "H", "T"]);
  });
});

describe("A linked account", () => {
  it("stays with its user when another user has taken its e-mail address", async () => {
    const google = { sub: "1001", email_verified: true };
    const service = await setupWith(INSTANCE.users, [{ id: "x", name: "Moved", email: "grace@navy.test", google }]);
    const before = await contents(service);
    expect(await outcome(service, "google", "x")).toBe(ADA);
    const after = await contents(service);
    const others = (views: UserView[]): UserView[] => views.filter(({ user }) => user.id !== ADA);
    expect(others(after.users)).toEqual(others(before.users));
    const { user } = (await service.store.findUser(service.acme.id, ADA))!;
    expect([user.email, user.name]).toEqual([EMAIL, "Moved"]);
  });

  it("does not verify its user's address with a different one", async () => {
    const user = { id: ADA, email: EMAIL, name: "Ada", identities: [{ provider: "google", uid: "1001" }] };
    const google = { sub: "1001", email_verified: true };
    const service = await setupWith([user], [{ id: "x", name: "Moved", email: "moved@acme.test", google }]);
    expect(await outcome(service, "google", "x")).toBe(ADA);
    const view = await service.store.findUser(service.acme.id, ADA);
    expect([view!.user.email, view!.user.email_verified_at]).toEqual([EMAIL, null]);
  });
});

describe("A twitter placeholder address", () => {
  const twitter = { id: "3001", username: "ada" };

  it("never links, not even to a verified user who has it", async () => {
    const service = await setupWith(
      [{ id: ADA, email: "3001@twitter.invalid", name: "Ada", email_verified_at: VERIFIED_AT }],
      [{ id: "x", name: "X", email: EMAIL, twitter }],
    );
    const before = await contents(service);
    expect(await outcome(service, "twitter", "x")).toBe("account_conflict");
    expect(await contents(service)).toEqual(before);
  });

  it.each([
    "3001@twitter.invalid",
    "3001@TWITTER.INVALID",
    "3001@\uff54witter.invalid",
    "\uff13\uff10\uff10\uff11@twitter.invalid",
  ])("is rejected from google and github: %s", async (email) => {
    const emails = [{ email, primary: true, verified: true }];
    const service = await setupWith(
      [],
      [
        {
          id: "x",
          name: "X",
          email,
          google: { sub: "77", email_verified: true },
          github: { id: 77, login: "x", emails },
        },
        { id: "ada", name: "Ada", email: EMAIL, twitter },
      ],
    );
    const sub = await outcome(service, "twitter", "ada");
    const before = await contents(service);
    expect(before.users.map(({ user }) => [user.id, user.email])).toEqual([[sub, "3001@twitter.invalid"]]);
    expect(await outcome(service, "google", "x")).toBe("server_error");
    expect(await outcome(service, "github", "x")).toBe("server_error");
    expect(await contents(service)).toEqual(before);
  });
});

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

  it("of 50 accounts, 1,000 in total and 64 at a time, create 50 users", async () => {
    const service = await setupWith([], PEOPLE);
    const jobs = Array.from({ length: 1000 }, (_, i) => () => outcome(service, "google", `p${Math.floor(i / 20)}`));
    const subs = await inParallel(64, jobs);
    const { users, sessions } = await contents(service);
    const byName = new Map(users.map(({ user }) => [user.name, user.id]));
    expect([users.length, sessions.length]).toEqual([50, 50]);
    expect(subs).toEqual(jobs.map((_, i) => byName.get(`Person ${Math.floor(i / 20)}`)));
    expect(service.log.bugs).toEqual([]);
  });

  it("through two providers create one user for each person", async () => {
    const service = await setupWith([], PEOPLE);
    const jobs = Array.from(
      { length: 400 },
      (_, i) => () => outcome(service, i % 2 === 0 ? "google" : "github", `p${Math.floor(i / 8)}`),
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

  it("of twenty new accounts with one e-mail address give it to one of them", async () => {
    const strangers = Array.from({ length: 20 }, (_, i) => person(i, EMAIL));
    const service = await setupWith([], strangers);
    const outcomes = await Promise.all(strangers.map(({ id }) => outcome(service, "google", id)));
    const { users } = await contents(service);
    expect(users).toHaveLength(1);
    expect(outcomes.filter((sub) => sub === users[0]!.user.id)).toHaveLength(1);
    expect(outcomes.filter((sub) => sub === "account_conflict")).toHaveLength(19);
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
    for (let offset = -TURNS; offset <= TURNS; offset += 2) {
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
