// Below the faces: an unverified address from each provider, some of which send none.

import { describe, expect, it } from "vitest";
import { DEFINITIONS } from "../../src/server/providers/index.ts";
import { resolveUser } from "../../src/server/sign-in/resolve-user.ts";
import type { UserView } from "../../src/server/store/store.ts";
import { PROVIDERS, type Provider } from "../../src/wire/providers.ts";
import { ADA, setup, START, type Service } from "../_setup.ts";
import { contents } from "../_provider.ts";
import { EMAIL, INSTANCE, outcome, person, setupWith, STORES, useEmptyStore, VERIFIED_AT } from "./_linking.ts";

// So that every run shows a few of these on PostgreSQL.
const BOTH_STORES = ["memory", "postgres"] as const;
const GITHUB = { provider: "github", uid: "1" };
const GOOGLE = { provider: "google", uid: "1" };
const TWITTER = { provider: "twitter", uid: "1" };
const UNVERIFIED = { email_verified: false };

describe.each(STORES)("A new account with an existing user's e-mail address (%s)", (name) => {
  const emptyStore = useEmptyStore(name);
  const ARRIVALS = {
    "google, verified": { google: { sub: "77", email_verified: true } },
    "google, not verified": { google: { sub: "77", email_verified: false } },
    "github, verified": { github: { id: 77, login: "x", emails: [{ email: EMAIL, primary: true, verified: true }] } },
    "github, not verified": {
      github: { id: 77, login: "x", emails: [{ email: EMAIL, primary: true, verified: false }] },
    },
    twitter: { twitter: { id: "77", username: "x" } },
  };
  /** What a user had before, and what it has after the link besides the new account. */
  interface Case {
    readonly user: object;
    readonly digest?: string;
    readonly kept?: readonly Provider[];
    readonly revokes: boolean;
  }
  const verified = { email_verified_at: VERIFIED_AT };
  const USERS: Readonly<Record<string, Case>> = {
    "with a verified address": { user: verified, revokes: false },
    "with a verified address and a password": {
      user: { ...verified, password_digest: "digest" },
      digest: "digest",
      revokes: false,
    },
    "with an unverified address and a password": { user: { password_digest: "digest" }, revokes: true },
    "with an unverified address and nothing else": { user: {}, revokes: true },
    "with a verified github account": { user: { identities: [GITHUB] }, kept: ["github"], revokes: false },
    "with a verified github account and a password": {
      user: { identities: [GITHUB], password_digest: "digest" },
      digest: "digest",
      kept: ["github"],
      revokes: false,
    },
    "with an unverified github account": { user: { identities: [{ ...GITHUB, ...UNVERIFIED }] }, revokes: true },
    "with another address verified at github": {
      user: { identities: [{ ...GITHUB, email: "other@acme.test" }] },
      revokes: true,
    },
    "verified by google": { user: { ...verified, identities: [GOOGLE] }, kept: ["google"], revokes: false },
    "verified by google, with another address at github": {
      user: { ...verified, identities: [GOOGLE, { ...GITHUB, email: "other@acme.test" }] },
      kept: ["google", "github"],
      revokes: false,
    },
    "verified by google, with a password and an unverified github account": {
      user: { ...verified, password_digest: "digest", identities: [GOOGLE, { ...GITHUB, ...UNVERIFIED }] },
      digest: "digest",
      kept: ["google"],
      revokes: true,
    },
    "with twitter and a verified address": {
      user: { ...verified, identities: [TWITTER] },
      kept: ["twitter"],
      revokes: false,
    },
    "with twitter and an unverified address": { user: { identities: [TWITTER] }, kept: ["twitter"], revokes: false },
    "with twitter, a password and an unverified address": {
      user: { identities: [TWITTER], password_digest: "digest" },
      kept: ["twitter"],
      revokes: true,
    },
  };
  const open = (provider: string, ip_address: string): object => ({ provider, ip_address, logged_in_at: VERIFIED_AT });

  /** A user with two open sessions, of which a sign-in through `provider` could renew one. */
  async function begin(user: object, arrival: keyof typeof ARRIVALS, provider: Provider): Promise<Service> {
    const sessions = [open("password", "192.0.2.44"), open(provider, "127.0.0.1")];
    return setupWith(
      [{ id: ADA, email: EMAIL, name: "Ada", created_at: VERIFIED_AT, sessions, ...user }],
      [{ id: "x", name: "Newcomer", email: EMAIL, ...ARRIVALS[arrival] }, person(1, EMAIL)],
      await emptyStore(),
    );
  }

  const cases = Object.entries(USERS).flatMap(([who, expected]) =>
    (["google", "github"] as const).map((provider) => [who, provider, expected] as const),
  );

  it.each(cases)("%s links through %s, and only what was proved stays", async (_, provider, { user, ...expected }) => {
    const service = await begin(user, `${provider}, verified`, provider);
    const [existing] = (await contents(service)).users;
    expect(await outcome(service, provider, "x")).toBe(ADA);
    const { users, sessions } = await contents(service);
    const { kept = [], digest = null, revokes } = expected;
    expect(users.map((view) => view.providers)).toEqual([[...new Set([...kept, provider])]]);
    const google = provider === "google" ? START.toISOString() : null;
    expect(users[0]!.user).toEqual({
      ...existing!.user,
      avatar_url: expect.any(String) as string,
      email_verified_at: existing!.user.email_verified_at ?? google,
      password_digest: digest,
      updated_at: START.toISOString(),
    });
    const accounts = await service.store.identitiesOf(service.acme.id, ADA);
    expect(accounts.map((own) => [own.provider, own.uid])).toEqual([
      ...kept.map((own) => [own, "1"]),
      [provider, "77"],
    ]);
    const fresh = [provider, START.toISOString(), null];
    const revoked_at = revokes ? START.toISOString() : null;
    expect(sessions.map((own) => [own.provider, own.last_signin_at, own.revoked_at]).toSorted()).toEqual(
      [
        fresh,
        ["password", VERIFIED_AT, revoked_at],
        ...(revokes ? [[provider, VERIFIED_AT, revoked_at]] : []),
      ].toSorted(),
    );
  });

  it.each(cases)("%s keeps what is added after a link through %s", async (_, provider, { user }) => {
    const service = await begin(user, `${provider}, verified`, provider);
    await outcome(service, provider, "x");
    await service.store.change(
      "users",
      { instance_id: service.acme.id, id: ADA },
      (before) => before && { ...before, password_digest: "later" },
    );
    const { sessions: before } = await contents(service);
    const accounts = [...(await service.store.identitiesOf(service.acme.id, ADA))];
    expect([await outcome(service, "google", "p1"), await outcome(service, "github", "p1")]).toEqual([ADA, ADA]);
    const { users, sessions } = await contents(service);
    expect(users[0]!.user.password_digest).toBe("later");
    expect(sessions.filter((session) => session.revoked_at !== null)).toEqual(
      before.filter((session) => session.revoked_at !== null),
    );
    expect(await service.store.identitiesOf(service.acme.id, ADA)).toEqual([
      ...accounts,
      expect.objectContaining({ provider: "google", uid: "1001" }),
      expect.objectContaining({ provider: "github", uid: "1001" }),
    ]);
  });

  it.each(Object.entries(USERS))("%s is untouched by an unverified address and by twitter", async (_, { user }) => {
    for (const provider of ["google", "github"] as const) {
      const service = await begin(user, `${provider}, not verified`, provider);
      const before = await contents(service);
      expect(await outcome(service, provider, "x")).toBe("email_not_verified");
      expect(await contents(service)).toEqual(before);
    }
    const service = await begin(user, "twitter", "twitter");
    const before = await contents(service);
    const sub = await outcome(service, "twitter", "x");
    const { users } = await contents(service);
    expect(users.map((view) => [view.user.id, view.user.email, view.providers])).toEqual([
      [sub, "77@twitter.invalid", ["twitter"]],
      [ADA, EMAIL, before.users[0]!.providers],
    ]);
    expect(users[1]).toEqual(before.users[0]);
  });
});

describe.each(BOTH_STORES)("A user's address (%s)", (name) => {
  const emptyStore = useEmptyStore(name);

  it("stays proved when it is changed at github later", async () => {
    const first = person(1, EMAIL);
    const emails = [{ email: "new@acme.test", primary: true, verified: true }];
    const moved = { id: "moved", name: "Ada", email: "new@acme.test", github: { id: 1001, login: "p1", emails } };
    const service = await setupWith([], [first, moved], await emptyStore());
    const sub = await outcome(service, "github", "p1");
    expect(await outcome(service, "github", "moved")).toBe(sub);
    expect(await outcome(service, "google", "p1")).toBe(sub);
    const [view] = (await contents(service)).users;
    expect([view!.user.email, view!.providers]).toEqual([EMAIL, ["github", "google"]]);
    expect(await outcome(service, "github", "moved")).toBe(sub);
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
      tokens: { access_token: "t", refresh_token: null, expires_in: null },
      now: START.toISOString(),
    };
    expect(users.map(({ user }) => user.email_verified_at !== null)).toContain(true);
    const refused = expect.objectContaining({ code: "email_not_verified" }) as Error;
    for (const { user } of users)
      expect(() => resolveUser(arrival, { sameEmail: { user, identities: [] } })).toThrow(refused);
  });
});

describe.each(BOTH_STORES)("A second account of a provider with the same e-mail address (%s)", (name) => {
  const emptyStore = useEmptyStore(name);

  it.each(["google", "github"] as const)("T20: at %s links too, and both sign in as the user", async (provider) => {
    const service = await setupWith([], [person(1, EMAIL), person(2, EMAIL)], await emptyStore());
    const first = await outcome(service, provider, "p1");
    expect(await outcome(service, provider, "p2")).toBe(first);
    expect(await outcome(service, provider, "p1")).toBe(first);
    const { users, sessions } = await contents(service);
    expect(users.map((view) => view.providers)).toEqual([[provider]]);
    expect((await service.store.identitiesOf(service.acme.id, first)).map(({ uid }) => uid)).toEqual(["1001", "1002"]);
    expect(sessions.map((session) => session.revoked_at)).toEqual([null]);
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
    const user = {
      id: ADA,
      email: EMAIL,
      name: "Ada",
      identities: [{ provider: "google", uid: "1001", email_verified: false }],
    };
    const google = { sub: "1001", email_verified: true };
    const service = await setupWith([user], [{ id: "x", name: "Moved", email: "moved@acme.test", google }]);
    expect(await outcome(service, "google", "x")).toBe(ADA);
    const view = await service.store.findUser(service.acme.id, ADA);
    expect([view!.user.email, view!.user.email_verified_at]).toEqual([EMAIL, null]);
  });
});

describe.each(STORES)("A twitter placeholder address (%s)", (name) => {
  const emptyStore = useEmptyStore(name);
  const twitter = { id: "3001", username: "ada" };
  const PLACEHOLDER = "3001@twitter.invalid";

  it("links by its twitter account, which proves it", async () => {
    const service = await setupWith(
      [
        {
          id: ADA,
          email: PLACEHOLDER,
          name: "Ada",
          password_digest: "digest",
          identities: [{ ...GOOGLE, ...UNVERIFIED }],
          sessions: [{ provider: "password" }],
        },
      ],
      [{ id: "x", name: "X", email: EMAIL, twitter }],
      await emptyStore(),
    );
    expect(await outcome(service, "twitter", "x")).toBe(ADA);
    const { users, sessions } = await contents(service);
    expect(users.map((view) => [view.providers, view.user.password_digest])).toEqual([[["twitter"], null]]);
    expect(sessions.filter((session) => session.revoked_at === null).map((own) => own.provider)).toEqual(["twitter"]);
  });

  it.each([
    PLACEHOLDER,
    "3001@TWITTER.INVALID",
    "3001@\uff54witter.invalid",
    "\uff13\uff10\uff10\uff11@twitter.invalid",
    "3001@google.invalid",
  ])("T22: is rejected from google and github: %s", async (email) => {
    const emails = [{ email, primary: true, verified: true }];
    const google = { sub: "77", email_verified: true };
    const service = await setupWith(
      [],
      [
        { id: "x", name: "X", email, google, github: { id: 77, login: "x", emails } },
        { id: "ada", name: "Ada", email: EMAIL, twitter },
      ],
      await emptyStore(),
    );
    const sub = await outcome(service, "twitter", "ada");
    const before = await contents(service);
    expect(before.users.map(({ user }) => [user.id, user.email])).toEqual([[sub, PLACEHOLDER]]);
    expect(await outcome(service, "google", "x")).toBe("email_not_verified");
    expect(await outcome(service, "github", "x")).toBe("email_not_verified");
    expect(await contents(service)).toEqual(before);
  });
});
