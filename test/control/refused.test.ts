import { expect, it } from "vitest";
import { startServer } from "../_control.ts";
import { clientOf } from "../_own-clients.ts";
import { CREDENTIALS } from "../_sign-in.ts";

const NOBODY = "00000000-0000-4000-8000-00000000ffff";
const CONNECTED = { instances: [{ name: "Acme", subdomain: "acme", connections: { github: CREDENTIALS.github } }] };
const BO = { id: "bo", name: "Bo", email: "bo@acme.test", google: { sub: "7", email_verified: true } };

it.each<[route: string, status: number, error: string, body?: unknown]>([
  ["POST /users", 400, "the body is missing; send a JSON object"],
  ["GET /state?x=1", 400, "x: this route takes no query"],
  ["DELETE /instances/acme/connections/google", 404, "the instance has no connection of its own to google"],
  ["DELETE /scenarios/none", 404, "no scenario has this id"],
  ["PATCH /personas/none", 404, "no persona has this id", { name: "Ada" }],
  ["DELETE /snapshots/none", 404, 'there is no snapshot "none"'],
  ["GET /snapshots/none", 404, 'there is no snapshot "none"'],
  ["POST /snapshots/none/restore", 404, 'there is no snapshot "none"', {}],
  ["POST /snapshots/previous/restore", 404, 'there is no snapshot "previous"', { instance: "acme" }],
  ["POST /snapshots/none/restore", 404, 'no instance has the id or subdomain "nowhere"', { instance: "nowhere" }],
  [`DELETE /users/${NOBODY}`, 404, "User not found"],
  [`PATCH /users/${NOBODY}`, 404, "User not found", { name: "Ada" }],
  [`POST /sessions/svc_session_${NOBODY}/restore`, 404, "Session not found", {}],
  ["POST /seed", 400, "generate: can't be combined with a seed document", { ...CONNECTED, generate: { users: 1 } }],
  ["POST /seed", 400, "personas[0].email: is missing", { personas: [{ id: "x" }] }],
  ["POST /tokens", 404, "acme has no users yet; sign in, or make one", {}],
  ["POST /tokens", 400, "must be 1 or more for a valid token", { expires_in: 0 }],
  ["POST /tokens", 400, "must be 0 or less for an expired token", { kind: "expired", expires_in: 1 }],
  ["POST /tokens", 400, "has no meaning for the kind wrong_signature", { kind: "wrong_signature", expires_in: 1 }],
  ["POST /sign-ins", 400, "github is not simulated here; sign in with a browser", { provider: "github" }],
  ["POST /sign-ins", 400, "as: bo has no account at twitter", { provider: "twitter", as: "bo" }],
  [
    "POST /sign-ins",
    400,
    "email_not_verified cannot happen at twitter",
    { outcome: "email_not_verified", provider: "twitter" },
  ],
  ["POST /sign-ins", 400, "profile", { profile: [] }],
  [
    "POST /sign-ins",
    400,
    "profile: must have at most 2000 characters as JSON",
    { profile: { name: "x".repeat(2001) } },
  ],
  ["POST /sign-ins", 400, "omit", { omit: "name" }],
  ["POST /sign-ins", 400, "profiles", { profiles: {} }],
  [
    "POST /scenarios",
    400,
    "outcome: email_primary_not_verified cannot happen at google",
    { outcome: "email_primary_not_verified", match: { provider: "google" } },
  ],
  ...["x@", "@acme.test", "new user@acme.test"].map((as): [string, number, string, object] => [
    "POST /scenarios",
    400,
    `as: no persona has the id "${as}"; give an id or an e-mail address`,
    { as },
  ]),
  ["GET /flows?since=9999-12-31T23:59:59-14:00", 400, "since: must be a date and time such as 2026-01-31T12:00:00Z"],
  ...["59m", "0s", "9000-01-01T00:00:00Z"].map((before): [string, number, string, object] => [
    "POST /sessions/prune",
    400,
    "must be an hour ago or more",
    { before },
  ]),
  ...[
    [{ redirect_uris: [] }, "redirect_uris: must have at least one address"] as const,
    [{ redirect_uris: ["/callback"] }, "redirect_uris[0]: it is not an absolute address"] as const,
    [{ redirect_uris: ["http://localhost/#x"] }, "redirect_uris[0]: it has a fragment"] as const,
    [{ client_id: "a b" }, "client_id: must be 1 to 128 of letters"] as const,
    [{ client_secret: "" }, "client_secret"] as const,
    [{ provider: "facebook" }, "provider"] as const,
    [{ more: 1 }, "more"] as const,
  ].map(([wrong, why]): [string, number, string, object] => [
    "POST /instances/acme/clients",
    400,
    why,
    { ...clientOf("google"), ...wrong },
  ]),
])("%s is refused with %i: %s", async (route, status, error, body) => {
  const { control } = await startServer({ seed: { ...CONNECTED, personas: [BO] } as never, providers: "auto" });
  const answer = await control(route, body);
  expect([answer.status, answer.body.error]).toEqual([status, expect.stringContaining(error)]);
});

it("A sign-in at an instance that is not active is refused", async () => {
  const { control } = await startServer();
  await control("PATCH /instances/acme", { active: false });
  const { status, body } = await control("POST /sign-ins", { provider: "google", instance: "acme" });
  expect([status, body]).toEqual([404, { error: "Instance not found: acme is not active" }]);
});
