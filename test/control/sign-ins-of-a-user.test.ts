import { afterAll, beforeAll, expect, it } from "vitest";
import { createTestService, type TestService } from "../../src/testing/index.ts";

let svc: TestService;
beforeAll(async () => {
  svc = await createTestService();
});
afterAll(() => svc.close());

it("A user's sign-ins are found by the user's id, with those that failed before there was a user", async () => {
  const failures = [
    { provider: "github", as: "ada", outcome: "token_garbage" },
    { provider: "github", as: "ada", outcome: "access_denied" },
    { provider: "google", as: "ada", outcome: "code_rejected" },
    { provider: "google", as: "ADA@acme.test", outcome: "state_expired" },
  ] as const;
  const ids: string[] = [];
  for (const options of failures) ids.unshift((await svc.signIn(options)).flow_id);
  const { user_id, flow_id } = await svc.signIn({ provider: "google", as: "ada" });
  await svc.signIn({ as: "grace", outcome: "rate_limited" });
  await svc.signIn({ as: "grace" });
  await svc.signIn({ as: "ada", instance: "globex", outcome: "rate_limited" });
  const query = { user: user_id! };
  expect((await svc.flows.list(query)).map(({ id }) => id)).toEqual([flow_id, ...ids]);
  expect((await svc.flows.list({ user: user_id!.toUpperCase() })).map(({ id }) => id)).toEqual([flow_id, ...ids]);
  expect(await svc.flows.summary({ ...query, result: "error" })).toMatchObject({ total: 4 });
});

it("A user's sign-ins are found by the provider's account, whose address is another by now", async () => {
  const { user_id } = await svc.signIn({ provider: "google", as: "ada" });
  await svc.control.request("PATCH /personas/:id", { params: { id: "ada" }, body: { email: "countess@acme.test" } });
  const { flow_id } = await svc.signIn({ provider: "google", as: "ada", outcome: "email_not_verified" });
  const [newest] = await svc.flows.list({ user: user_id! });
  expect([newest!.id, newest!.data.user_id]).toEqual([flow_id, null]);
});
