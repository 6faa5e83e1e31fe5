import assert from "node:assert/strict";
import { test } from "node:test";
import { createTestService } from "svc-identity/testing";
import { createAuth } from "./auth.js";

const origin = "http://localhost:3000";
const path = "/api/auth/svc/sign-in?return_to=/api/auth/get-session";
const secret = "a secret of Better Auth, for tests only";

async function setup() {
  const svc = await createTestService();
  const [{ secret_key: secretKey }] = svc.instances;
  const auth = createAuth({ secretKey, baseUrl: svc.url, origin, secret, now: svc.clock.now });
  return { svc, auth, secretKey };
}

test("a sign-in through svc is a session of Better Auth, and a second one the same user's", async () => {
  const { svc, auth } = await setup();
  const first = await svc.signInTo(auth.handler, { as: "ada", path, origin });
  const { user } = await first.response.json();
  assert.deepEqual([user.email, user.name], ["ada@acme.test", "Ada Lovelace"]);
  const again = await svc.signInTo(auth.handler, { as: "ada", path, origin });
  assert.equal((await again.response.json()).user.id, user.id);
  await svc.close();
});

test("a cancelled sign-in makes no session", async () => {
  const { svc, auth } = await setup();
  const cancelled = await svc.signInTo(auth.handler, { as: "ada", outcome: "access_denied", path, origin });
  assert.equal(cancelled.response.status, 401);
  assert.deepEqual(await cancelled.response.json(), { error: "access_denied" });
  assert.equal(await (await cancelled.fetch("/api/auth/get-session")).json(), null);
  await svc.close();
});

test("a token in an address alone is refused: the browser must have begun the sign-in", async () => {
  const { svc, auth } = await setup();
  const { token } = await svc.signIn({ as: "ada" });
  const response = await auth.handler(new Request(`${origin}/api/auth/svc/callback?token=${token}`));
  assert.equal(response.status, 401);
  assert.deepEqual(
    response.headers.getSetCookie().filter((line) => line.includes("session_token")),
    [],
  );
  await svc.close();
});
