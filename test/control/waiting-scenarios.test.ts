// Below the faces: the words of a scenario, which the dashboard and the command print.

import { beforeEach, expect, it } from "vitest";
import type { AnswerOf } from "../../src/wire/control/types.ts";
import { scenarioInWords } from "../../src/wire/control/scenarios.ts";
import { startServer, type ControlledServer } from "../_control.ts";

type FlowData = AnswerOf<"GET /flows">[number]["data"];

let server: ControlledServer;
beforeEach(async () => {
  server = await startServer();
});

const waiting = async () => (await server.control("GET /state")).body.scenarios;

async function signIn(body: object): Promise<FlowData> {
  const { flow_id } = (await server.control("POST /sign-ins", body)).body;
  return (await server.control(`GET /flows/${flow_id}`)).body.data as FlowData;
}

it("The state names the scenarios that wait for any browser, until they are used up", async () => {
  expect(await waiting()).toEqual([]);
  await server.control("POST /scenarios", { match: { browser: "of-a-test" }, outcome: "access_denied" });
  const { body } = await server.control("POST /scenarios", { match: { provider: "github" }, outcome: "token_garbage" });
  expect(await waiting()).toEqual([body]);
  await signIn({ provider: "google" });
  expect(await waiting()).toHaveLength(1);
  await signIn({ provider: "github" });
  expect(await waiting()).toEqual([]);
});

it.each([
  [{}, "The next sign-in skips the account picker."],
  [{ as: "ada" }, "The next sign-in is ada's."],
  [
    { match: { provider: "github" }, outcome: "token_garbage" },
    "The next sign-in with GitHub ends with token_garbage.",
  ],
  [{ outcome: "rate_limited", times: 3, as: "ada" }, "The next 3 sign-ins are ada's, and end with rate_limited."],
  [{ times: null, profile: { name: null } }, "Every sign-in gets a changed profile."],
  [{ delay_ms: { token: 12_000 } }, "The next sign-in waits for the token endpoint for 12 s."],
  [
    { delay_ms: 1500, match: { login_hint: "bo@x.test" } },
    "The next sign-in for bo@x.test waits for the authorize page for 1.5 s.",
  ],
])("The scenario %j is, in words: %s", async (scenario, words) => {
  const { body } = await server.control("POST /scenarios", scenario);
  expect(scenarioInWords(body)).toBe(words);
});

it.each([
  [{ outcome: "token_garbage" }, "As the scenario token_garbage asked: GitHub's token endpoint answered 200"],
  [{ outcome: "access_denied" }, "As the scenario access_denied asked: GitHub reported access_denied"],
  [{ outcome: "state_expired" }, "As the scenario state_expired asked: The state expired"],
  [{ profile: { id: null } }, "As the scenario with a changed profile asked: GitHub's user endpoint answered 200"],
])("A failure that the scenario %j caused says so first", async (scenario, reason) => {
  const { body } = await server.control("POST /scenarios", { as: "ada", label: "mine", ...scenario });
  const flow = await signIn({ provider: "github" });
  expect(flow.reason!.slice(0, reason.length)).toBe(reason);
  expect(flow.scenario).toMatchObject({ id: body.id, label: "mine" });
  expect(flow.steps.findLast((step) => step.reason !== null)!.reason).toBe(flow.reason);
});

it("A failure beside a scenario that asked for an account alone is not blamed on it", async () => {
  await server.control("POST /scenarios", { as: "ada" });
  const flow = await signIn({ provider: "github", profile: { id: null } });
  expect(flow.reason).toMatch(/^GitHub's user endpoint answered 200/);
  expect(flow.scenario).not.toBeNull();
  expect(await signIn({ provider: "github", outcome: "token_garbage" })).toMatchObject({ scenario: null });
});

it("Failures by reason are grouped by what scenarios asked for, whichever scenario it was", async () => {
  for (const outcome of ["token_garbage", "code_rejected", "token_garbage"]) {
    await server.control("POST /scenarios", { outcome });
    await signIn({ provider: "github" });
  }
  const { failures } = (await server.control("GET /flows/summary")).body;
  expect(failures.map(({ count }: { count: number }) => count)).toEqual([2, 1]);
});
