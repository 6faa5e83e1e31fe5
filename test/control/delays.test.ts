import { expect, it } from "vitest";
import { serviceBy } from "../_services.ts";
import { startServer } from "../_control.ts";

/** How long each step of a sign-in took, in milliseconds. */
async function took(delay_ms: object | number): Promise<Record<string, number>> {
  const svc = await serviceBy("in process");
  await svc.scenarios.next({ as: "ada", delay_ms });
  const { flow_id, token } = await svc.signIn({ provider: "github" });
  expect(token).toBeDefined();
  const { steps } = (await svc.flows.get(flow_id)).data;
  return Object.fromEntries(steps.map(({ name, ms }) => [name, ms]));
}

// A delay is what is asked for, so how long a step takes at least is no guess.
it.each([
  [300, "provider"],
  [{ authorize: 300 }, "provider"],
  [{ token: 300 }, "token"],
  [{ profile: 300 }, "user"],
])("A delay of %j is one of the step %s alone", async (delay_ms, slow) => {
  const { [slow]: delayed, redirect: _, ...others } = await took(delay_ms);
  expect(delayed).toBeGreaterThanOrEqual(299);
  expect(Math.max(...Object.values(others))).toBeLessThan(delayed!);
});

it("A token endpoint that takes longer than the provider may fails the sign-in, and says that a scenario asked for it", async () => {
  const server = await startServer({ providerTimeoutMs: 200 });
  await server.control("POST /scenarios", { as: "ada", delay_ms: { token: 12_000 } });
  const { flow_id, error } = (await server.control("POST /sign-ins", { provider: "google" })).body;
  expect(error).toBe("temporarily_unavailable");
  expect((await server.control(`GET /flows/${flow_id}`)).body.data.reason).toBe(
    "As the scenario with a delay asked: Google's token endpoint did not answer in time. Try again later.",
  );
});

it("A delay for an endpoint that does not exist, of no number, or of more than 25 s is refused", async () => {
  const server = await startServer();
  for (const delay_ms of [{ tokens: 1 }, { token: "12s" }, { token: 25_001 }, 25_001, -1, "1s"])
    expect((await server.control("POST /scenarios", { delay_ms })).status).toBe(400);
  const { body } = await server.control("POST /scenarios", { delay_ms: { token: 12_000 } });
  expect(body.data.delay_ms).toEqual({ token: 12_000 });
});
