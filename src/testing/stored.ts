import { ControlError, type ControlClient, userIdByEmail } from "../control-client/index.ts";
import type { AnswerOf, BodyOf, QueryOf } from "../wire/control/types.ts";
import { isSessionId, isUuid, SESSION_ID_PREFIX } from "../wire/ids.ts";
import { done, kitOptionsOf, withEdits } from "./options.ts";

/** An application's keys and addresses, its secret key included. */
export interface TestInstance {
  readonly id: string;
  readonly app_id: string;
  readonly name: string;
  readonly subdomain: string;
  /** {base_url} of the instance. */
  readonly url: string;
  readonly publishable_key: string;
  readonly secret_key: string;
  readonly redirect_uris: readonly string[];
}

/** A service always has one. */
export type TestInstances = readonly [TestInstance, ...TestInstance[]];

/** Asks for the instances, in the order in which they were made, or for the one with that id. */
export async function readInstances(control: ControlClient, only: string | undefined): Promise<TestInstance[]> {
  const newestFirst = await control.request("GET /instances");
  return Promise.all(
    newestFirst
      .toReversed()
      .filter(({ id }) => only === undefined || id === only)
      .map(async ({ id, data }) => {
        const keys = await control.request("POST /instances/:id/reveal", { params: { id } });
        return { ...data, id, ...keys };
      }),
  );
}

/** @throws {ControlError} `instance_not_found` if there is none */
export function testInstances([first, ...others]: readonly TestInstance[]): TestInstances {
  if (first) return [first, ...others];
  throw new ControlError("instance_not_found", undefined, "The service has no instance. Add one to its seed.");
}

/** @param name a subdomain or an id; undefined: the first one. @throws {ControlError} with the names that there are */
export function instanceNamed(instances: TestInstances, name: string | undefined): TestInstance {
  if (name === undefined) return instances[0];
  const instance = instances.find(({ id, subdomain }) => id === name || subdomain === name);
  if (instance) return instance;
  const known = instances.map(({ subdomain }) => subdomain).join(", ");
  const message = `There is no instance "${name}". The instances are: ${known}.`;
  throw new ControlError("instance_not_found", undefined, message);
}

export type TestUser = AnswerOf<"GET /users/:id">;
export type TestSession = AnswerOf<"GET /sessions/:session_id">;
type Search = Omit<NonNullable<QueryOf<"GET /users">>, "instance">;

/** The users of an instance, by default the first one's. `user` is an id or an e-mail address. */
export interface TestUsers {
  list(search?: Search): Promise<TestUser[]>;
  /** @throws {ControlError} `user_not_found` */
  get(user: string): Promise<TestUser>;
  /** Without a `name`, it is the part of the address before the `@`. */
  create(user: NonNullable<BodyOf<"POST /users">>): Promise<TestUser>;
  /** @throws {ControlError} `user_not_found` */
  update(user: string, change: NonNullable<BodyOf<"PATCH /users/:id">>): Promise<TestUser>;
  /** @throws {ControlError} `user_not_found` */
  delete(user: string): Promise<void>;
  /** Creates users in bulk and waits until all exist. The same seed gives the same users. */
  generate(count: number, options?: { seed?: number | undefined; instance?: string | undefined }): Promise<void>;
}

function found(of: string, search: Search = {}): Search {
  return kitOptionsOf(of, search, '{ query: "email:*@acme.test" }');
}

export function createTestUsers(control: ControlClient, instance: string): TestUsers {
  const idOf = async (user: string): Promise<string> => {
    // A program without types may pass anything, which is no user's address.
    if (typeof user === "string" && (user === "" || isUuid(user.toLowerCase()))) return user;
    if (typeof user === "string" && !user.includes("@"))
      throw new ControlError(
        "user_not_found",
        404,
        `User not found: "${user}" is neither a user's id nor an e-mail address. An account such as ada is a user by its address, once it has signed in.`,
      );
    const id = await userIdByEmail(control, user, instance);
    if (id !== undefined) return id;
    throw new ControlError("user_not_found", 404, `User not found: ${user} is no user's e-mail address`);
  };
  return {
    list: async (search) =>
      control.request("GET /users", { query: { instance, ...found("users.list", search) } }) as Promise<TestUser[]>,
    get: async (user) => control.request("GET /users/:id", { params: { id: await idOf(user) } }),
    create: async (user) =>
      control.request("POST /users", {
        body: { instance, ...kitOptionsOf("users.create", user, '{ email: "joan@example.com" }') },
      }),
    update: async (user, change) =>
      control.request("PATCH /users/:id", { params: { id: await idOf(user) }, body: change }),
    delete: async (user) => done(control.request("DELETE /users/:id", { params: { id: await idOf(user) } })),
    async generate(count, options = {}) {
      const body = { generate: { users: count, instance, ...options } };
      await control.request("POST /seed", { body });
    },
  };
}

/** The sessions of an instance. */
export interface TestSessions {
  list(search?: Search): Promise<TestSession[]>;
  get(session_id: string): Promise<TestSession>;
  revoke(session_id: string): Promise<TestSession>;
  restore(session_id: string): Promise<TestSession>;
}

export function createTestSessions(control: ControlClient, instance: string): TestSessions {
  const sessionId = (id: string): { session_id: string } => {
    if (typeof id === "string" && (id === "" || isSessionId(id.toLowerCase()))) return { session_id: id };
    const message = `Session not found: "${id}" is not a session's id. Pass data.session_id, which begins with ${SESSION_ID_PREFIX}.`;
    throw new ControlError("session_not_found", 404, message);
  };
  return {
    list: async (search) =>
      control.request("GET /sessions", { query: { instance, ...found("sessions.list", search) } }) as Promise<
        TestSession[]
      >,
    get: async (id) => control.request("GET /sessions/:session_id", { params: sessionId(id) }),
    revoke: async (id) => control.request("POST /sessions/:session_id/revoke", { params: sessionId(id) }),
    restore: async (id) => control.request("POST /sessions/:session_id/restore", { params: sessionId(id) }),
  };
}

/** Copies of all records and the clock, by name. */
export interface TestSnapshots {
  save(name: string): Promise<void>;
  /** With an instance of its own, restores that one's users and sessions, and leaves the clock alone. */
  restore(name: string): Promise<void>;
  list(): Promise<string[]>;
  delete(name: string): Promise<void>;
}

/**
 * @param only the instance that is restored alone; absent: all of them
 * @param changed called when a restored snapshot may have changed instances and the clock
 */
export function createTestSnapshots(
  control: ControlClient,
  only: string | undefined,
  changed: () => Promise<void>,
): TestSnapshots {
  return {
    save: (name) => done(control.request("POST /snapshots", { body: { name } })),
    async restore(name) {
      await control.request("POST /snapshots/:name/restore", { params: { name }, body: { instance: only } });
      await changed();
    },
    list: async () => (await control.request("GET /snapshots")).map(({ data }) => data.name),
    delete: (name) => done(control.request("DELETE /snapshots/:name", { params: { name } })),
  };
}

type Minted = AnswerOf<"POST /tokens">;
export type NewToken = NonNullable<BodyOf<"POST /tokens">>;

/** Tokens that are valid, and tokens for each reason to be refused. */
export interface TestTokens {
  /**
   * `kind: "expired"` and so on; by default a valid one of the newest user. `claims` are added or replaced before it is signed,
   * with values of any type, and `undefined` leaves one out: `create({ claims: { role: "admin", exp: undefined } })`.
   * @returns the token, and in `expect` what `tokens/verify` answers
   */
  create(options?: NewToken): Promise<Minted>;
  /** The answer of `tokens/verify`, the claims, and the reason in words. */
  verify(token: string, instance?: string): Promise<AnswerOf<"POST /tokens/verify">>;
}

export function createTestTokens(control: ControlClient, instance: string): TestTokens {
  return {
    create: async (options = {}) =>
      control.request("POST /tokens", {
        body: { instance, ...withEdits("claims", kitOptionsOf("tokens.create", options, '{ kind: "expired" }')) },
      }),
    verify: (token, name = instance) => control.request("POST /tokens/verify", { body: { token, instance: name } }),
  };
}
