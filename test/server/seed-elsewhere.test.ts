import { expect, it } from "vitest";
import type { Session, User } from "../../src/client/index.ts";
import { answer } from "../_answers.ts";
import { CONTROL_KEY, setup } from "../_setup.ts";

const seedOf = (users: readonly object[], more: readonly object[] = []): object => ({
  instances: [{ name: "Acme", subdomain: "acme", users }, ...more],
});

/** What a server that starts with these users has, in their order. */
async function usersOf(...seed: Parameters<typeof seedOf>): Promise<User[]> {
  const { as, acme } = await setup({ seed: seedOf(...seed) });
  const users = (await (await as(acme, "/api/v1/users")).json()) as User[];
  const addresses = seed[0].map((user) => (user as { email: string }).email);
  return addresses.map((email) => users.find(({ data }) => data.email === email)!);
}

async function faultsOf(...seed: Parameters<typeof seedOf>): Promise<string[]> {
  const refused = (await setup({ seed: seedOf(...seed) }).catch((error: unknown) => error)) as Error;
  return refused.message.split("\n").slice(1);
}

it("A user without a name has the part of the address before the @, as dev users create makes it", async () => {
  const users = await usersOf([{ email: "no.name@acme.test" }, { email: "null@acme.test", name: null }]);
  expect(users.map(({ data }) => data.name)).toEqual(["no.name", "null"]);
  const service = await setup({ control: true });
  const headers = { authorization: `Bearer ${CONTROL_KEY}`, "content-type": "application/json" };
  const body = JSON.stringify({ email: "no.name@acme.test" });
  const created = await answer(await service.fetch("/__svc/v1/users", { method: "POST", headers, body }));
  expect(created).toMatchObject([201, { data: { name: "no.name" } }]);
});

it.each([
  ["PostgreSQL", "2024-01-15 10:30:00+00", "2024-01-15T10:30:00.000Z"],
  ["PostgreSQL, to the microsecond", "2024-01-15 10:31:00.123456+00", "2024-01-15T10:31:00.123Z"],
  ["PostgreSQL in India", "2024-01-15 10:30:00+05:30", "2024-01-15T05:00:00.000Z"],
  ["PostgreSQL's JSON", "2024-01-15T10:30:00.5-03:00", "2024-01-15T13:30:00.500Z"],
  ["JavaScript", "Mon Jan 15 2024 10:30:00 GMT+0100 (Central European Standard Time)", "2024-01-15T09:30:00.000Z"],
  ["JavaScript's toUTCString", "Mon, 15 Jan 2024 10:30:00 GMT", "2024-01-15T10:30:00.000Z"],
  ["JavaScript's toISOString", "2024-01-15T10:30:00.000Z", "2024-01-15T10:30:00.000Z"],
])("A date of %s is read", async (_, created_at, stored) => {
  const sessions = [{ provider: "google", logged_in_at: created_at }];
  const users = [{ email: "a@acme.test", created_at, email_verified_at: created_at, sessions }];
  const { as, acme } = await setup({ seed: seedOf(users) });
  const verified = encodeURIComponent(`email_verified_at>=${stored} email_verified_at<=${stored}`);
  const [user] = (await (await as(acme, `/api/v1/users/search?query=${verified}`)).json()) as User[];
  const [session] = (await (await as(acme, "/api/v1/sessions")).json()) as Session[];
  expect([user!.data.created_at, session!.data.logged_in_at]).toEqual([stored, stored]);
});

it.each(["2024-01-15 10:30:00", "15.01.2024 10:30", "2024-02-31 10:30:00+00", "Mon Jan 15", "1705314600000"])(
  "A date that could be several is refused: %s",
  async (created_at) => {
    expect(await faultsOf([{ email: "a@acme.test", created_at }])).toEqual([
      "  instances[0].users[0].created_at: must be a date and time such as 2026-01-31T12:00:00Z",
    ]);
  },
);

it("A UUID in capitals is stored in lower case, and is the same id", async () => {
  const id = "1B4E28BA-2FA1-41D2-883F-0016D3CCA427";
  const [user] = await usersOf([{ email: "a@acme.test", id }]);
  expect(user!.id).toBe(id.toLowerCase());
  const both = [id, id.toLowerCase()].map((each, n) => ({ email: `${n}@acme.test`, id: each }));
  expect(await faultsOf(both)).toEqual(["  instances[0].users[1].id: the same user id is at instances[0].users[0].id"]);
});

it("An id of another service becomes the UUID of version 5 that any tool computes", async () => {
  const id = "auth0:auth0|5f7c8ec7c33c6c004bbafe82";
  const elsewhere = [{ name: "Globex", subdomain: "globex", users: [{ email: "a@acme.test", id }] }];
  const { as, acme, globex } = await setup({ seed: seedOf([{ email: "a@acme.test", id }], elsewhere) });
  const idAt = async (instance: typeof acme): Promise<string> =>
    ((await (await as(instance, "/api/v1/users")).json()) as User[])[0]!.id;
  const [here, there] = [await idAt(acme), await idAt(globex)];
  // python3 -c 'import uuid; print(uuid.uuid5(uuid.UUID("e6c1…"), "auth0:acme:auth0|5f7c8ec7c33c6c004bbafe82"))'
  expect(here).toBe("436094e5-696b-5400-8c9e-d78d5017de2f");
  expect(there).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-[89ab]/);
  expect(there).not.toBe(here);
});

it("An id that is neither, or twice there, is refused", async () => {
  const users = ["5f7c8ec7", "auth0:x", "auth0:x"].map((id, n) => ({ email: `${n}@acme.test`, id }));
  expect(await faultsOf(users.slice(0, 1))).toEqual([
    "  instances[0].users[0].id: must be a UUID, or the id elsewhere behind the name of the service, such as auth0:5f7c8ec7",
  ]);
  expect(await faultsOf(users.slice(1))).toEqual([
    "  instances[0].users[1].id: the same user id is at instances[0].users[0].id",
  ]);
});

it("Of many faults the first twenty are named, and how many more there are, at a start and by the control API", async () => {
  const users = Array.from({ length: 2_000 }, () => ({ email: "no address", age: 7 }));
  const faults = await faultsOf(users);
  expect(faults).toHaveLength(21);
  expect(faults.at(-1)).toBe("  and 5979 more");
  const service = await setup({ control: true });
  const headers = { authorization: `Bearer ${CONTROL_KEY}`, "content-type": "application/json" };
  const [status, body] = await answer(
    await service.fetch("/__svc/v1/seed", { method: "POST", headers, body: JSON.stringify(seedOf(users)) }),
  );
  const { error } = body as { error: string };
  expect([status, error.split("; ").length, error.endsWith("; and 3980 more")]).toEqual([400, 21, true]);
});
