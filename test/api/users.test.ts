import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { User } from "../../src/wire/resources.ts";
import { answer } from "../_answers.ts";
import { startServer } from "../_control.ts";
import { temporaryDirectory } from "../_files.ts";
import { SEED, setup } from "../_setup.ts";

const A1 = "00000000-0000-4000-8000-0000000000a1";
const A2 = "00000000-0000-4000-8000-0000000000a2";
const A3 = "00000000-0000-4000-8000-0000000000a3";
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

const ADA = {
  id: A1,
  resource: "user",
  data: {
    email: "ada@acme.test",
    name: "Ada Lovelace",
    avatar_url: null,
    email_verified: true,
    providers: ["google"],
    created_at: "2026-01-05T09:00:00.000Z",
  },
};
const CHARLES = {
  id: A2,
  resource: "user",
  data: {
    email: "charles@acme.test",
    name: "Charles Babbage",
    avatar_url: null,
    email_verified: false,
    providers: [],
    created_at: "2025-12-24T18:00:00.000Z",
  },
};
const GRACE = {
  id: A3,
  resource: "user",
  data: {
    email: "grace@navy.test",
    name: "Grace Hopper",
    avatar_url: null,
    email_verified: false,
    providers: ["github"],
    created_at: "2026-02-14T12:30:00.000Z",
  },
};
const NOT_FOUND = [404, { error: "User not found" }];

const idOf = (last: number): string => `00000000-0000-4000-8000-00000000000${last}`;

describe("GET /api/v1/users/:id", () => {
  it.each([
    ["a user who signed in with google", ADA],
    ["a user who has a password", CHARLES],
    ["a user who signed in with github", GRACE],
  ])("returns %s", async (_, user) => {
    const { acme, as } = await setup();
    const response = await as(acme, `/api/v1/users/${user.id}`);
    expect(response.headers.get("content-type")).toBe("application/json");
    expect(await answer(response)).toEqual([200, user]);
  });

  it("lists each provider once in the order of linking, with the latest picture", async () => {
    const { acme, as, signIn } = await setup();
    await signIn("github", "ada");
    await signIn("google", "ada");
    const avatar_url = "http://localhost:7820/__svc/simulator/avatars/ada.svg";
    expect(await answer(await as(acme, `/api/v1/users/${A1}`))).toEqual([
      200,
      { ...ADA, data: { ...ADA.data, avatar_url, providers: ["google", "github"] } },
    ]);
  });

  it("returns a user who signed in for the first time", async () => {
    const { acme, as, client, signIn } = await setup();
    const url = await signIn("twitter", "mary");
    const { id } = await client(acme).tokens.verify(url.searchParams.get("token")!);
    expect(await answer(await as(acme, `/api/v1/users/${id}`))).toEqual([
      200,
      {
        id: expect.stringMatching(UUID),
        resource: "user",
        data: {
          email: "3003@twitter.invalid",
          name: "mshelley",
          avatar_url: "http://localhost:7820/__svc/simulator/avatars/mary.svg",
          email_verified: false,
          providers: ["twitter"],
          created_at: "2026-06-01T12:00:00.000Z",
        },
      },
    ]);
  });
});

describe("GET /api/v1/users", () => {
  it("lists the users of the key's instance only, newest first", async () => {
    const { acme, as } = await setup();
    const response = await as(acme, "/api/v1/users");
    expect(response.headers.get("content-type")).toBe("application/json");
    expect(await answer(response)).toEqual([200, [GRACE, ADA, CHARLES]]);
  });

  it("sorts users of the same time by id", async () => {
    const users = [3, 1, 4, 2].map((last) => ({
      id: idOf(last),
      email: `${last}@acme.test`,
      name: "Ada",
      created_at: "2026-01-01T00:00:00Z",
    }));
    const { acme, as } = await setup({ seed: { instances: [{ ...SEED.instances[0], users }, SEED.instances[1]] } });
    const listed = (await (await as(acme, "/api/v1/users")).json()) as User[];
    expect(listed.map((user) => user.id)).toEqual([idOf(1), idOf(2), idOf(3), idOf(4)]);
  });

  it("returns an empty array when there are no users", async () => {
    const { acme, as } = await setup({
      seed: { instances: [{ ...SEED.instances[0], users: [] }, SEED.instances[1]] },
    });
    expect(await answer(await as(acme, "/api/v1/users"))).toEqual([200, []]);
  });

  it.each([`/api/v1/users/${A2}`, "/api/v1/users", "/api/v1/users/search?query=id:*"])(
    "never includes a password digest: %s",
    async (path) => {
      const { acme, as } = await setup();
      const text = await (await as(acme, path)).text();
      expect(text).toContain("charles@acme.test");
      expect(text).not.toMatch(/digest/);
    },
  );
});

describe("GET /api/v1/users/search", () => {
  it("returns the shape of GET /users/:id in the order of the list", async () => {
    const { acme, as } = await setup();
    expect(await answer(await as(acme, "/api/v1/users/search?query=-name:Charles*"))).toEqual([200, [GRACE, ADA]]);
  });

  it("returns an empty array when nothing matches", async () => {
    const { acme, as } = await setup();
    expect(await answer(await as(acme, "/api/v1/users/search?query=name:nobody"))).toEqual([200, []]);
  });

  it("accepts a URL-encoded query, and one that needs no encoding", async () => {
    const { acme, as } = await setup();
    for (const query of ["email%3Aada%40acme.test%20name%3AAda%2A", "email:ada@acme.test+name:Ada*"]) {
      expect(await answer(await as(acme, `/api/v1/users/search?query=${query}`))).toEqual([200, [ADA]]);
    }
  });

  it.each(["", "?query=", "?query=%20%20", "?q=email:ada@acme.test"])(
    "answers 400 without a query: %s",
    async (query) => {
      const { acme, as } = await setup();
      expect(await answer(await as(acme, `/api/v1/users/search${query}`))).toEqual([
        400,
        { error: "query is required" },
      ]);
    },
  );

  it("accepts only one query", async () => {
    const { acme, as } = await setup();
    expect(await answer(await as(acme, "/api/v1/users/search?query=name:Ada*&query=name:Grace*"))).toEqual([
      400,
      { error: "Bad request: a query parameter is repeated" },
    ]);
  });

  it("finds a user by the values of the last sign-in", async () => {
    const personas = [{ ...SEED.personas[0], name: "Countess of Lovelace" }];
    const { acme, as, signIn } = await setup({ seed: { ...SEED, personas } });
    await signIn("google", "ada");
    const found = async (query: string): Promise<string[]> =>
      ((await (await as(acme, `/api/v1/users/search?query=${query}`)).json()) as User[]).map((user) => user.id);
    expect(await found("name:Countess*")).toEqual([A1]);
    expect(await found("name:Ada*")).toEqual([]);
    expect(await found("updated_at:2026-06-01")).toEqual([A1]);
    expect(await found("created_at:2026-01-05")).toEqual([A1]);
  });
});

describe("DELETE /api/v1/users/:id", () => {
  it("answers with the id and removes the user everywhere", async () => {
    const { acme, as } = await setup();
    expect(await answer(await as(acme, `/api/v1/users/${A1}`, { method: "DELETE" }))).toEqual([
      200,
      { deleted: true, id: A1 },
    ]);
    expect(await answer(await as(acme, `/api/v1/users/${A1}`))).toEqual(NOT_FOUND);
    expect(await answer(await as(acme, "/api/v1/users"))).toEqual([200, [GRACE, CHARLES]]);
    expect(await answer(await as(acme, "/api/v1/users/search?query=email:ada@acme.test"))).toEqual([200, []]);
  });

  it("leaves nothing of the user in the store's files", async () => {
    const directory = temporaryDirectory();
    const contents = async (): Promise<string> => {
      const names = (await readdir(directory)).filter((name) => /^db\.(?:json|journal)$/.test(name));
      return (await Promise.all(names.map((name) => readFile(join(directory, name), "utf8")))).join("");
    };
    const server = await startServer({ store: join(directory, "db.json"), seed: SEED as never });
    await server.control("POST /sign-ins", { provider: "github", as: "ada", instance: "acme" });
    expect(await contents()).toContain(A1);
    const headers = { "x-service-secret-key": SEED.instances[0]!.secret_key };
    expect((await fetch(`${server.url}/api/v1/users/${A1}`, { method: "DELETE", headers })).status).toBe(200);
    await server.close();
    expect(await contents()).toContain(A3);
    expect(await contents()).not.toContain(A1);
  });

  it("deletes nothing with a missing or invalid key", async () => {
    const { acme, fetch, as } = await setup();
    for (const headers of [{}, { "x-service-secret-key": "sk_bad" }]) {
      expect((await fetch(`/api/v1/users/${A1}`, { method: "DELETE", headers })).status).toBe(401);
    }
    expect((await as(acme, `/api/v1/users/${A1}`)).status).toBe(200);
  });
});
