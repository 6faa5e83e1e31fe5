import { describe, expect, it } from "vitest";
import type { Session } from "../../src/wire/resources.ts";
import { SEED, setup, START } from "../_setup.ts";

const [ACME] = SEED.instances as [object, object];

describe("An active session", () => {
  const user = {
    id: "00000000-0000-4000-8000-0000000000a1",
    email: "ada@acme.test",
    name: "Before",
    email_verified_at: "2026-01-05T09:00:00Z",
    identities: [{ provider: "google", uid: "1001", email_verified: true }],
  };
  const before = {
    session_id: "svc_session_00000000-0000-4000-8000-00000000a001",
    provider: "google",
    ip_address: "127.0.0.1",
    logged_in_at: "2026-05-01T08:00:00Z",
  };

  /** The data of a session of Ada's sign-in. */
  const data = {
    user_id: user.id,
    provider: "google",
    name: "Ada Lovelace",
    email: "ada@acme.test",
    ip_address: "127.0.0.1",
    geo_data: {},
    last_signin_at: START.toISOString(),
    revoked_at: null,
    active: true,
  };

  async function sessionsAfter(session: object): Promise<Session[]> {
    const seed = { ...SEED, instances: [{ ...ACME, users: [{ ...user, sessions: [session] }] }] };
    const { tokenFor, as, acme } = await setup({ seed });
    await tokenFor("google", "ada");
    return (await (await as(acme, "/api/v1/sessions")).json()) as Session[];
  }

  it("is renewed for the same user, provider and address", async () => {
    const sessions = await sessionsAfter(before);
    expect(sessions.map((session) => session.data)).toEqual([
      { ...data, session_id: before.session_id, logged_in_at: "2026-05-01T08:00:00.000Z" },
    ]);
  });

  it.each([
    ["is revoked", { ...before, revoked_at: "2026-05-02T08:00:00Z" }],
    ["was opened from another address", { ...before, ip_address: "::1" }],
    ["was opened through another provider", { ...before, provider: "github" }],
    ["was opened with a password", { ...before, provider: "password" }],
  ])("that %s is left alone, and a new one starts", async (_what, session) => {
    const [fresh, old, ...more] = await sessionsAfter(session);
    expect(more).toEqual([]);
    expect(fresh!.data).toEqual({
      ...data,
      session_id: expect.stringMatching(/^svc_session_[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/) as string,
      logged_in_at: START.toISOString(),
    });
    expect(fresh!.data.session_id).not.toBe(before.session_id);
    expect(old!.data).toMatchObject({
      ...session,
      name: "Before",
      logged_in_at: "2026-05-01T08:00:00.000Z",
      last_signin_at: "2026-05-01T08:00:00.000Z",
      ...("revoked_at" in session && { revoked_at: "2026-05-02T08:00:00.000Z" }),
    });
  });

  it("of another user is left alone", async () => {
    const { tokenFor, as, acme } = await setup();
    const others = (await (await as(acme, "/api/v1/sessions")).json()) as Session[];
    await tokenFor("google", "mary");
    const after = (await (await as(acme, "/api/v1/sessions")).json()) as Session[];
    expect(after.slice(1)).toEqual(others);
  });

  it("is not created by a failed sign-in", async () => {
    const { signIn, as, acme } = await setup();
    const sessions = await (await as(acme, "/api/v1/sessions")).json();
    await signIn("google", "alan");
    expect(await (await as(acme, "/api/v1/sessions")).json()).toEqual(sessions);
  });
});
