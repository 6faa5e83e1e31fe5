import { expect } from "vitest";
import { withAuth } from "svc-identity/middleware";
import { test } from "svc-identity/testing/vitest";

test("the API refuses a token that expires while the user is on the page", async ({ svc }) => {
  const [{ secret_key: secretKey }] = svc.instances;
  const api = withAuth((_request, { email }) => Response.json({ email }), { secretKey, now: svc.clock.now });

  const { token } = await svc.signIn({ as: "ada" });
  const headers = { authorization: `Bearer ${token}` };
  const load = () => api(new Request("http://localhost/me", { headers }));

  expect(await (await load()).json()).toEqual({ email: "ada@acme.test" });
  await svc.clock.advance("61m");
  expect((await load()).status).toBe(401);
});
