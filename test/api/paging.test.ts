// Below the faces: when a reader stops is seen by the store alone.

import { beforeAll, describe, expect, it } from "vitest";
import { openMemoryStore } from "../../src/server/store/memory/memory-store.ts";
import type { Store, UserView } from "../../src/server/store/store.ts";
import type { Session, User } from "../../src/wire/resources.ts";
import { ADA_OF_GLOBEX, SEED, SESSION_OF_GLOBEX, type Service, setup } from "../_setup.ts";

/** More than two batches of a store, which are of 1,000. */
const MANY = 2_500;

function idOf(index: number): string {
  return `00000000-0000-4000-9000-${index.toString(16).padStart(12, "0")}`;
}

/** Five at each time, unordered. */
function timeOf(index: number): string {
  return new Date(Date.UTC(2026, 0, 1) + ((index * 7) % 500) * 60_000).toISOString();
}

function usersOf(count: number): object[] {
  return Array.from({ length: count }, (_, i) => ({
    id: idOf(i),
    email: `user${i}@acme.test`,
    name: i % 3 === 0 ? `Ada "${i}"` : `Bob ${i}`,
    created_at: timeOf(i),
    identities: [{ provider: "google", uid: String(i) }],
  }));
}

function seedOf(users: object[]): object {
  return { instances: [{ ...SEED.instances[0], users }, SEED.instances[1]], personas: SEED.personas };
}

/** The whole list as it must be: newest first, ties by id. */
function listed(indexes: number[]): object[] {
  return indexes
    .map((i) => ({ i, time: timeOf(i) }))
    .toSorted((a, b) => (a.time === b.time ? a.i - b.i : a.time < b.time ? 1 : -1))
    .map(({ i }) => ({
      id: idOf(i),
      resource: "user",
      data: {
        email: `user${i}@acme.test`,
        name: i % 3 === 0 ? `Ada "${i}"` : `Bob ${i}`,
        avatar_url: null,
        email_verified: false,
        providers: ["google"],
        created_at: timeOf(i),
      },
    }));
}

const range = (count: number): number[] => Array.from({ length: count }, (_, i) => i);

/** The address of the next page, from the Link header only. */
function nextOf(response: Response): string | undefined {
  return /^<([^>]+)>; rel="next"$/.exec(response.headers.get("link") ?? "")?.[1];
}

/** All pages from the first one on, by following the links. */
async function follow({ acme, as }: Service, first: string): Promise<{ id: string }[][]> {
  const pages: { id: string }[][] = [];
  for (let path: string | undefined = first; path !== undefined;) {
    const response: Response = await as(acme, path);
    expect(response.status).toBe(200);
    pages.push((await response.json()) as { id: string }[]);
    path = nextOf(response);
  }
  return pages;
}

/** With many users, for tests that change none. */
let many: Service;
beforeAll(async () => {
  many = await setup({ seed: seedOf(usersOf(MANY)) });
});

describe("A list without a limit", () => {
  it("returns every user of the instance in order", async () => {
    const { acme, as } = many;
    const response = await as(acme, "/api/v1/users");
    expect(response.status).toBe(200);
    expect(response.headers.get("content-type")).toBe("application/json");
    expect(response.headers.get("link")).toBeNull();
    expect(await response.json()).toEqual(listed(range(MANY)));
  });

  it.each([1000, 1001, 2000, 2001])("returns all of %i users", async (count) => {
    const { acme, as } = await setup({ seed: seedOf(usersOf(count)) });
    const users = (await (await as(acme, "/api/v1/users")).json()) as User[];
    expect(idsOf(users)).toEqual(idsOf(listed(range(count))));
  });

  it("returns every match of a search, however far apart the matches are", async () => {
    const { acme, as } = many;
    const response = await as(acme, "/api/v1/users/search?query=name:Ada*");
    expect(await response.json()).toEqual(listed(range(MANY).filter((i) => i % 3 === 0)));
    const single = await as(acme, "/api/v1/users/search?query=email:user17@acme.test");
    expect(await single.json()).toEqual(listed([17]));
  });

  it("returns every session of the instance in order", async () => {
    const sessions = range(MANY).map((i) => ({
      id: idOf(i),
      session_id: `svc_session_${idOf(MANY - i)}`,
      provider: "google",
      logged_in_at: timeOf(i),
    }));
    const { acme, as } = await setup({ seed: seedOf([{ email: "ada@acme.test", name: "Ada", sessions }]) });
    const found = (await (await as(acme, "/api/v1/sessions")).json()) as Session[];
    expect(found.map(({ id }) => id)).toEqual(idsOf(listed(range(MANY))));
  });
});

/** Reads a first piece, does something, and reads the rest. */
async function readAround(response: Response, between: () => Promise<unknown>): Promise<User[]> {
  const reader = response.body!.getReader();
  const pieces = [(await reader.read()).value!];
  await between();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    pieces.push(value);
  }
  return JSON.parse(Buffer.concat(pieces).toString()) as User[];
}

function idsOf(users: object[]): string[] {
  return users.map((user) => (user as User).id);
}

describe("A list that changes while it is sent", () => {
  it("stays one ordered JSON array with all remaining users when some are deleted", async () => {
    const { acme, as, log } = await setup({ seed: seedOf(usersOf(MANY)) });
    const before = idsOf(listed(range(MANY)));
    const victims = [0, 1, 999, 1000, 1100, 2000, 2499].map((place) => before[place]!);
    const response = await as(acme, "/api/v1/users");
    const users = await readAround(response, async () => {
      for (const id of victims) expect((await as(acme, `/api/v1/users/${id}`, { method: "DELETE" })).status).toBe(200);
    });
    const seen = new Set(idsOf(users));
    expect(idsOf(users)).toEqual(before.filter((id) => seen.has(id)));
    expect(before.filter((id) => !seen.has(id) && !victims.includes(id))).toEqual([]);
    expect(log.bugs).toEqual([]);
  });

  it("stays one ordered JSON array when every user is deleted", async () => {
    const { acme, as, store, log } = await setup({ seed: seedOf(usersOf(MANY)) });
    const before = idsOf(listed(range(MANY)));
    const users = await readAround(await as(acme, "/api/v1/users"), () =>
      Promise.all(before.map((id) => store.deleteUser(acme.id, id))),
    );
    const seen = new Set(idsOf(users));
    expect(idsOf(users)).toEqual(before.filter((id) => seen.has(id)));
    expect(await (await as(acme, "/api/v1/users")).json()).toEqual([]);
    expect(log.bugs).toEqual([]);
  });

  it("contains a deleted user either complete or not at all", async () => {
    const { acme, as, store } = await setup({ seed: seedOf(usersOf(MANY)) });
    const last = listed(range(MANY)).at(-1) as User;
    const users = await readAround(await as(acme, "/api/v1/users"), () => store.deleteUser(acme.id, last.id));
    const found = users.find((user) => user.id === last.id);
    expect(found ?? last).toEqual(last);
  });

  it("does not include users who sign in meanwhile", async () => {
    const { acme, as, signIn } = await setup({ seed: seedOf(usersOf(MANY)) });
    const users = await readAround(await as(acme, "/api/v1/users"), () => signIn("twitter", "mary"));
    expect(idsOf(users)).toEqual(idsOf(listed(range(MANY))));
    expect(await (await as(acme, "/api/v1/users")).json()).toHaveLength(MANY + 1);
  });

  it("leaves nothing running when the client disconnects", async () => {
    const { acme, as, log } = many;
    const reader = (await as(acme, "/api/v1/users")).body!.getReader();
    await reader.read();
    await reader.cancel();
    expect(log.bugs).toEqual([]);
    expect((await as(acme, `/api/v1/users/${idOf(0)}`)).status).toBe(200);
  });
});

/** A store with endless users that counts the batches read and records whether the reader stopped. */
function endless(): { store: Store; taken: number; stopped: boolean } {
  const state = { store: openMemoryStore(), taken: 0, stopped: false };
  const inner = state.store;
  async function* forever(instance_id: string): AsyncIterable<UserView[]> {
    const user = (await inner.findUser(instance_id, SEED.instances[0]!.users[0]!.id))!;
    try {
      for (;;) {
        state.taken++;
        yield [user];
      }
    } finally {
      state.stopped = true;
    }
  }
  state.store = { ...inner, users: forever };
  return state;
}

describe("A list that its client reads slowly", () => {
  it("is read from the store only as fast as the client reads", async () => {
    const state = endless();
    const { acme, as } = await setup({ store: state.store });
    const reader = (await as(acme, "/api/v1/users")).body!.getReader();
    for (let pieces = 1; pieces <= 20; pieces++) {
      expect((await reader.read()).done).toBe(false);
      expect(state.taken - pieces).toBeLessThanOrEqual(2);
    }
    expect(state.stopped).toBe(false);
    await reader.cancel();
    await expect.poll(() => state.stopped).toBe(true);
  });
});

describe("The limit and after parameters", () => {
  it.each([1, 1000])("return pages of %i", async (limit) => {
    const { acme, as } = await setup({ seed: seedOf(usersOf(1001)) });
    const response = await as(acme, `/api/v1/users?limit=${limit}`);
    const expected = listed(range(1001)).slice(0, limit) as User[];
    expect(await response.json()).toEqual(expected);
    const next = new URL(nextOf(response)!);
    expect(next.href).toMatch(/^http:\/\/localhost:7820\/api\/v1\/users\?limit=\d+&after=[\w-]+$/);
    expect(await (await as(acme, next.href)).json()).toEqual(listed(range(1001)).slice(limit, 2 * limit));
  });

  it("start after the given record, with and without a limit", async () => {
    const { acme, as } = many;
    const all = listed(range(MANY)) as User[];
    for (const place of [0, 3, 1250, 2498, 2499]) {
      const response = await as(acme, `/api/v1/users?after=${all[place]!.id}`);
      expect(idsOf((await response.json()) as User[])).toEqual(idsOf(all.slice(place + 1)));
      expect(response.headers.get("link")).toBeNull();
    }
  });

  it("work in a search, whose query the link keeps", async () => {
    const service = await setup({ seed: seedOf(usersOf(25)) });
    const first = "/api/v1/users/search?query=name%3AAda%2A%20-email%3Auser3%40acme.test&limit=4";
    const pages = await follow(service, first);
    expect(pages.map((page) => page.length)).toEqual([4, 4]);
    expect(pages.flat()).toEqual(listed(range(25).filter((i) => i % 3 === 0 && i !== 3)));
    const next = new URL(nextOf(await service.as(service.acme, first))!);
    expect(Object.fromEntries(next.searchParams)).toEqual({
      query: "name:Ada* -email:user3@acme.test",
      limit: "4",
      after: expect.stringMatching(/^[\w-]+$/),
    });
  });

  it("can start a search after a record that does not match it", async () => {
    const { acme, as } = await setup({ seed: seedOf(usersOf(25)) });
    const all = listed(range(25)) as User[];
    const place = all.findIndex(({ data }) => data.name.startsWith("Bob"));
    const response = await as(acme, `/api/v1/users/search?query=name:Ada*&after=${all[place]!.id}`);
    expect(await response.json()).toEqual(all.slice(place).filter(({ data }) => data.name.startsWith("Ada")));
  });

  it("link to the next page at the address of the request", async () => {
    const { acme, as } = await setup({ seed: seedOf(usersOf(2)) });
    for (const [asked, base] of [
      ["http://acme.localhost:7820", "http://acme.localhost:7820"],
      ["http://localhost:7820", "http://localhost:7820"],
      ["http://127.0.0.1:7820", "http://localhost:7820"],
    ]) {
      const next = nextOf(await as(acme, `${asked}/api/v1/users?limit=1`))!;
      expect(next.split("&after=")[0]).toBe(`${base}/api/v1/users?limit=1`);
    }
  });

  it.each(["0", "-1", "1001", "10000", "ten", "1.5", "1e2", "", "%20", "0x10"])(
    "reject a limit of %s",
    async (limit) => {
      const { acme, as } = await setup();
      for (const path of ["users?", "users/search?query=name:*&", "sessions?", "sessions/search?query=name:*&"]) {
        const response = await as(acme, `/api/v1/${path}limit=${limit}`);
        expect([response.status, await response.json()]).toEqual([
          400,
          { error: "Bad request: limit must be a number from 1 to 1000" },
        ]);
      }
    },
  );

  it.each([
    ["the id of no record", idOf(0xffff)],
    ["a user of another instance", ADA_OF_GLOBEX],
    ["a session of another instance", SESSION_OF_GLOBEX],
    ["empty", ""],
    ["a word", "nonsense"],
  ])("reject an after cursor that is %s", async (_, after) => {
    const { acme, as } = await setup();
    for (const path of ["users?", "users/search?query=name:*&", "sessions?", "sessions/search?query=name:*&"]) {
      const response = await as(acme, `/api/v1/${path}after=${after}`);
      expect([response.status, await response.json()]).toEqual([
        400,
        {
          error:
            "Bad request: after is neither the id of a record nor a position in this list; follow the Link header of the previous page, or omit after to begin with the first page",
        },
      ]);
    }
  });
});
