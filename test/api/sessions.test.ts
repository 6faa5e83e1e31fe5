import { describe, expect, it } from "vitest";
import type { Session } from "../../src/wire/resources.ts";
import { answer } from "../_answers.ts";
import { SEED, setup } from "../_setup.ts";

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const SESSION_ID = /^svc_session_[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const A1 = "svc_session_00000000-0000-4000-8000-00000000a001";
const A2 = "svc_session_00000000-0000-4000-8000-00000000a002";
const A3 = "svc_session_00000000-0000-4000-8000-00000000a003";

const ADA = {
  user_id: "00000000-0000-4000-8000-0000000000a1",
  name: "Ada Lovelace",
  email: "ada@acme.test",
  geo_data: {},
};

const ACTIVE = {
  id: expect.stringMatching(UUID) as string,
  resource: "session",
  data: {
    ...ADA,
    session_id: A1,
    provider: "google",
    ip_address: "203.0.113.7",
    logged_in_at: "2026-05-01T08:00:00.000Z",
    last_signin_at: "2026-05-01T08:00:00.000Z",
    revoked_at: null,
    active: true,
  },
};

const REVOKED = {
  id: expect.stringMatching(UUID) as string,
  resource: "session",
  data: {
    ...ADA,
    session_id: A2,
    provider: "github",
    ip_address: "198.51.100.23",
    logged_in_at: "2026-03-11T17:40:00.000Z",
    last_signin_at: "2026-03-11T17:40:00.000Z",
    revoked_at: "2026-03-12T08:00:00.000Z",
    active: false,
  },
};

const PASSWORD = {
  id: expect.stringMatching(UUID) as string,
  resource: "session",
  data: {
    session_id: A3,
    user_id: "00000000-0000-4000-8000-0000000000a2",
    provider: "password",
    name: "Charles Babbage",
    email: "charles@acme.test",
    ip_address: "192.0.2.44",
    geo_data: {},
    logged_in_at: "2025-12-24T18:00:00.000Z",
    last_signin_at: "2025-12-24T18:00:00.000Z",
    revoked_at: null,
    active: true,
  },
};

const NOT_FOUND = [404, { error: "Session not found" }];

const idOf = (last: number): string => `00000000-0000-4000-8000-00000000000${last}`;

async function sessionsOf(response: Response): Promise<Session[]> {
  return (await response.json()) as Session[];
}

/** The instance acme with one user who has these sessions. */
function seedOf(sessions: object[]): object {
  const [acme, globex] = SEED.instances;
  return { instances: [{ ...acme, users: [{ ...acme!.users[0], sessions }] }, globex], personas: SEED.personas };
}

describe("GET /api/v1/sessions", () => {
  it("lists the active and revoked sessions of the key's instance only", async () => {
    const { acme, as } = await setup();
    const response = await as(acme, "/api/v1/sessions");
    expect(response.headers.get("content-type")).toBe("application/json");
    expect(await answer(response)).toEqual([200, [ACTIVE, REVOKED, PASSWORD]]);
  });

  it("sorts sessions of the same time by id", async () => {
    const at = { provider: "google", logged_in_at: "2026-05-01T00:00:00Z" };
    const { acme, as } = await setup({
      seed: seedOf(
        [3, 1, 4, 2].map((last) => ({ ...at, id: idOf(last), session_id: `svc_session_${idOf(9 - last)}` })),
      ),
    });
    const listed = await sessionsOf(await as(acme, "/api/v1/sessions"));
    expect(listed.map((session) => session.id)).toEqual([idOf(1), idOf(2), idOf(3), idOf(4)]);
  });

  it("returns an empty array when there are no sessions", async () => {
    const { acme, as } = await setup({ seed: seedOf([]) });
    expect(await answer(await as(acme, "/api/v1/sessions"))).toEqual([200, []]);
  });

  it("includes what is known about the IP address", async () => {
    const geo_data = { country: "NL", city: "Amsterdam", location: { latitude: 52.4 } };
    const { acme, as } = await setup({ seed: seedOf([{ provider: "google", geo_data }]) });
    const [session] = await sessionsOf(await as(acme, "/api/v1/sessions"));
    expect(session!.data.geo_data).toEqual(geo_data);
  });
});

describe("The session that a sign-in creates", () => {
  it("is first in the list, with the user, provider and IP address of that sign-in", async () => {
    const { acme, as, signIn } = await setup();
    await signIn("google", "ada");
    const response = await as(acme, "/api/v1/sessions");
    expect(await answer(response)).toEqual([
      200,
      [
        {
          id: expect.stringMatching(UUID),
          resource: "session",
          data: {
            ...ADA,
            session_id: expect.stringMatching(SESSION_ID),
            provider: "google",
            ip_address: "127.0.0.1",
            logged_in_at: "2026-06-01T12:00:00.000Z",
            last_signin_at: "2026-06-01T12:00:00.000Z",
            revoked_at: null,
            active: true,
          },
        },
        ACTIVE,
        REVOKED,
        PASSWORD,
      ],
    ]);
  });

  it("is renewed by the user's next sign-in with the same provider and IP address", async () => {
    const { acme, as, clock, signIn } = await setup();
    await signIn("google", "ada");
    const [before] = await sessionsOf(await as(acme, "/api/v1/sessions"));
    clock.advance(90);
    await signIn("google", "ada");
    expect(await answer(await as(acme, "/api/v1/sessions"))).toEqual([
      200,
      [{ ...before, data: { ...before!.data, last_signin_at: "2026-06-01T12:01:30.000Z" } }, ACTIVE, REVOKED, PASSWORD],
    ]);
  });

  it("keeps the name that the user had at that time", async () => {
    const personas = [{ ...SEED.personas[0], name: "Countess of Lovelace" }];
    const { acme, as, signIn } = await setup({ seed: { ...SEED, personas } });
    await signIn("google", "ada");
    const listed = await sessionsOf(await as(acme, "/api/v1/sessions"));
    expect(listed.map(({ data }) => data.name)).toEqual([
      "Countess of Lovelace",
      "Ada Lovelace",
      "Ada Lovelace",
      "Charles Babbage",
    ]);
  });
});

describe("GET /api/v1/sessions/:id", () => {
  it.each([
    ["an active session", A1, ACTIVE],
    ["a revoked session", A2, REVOKED],
  ])("returns %s by its session_id", async (_, id, session) => {
    const { acme, as } = await setup();
    expect(await answer(await as(acme, `/api/v1/sessions/${id}`))).toEqual([200, session]);
  });

  it("finds a session by session_id only, not by the record's id", async () => {
    const { acme, as } = await setup();
    const session = (await (await as(acme, `/api/v1/sessions/${A1}`)).json()) as Session;
    expect(await answer(await as(acme, `/api/v1/sessions/${session.id}`))).toEqual(NOT_FOUND);
  });
});

describe("GET /api/v1/sessions/search", () => {
  it("returns the same shape as the list, in the same order", async () => {
    const { acme, as } = await setup();
    expect(await answer(await as(acme, "/api/v1/sessions/search?query=-provider:twitter"))).toEqual([
      200,
      [ACTIVE, REVOKED, PASSWORD],
    ]);
  });

  it("returns an empty array when nothing matches", async () => {
    const { acme, as } = await setup();
    expect(await answer(await as(acme, "/api/v1/sessions/search?query=provider:twitter"))).toEqual([200, []]);
  });

  it.each(["", "?query=", "?query=%20%20", "?q=email:ada@acme.test"])(
    "answers 400 without a query: %s",
    async (query) => {
      const { acme, as } = await setup();
      expect(await answer(await as(acme, `/api/v1/sessions/search${query}`))).toEqual([
        400,
        { error: "query is required" },
      ]);
    },
  );
});
