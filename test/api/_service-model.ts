import * as fc from "fast-check";
import type { Provider } from "../../src/wire/providers.ts";

/** An account at a provider. Of each kind, so that each rule of who signs in is met. */
interface Account {
  readonly provider: Provider;
  readonly as: "ada" | "rita" | "alan";
  readonly uid: string;
  /** Undefined if the provider sends an address that it has not verified. */
  readonly email: string | undefined;
}

const NAMES = { ada: "Ada Lovelace", rita: "Rita Levi", alan: "Alan Turing" };
const EMAILS = { ada: "ada@acme.test", rita: "rita@acme.test", alan: "alan@bletchley.test" };

export const ACCOUNTS: readonly Account[] = [
  { provider: "google", as: "ada", uid: "1001", email: EMAILS.ada },
  { provider: "github", as: "ada", uid: "2001", email: EMAILS.ada },
  { provider: "twitter", as: "ada", uid: "3001", email: "3001@twitter.invalid" },
  { provider: "google", as: "rita", uid: "1002", email: EMAILS.rita },
  { provider: "github", as: "rita", uid: "2002", email: EMAILS.rita },
  { provider: "google", as: "alan", uid: "1003", email: EMAILS.alan },
  { provider: "github", as: "alan", uid: "2003", email: undefined },
];

const PERSONAS = (["ada", "rita", "alan"] as const).map((as, n) => ({
  id: as,
  name: NAMES[as],
  email: EMAILS[as],
  google: { sub: `100${n + 1}`, email_verified: true },
  github: { id: 2001 + n, login: as, emails: [{ email: EMAILS[as], primary: true, verified: as !== "alan" }] },
  twitter: { id: `300${n + 1}`, username: as },
}));

export const TENANTS = ["acme", "globex"] as const;
export type TenantName = (typeof TENANTS)[number];
const START = Date.parse("2026-06-01T12:00:00.000Z");
const TOKEN_SECONDS = 3600;
const STATE_SECONDS = 600;

export const at = (seconds: number): string => new Date(START + seconds * 1000).toISOString();
const uuid = (n: number): string => `00000000-0000-4000-8000-${n.toString(16).padStart(12, "0")}`;

interface User {
  readonly id: string;
  email: string;
  name: string;
  verified: string | null;
  hasPassword: boolean;
  readonly created: string;
}
interface Identity {
  readonly user: string;
  readonly provider: Provider;
  readonly uid: string;
  readonly email: string;
}
interface Session {
  readonly id: string;
  readonly user: string;
  readonly provider: string;
  readonly ip: string;
  last: string;
  revoked: string | null;
}

/** Ada, who is known, and Rita, whom somebody registered with a password. Both have the same ids at both instances. */
function tenant(key: string) {
  const [ada, rita] = [uuid(0xa1), uuid(0xa2)];
  return {
    keys: [{ key, until: Infinity }],
    users: [
      { id: ada, email: EMAILS.ada, name: "Ada", verified: at(-90), hasPassword: false, created: at(-90) },
      { id: rita, email: EMAILS.rita, name: "Rita", verified: null, hasPassword: true, created: at(-80) },
    ] as User[],
    identities: [{ user: ada, provider: "google", uid: "1001", email: EMAILS.ada }] as Identity[],
    sessions: [
      { id: `svc_session_${uuid(0xb1)}`, user: ada, provider: "google", ip: "192.0.2.1", last: at(-70), revoked: null },
      {
        id: `svc_session_${uuid(0xb2)}`,
        user: rita,
        provider: "password",
        ip: "192.0.2.9",
        last: at(-60),
        revoked: null,
      },
    ] as Session[],
  };
}
type Tenant = ReturnType<typeof tenant>;

/** A sign-in up to the provider's redirect. */
interface Begun {
  readonly tenant: TenantName;
  readonly account: Account;
  readonly ip: string;
  readonly time: number;
  isOpen: boolean;
}
interface Token {
  readonly text: string;
  readonly tenant: TenantName;
  readonly key: string;
  readonly user: string;
  readonly time: number;
}

export type Ended = { readonly error: string } | { readonly user: User; readonly session: Session };

/** What the specification says of every request, by lists and loops alone. Times are seconds since the start. */
export class Model {
  time = 0;
  tenants = { acme: tenant(`sk_acme_${"a".repeat(40)}`), globex: tenant(`sk_globex_${"b".repeat(40)}`) };
  snapshot: Record<TenantName, Tenant> | undefined;
  readonly begun: Begun[] = [];
  readonly tokens: Token[] = [];

  get seed(): object {
    const instances = TENANTS.map((name) => ({ name, subdomain: name, secret_key: this.key(name) }));
    return { instances, personas: PERSONAS };
  }

  /** The users at the start, as the control API takes them: in a seed no two may have one id. */
  get newUsers(): object[] {
    return TENANTS.flatMap((name) => {
      const { users, identities, sessions } = this.tenants[name];
      return users.map(({ id, email, name: called, verified, hasPassword, created }) => ({
        instance: name,
        id,
        email,
        name: called,
        email_verified_at: verified,
        created_at: created,
        password_digest: hasPassword ? "digest" : null,
        identities: identities.filter(({ user }) => user === id).map(({ provider, uid }) => ({ provider, uid })),
        sessions: sessions
          .filter(({ user }) => user === id)
          .map((own) => ({
            session_id: own.id,
            provider: own.provider,
            ip_address: own.ip,
            logged_in_at: own.last,
          })),
      }));
    });
  }

  key(name: TenantName): string {
    return this.tenants[name].keys[0]!.key;
  }

  /** Newest first. */
  users(name: TenantName): User[] {
    return this.tenants[name].users.toSorted((a, b) => (a.created < b.created ? 1 : -1));
  }

  /** The last to sign in first. */
  sessions(name: TenantName): Session[] {
    return this.tenants[name].sessions.toSorted((a, b) => (a.last < b.last ? 1 : -1));
  }

  providers(name: TenantName, user: string): string[] {
    return this.tenants[name].identities.filter((own) => own.user === user).map(({ provider }) => provider);
  }

  /** What a callback does. @param fresh the ids that the service gave to what is new */
  finish(begun: Begun, fresh: { user: string; session: string }): Ended | undefined {
    const isInTime = begun.isOpen && this.time < begun.time + STATE_SECONDS;
    begun.isOpen = false;
    if (!isInTime) return undefined;
    const { users, sessions } = this.tenants[begun.tenant];
    const { provider, as, uid, email } = begun.account;
    if (email === undefined) return { error: "email_not_verified" };
    const now = at(this.time);
    const known = this.tenants[begun.tenant].identities.find((own) => own.provider === provider && own.uid === uid);
    let user = users.find((own) => (known ? own.id === known.user : own.email === email));
    if (known) user!.name = NAMES[as];
    if (!known && user) this.#clear(begun.tenant, user);
    if (!user)
      users.push((user = { id: fresh.user, email, name: NAMES[as], verified: null, hasPassword: false, created: now }));
    if (provider === "google" && user.email === email) user.verified ??= now;
    if (!known) this.tenants[begun.tenant].identities.push({ user: user.id, provider, uid, email });
    const { id } = user;
    const isSame = (own: Session) => own.user === id && own.provider === provider && own.ip === begun.ip;
    let session = sessions.find((own) => isSame(own) && own.revoked === null);
    if (!session)
      sessions.push((session = { id: fresh.session, user: id, provider, ip: begun.ip, last: now, revoked: null }));
    session.last = now;
    return { user, session };
  }

  /** A first account with a user's address proves it. What somebody else may have left there ends. */
  #clear(name: TenantName, user: User): void {
    const tenant_ = this.tenants[name];
    const own = tenant_.identities.filter(({ user: of }) => of === user.id);
    const isProved = user.verified !== null || own.some(({ email }) => email === user.email);
    if (isProved) return;
    const unproved = own.filter(({ provider }) => provider !== "twitter");
    if (unproved.length > 0 || user.hasPassword || own.length === 0)
      for (const session of tenant_.sessions) if (session.user === user.id) session.revoked ??= at(this.time);
    tenant_.identities = tenant_.identities.filter((identity) => !unproved.includes(identity));
    user.hasPassword = false;
  }

  /** A user who is imported, as `newUsers` are. */
  create(name: TenantName, n: number): { body: object; isTaken: boolean } {
    const [id, email] = [uuid(0xc0 + n), `made${n}@acme.test`];
    const { users } = this.tenants[name];
    const isTaken = users.some((own) => own.id === id || own.email === email);
    const made: User = { id, email, name: `made${n}`, verified: null, hasPassword: false, created: at(this.time) };
    if (!isTaken) users.push(made);
    return { body: { instance: name, id, email, created_at: made.created }, isTaken };
  }

  delete(name: TenantName, user: string): void {
    const own = this.tenants[name];
    own.users = own.users.filter(({ id }) => id !== user);
    own.identities = own.identities.filter((one) => one.user !== user);
    own.sessions = own.sessions.filter((one) => one.user !== user);
  }

  rotate(name: TenantName, key: string, keptSeconds: number): void {
    const own = this.tenants[name];
    const until = this.time + keptSeconds;
    own.keys = [
      { key, until: Infinity },
      ...(keptSeconds > 0 ? [{ ...own.keys[0]!, until }, ...own.keys.slice(1)] : []),
    ];
  }

  /** 200, or what `svc-reason` names, or 404 for a user who is gone. */
  verdict(name: TenantName, token: Token): string | number {
    if (token.tenant !== name) return "instance";
    const keys = this.tenants[name].keys.filter(({ until }) => this.time < until);
    if (!keys.some(({ key }) => key === token.key)) return "signature";
    if (this.time >= token.time + TOKEN_SECONDS) return "expired";
    return this.tenants[name].users.some(({ id }) => id === token.user) ? 200 : 404;
  }

  /** @param only whose keys stay; absent: everything becomes what it was */
  restore(only?: TenantName): void {
    for (const name of only ? [only] : TENANTS) {
      const { keys } = this.tenants[name];
      this.tenants[name] = { ...structuredClone(this.snapshot![name]), ...(only && { keys }) };
    }
    // A state that was saved before belongs to records that are not there any more.
    for (const begun of this.begun) if (begun.tenant === (only ?? begun.tenant)) begun.isOpen = false;
  }
}

/** Searches, with what each finds. */
export const USER_SEARCHES: readonly [string, (user: User, providers: readonly string[]) => boolean][] = [
  ["email:ADA@acme.test", ({ email }) => email === EMAILS.ada],
  ["email:*@acme.test", ({ email }) => email.endsWith("@acme.test")],
  ["-email:*@acme.test", ({ email }) => !email.endsWith("@acme.test")],
  ["name:ada*", ({ name }) => name.startsWith("Ada")],
  ["provider:github", (_, providers) => providers.includes("github")],
  ["-provider:google", (_, providers) => !providers.includes("google")],
  ["provider:null", (_, providers) => providers.length === 0],
  ["email_verified_at:null", ({ verified }) => verified === null],
  [`created_at>=${at(0)}`, ({ created }) => created >= at(0)],
];
export const SESSION_SEARCHES: readonly [string, (session: Session) => boolean][] = [
  ["active:true", ({ revoked }) => revoked === null],
  ["provider:g*", ({ provider }) => provider.startsWith("g")],
  ["-provider:google", ({ provider }) => provider !== "google"],
  [`user_id:${uuid(0xa1)}`, ({ user }) => user === uuid(0xa1)],
  ["ip_address:192.0.2.1", ({ ip }) => ip === "192.0.2.1"],
];

const name = fc.constantFrom(...TENANTS);
const nth = fc.nat({ max: 7 });
const kind = <Kind extends string>(of: Kind): fc.Arbitrary<Kind> => fc.constant(of);
const who = { account: fc.constantFrom(...ACCOUNTS), ip: fc.constantFrom("192.0.2.1", "192.0.2.2") };

/** What somebody does. `nth` chooses one of those that are there. */
export const action = fc.oneof(
  { weight: 8, arbitrary: fc.record({ kind: kind("sign in"), tenant: name, ...who, times: fc.constantFrom(1, 1, 3) }) },
  { weight: 2, arbitrary: fc.record({ kind: kind("begin"), tenant: name, ...who }) },
  { weight: 2, arbitrary: fc.record({ kind: kind("finish"), nth }) },
  { weight: 2, arbitrary: fc.record({ kind: kind("wait"), seconds: fc.constantFrom(1, 599, 600, 1800, 3599, 3600) }) },
  { weight: 3, arbitrary: fc.record({ kind: kind("verify"), tenant: name, nth }) },
  {
    weight: 3,
    arbitrary: fc.record({ kind: kind("search"), tenant: name, nth, limit: fc.integer({ min: 1, max: 4 }) }),
  },
  { weight: 2, arbitrary: fc.record({ kind: kind("revoke"), tenant: name, nth }) },
  { weight: 1, arbitrary: fc.record({ kind: kind("restore session"), tenant: name, nth }) },
  { weight: 2, arbitrary: fc.record({ kind: kind("delete"), tenant: name, nth, times: fc.constantFrom(1, 2) }) },
  { weight: 1, arbitrary: fc.record({ kind: kind("create"), tenant: name, n: fc.nat({ max: 1 }) }) },
  { weight: 1, arbitrary: fc.record({ kind: kind("move"), tenant: name, nth }) },
  { weight: 1, arbitrary: fc.record({ kind: kind("prune"), tenant: name, seconds: fc.constantFrom(3600, 5000) }) },
  { weight: 2, arbitrary: fc.record({ kind: kind("rotate"), tenant: name, kept: fc.constantFrom(0, 1800) }) },
  { weight: 1, arbitrary: fc.record({ kind: kind("snapshot") }) },
  { weight: 2, arbitrary: fc.record({ kind: kind("undo"), tenant: fc.constantFrom(undefined, ...TENANTS) }) },
  { weight: 2, arbitrary: fc.record({ kind: kind("restart"), crashes: fc.boolean() }) },
);
export type Action = typeof action extends fc.Arbitrary<infer One> ? One : never;
