import { expect, it } from "vitest";
import { startServer } from "../_control.ts";
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
