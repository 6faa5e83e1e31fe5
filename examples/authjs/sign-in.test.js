import assert from "node:assert/strict";
import { test } from "node:test";
import { createTestService } from "svc-identity/testing";
import { createApp } from "./app.js";

const origin = "http://localhost:3000";
const path = "/sign-in?return_to=/auth/session";
const secret = "a secret of Auth.js, for tests only";

async function setup() {
  const svc = await createTestService();
  const [{ secret_key: secretKey }] = svc.instances;
  return { svc, app: createApp({ secretKey, baseUrl: svc.url, origin, secret, now: svc.clock.now }) };
}

test("a sign-in through svc is a session of Auth.js", async () => {
  const { svc, app } = await setup();
  const { response } = await svc.signInTo(app, { as: "ada", path, origin });
  const { user } = await response.json();
  assert.deepEqual([user.email, user.name], ["ada@acme.test", "Ada Lovelace"]);
  await svc.close();
});

test("a cancelled sign-in makes no session", async () => {
  const { svc, app } = await setup();
  const cancelled = await svc.signInTo(app, { as: "ada", outcome: "access_denied", path, origin });
  assert.equal(cancelled.response.status, 401);
  assert.deepEqual(await cancelled.response.json(), { error: "access_denied" });
  assert.equal(await (await cancelled.fetch("/auth/session")).json(), null);
  await svc.close();
});

test("a token in an address, or posted by another site, is refused", async () => {
  const { svc, app } = await setup();
  const { token } = await svc.signIn({ as: "ada" });
  const inAddress = await app(new Request(`${origin}/callback?token=${token}`));
  assert.equal(inAddress.status, 401);
  const posted = await app(
    new Request(`${origin}/auth/callback/svc`, { method: "POST", body: new URLSearchParams({ token }) }),
  );
  assert.equal(
    posted.headers.getSetCookie().some((cookie) => cookie.includes("session-token=ey")),
    false,
  );
  await svc.close();
});

test("a forged token is refused by authorize, even behind Auth.js's own form", async () => {
  const { svc, app } = await setup();
  const { token } = await svc.signIn({ as: "ada" });
  const form = await app(new Request(`${origin}/auth/csrf`));
  const { csrfToken } = await form.json();
  const cookie = form.headers
    .getSetCookie()
    .map((line) => line.split(";")[0])
    .join("; ");
  const send = (sent) =>
    app(
      new Request(`${origin}/auth/callback/svc`, {
        method: "POST",
        headers: { cookie },
        body: new URLSearchParams({ token: sent, csrfToken }),
      }),
    );
  const isSignedIn = ({ headers }) => headers.getSetCookie().some((line) => line.includes("session-token=ey"));
  assert.equal(isSignedIn(await send(token)), true);
  assert.equal(isSignedIn(await send(`${token.slice(0, -4)}AAAA`)), false);
  await svc.close();
});
