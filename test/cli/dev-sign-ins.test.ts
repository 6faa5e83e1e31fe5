import { expect, it } from "vitest";
import { OUTCOME_IDS } from "../../src/wire/outcomes.ts";
import { answerOf, server, signIn, svc, useDevServer } from "../_dev-server.ts";

useDevServer();

interface Scenario {
  readonly id: string;
  readonly data: Record<string, unknown>;
}

it("svc dev next decides the outcome of exactly one sign-in with a provider", async () => {
  const scenario = await answerOf<Scenario>("dev next github --as ada --outcome access_denied");
  expect(scenario.data).toMatchObject({ match: { provider: "github" }, as: "ada", outcome: "access_denied", times: 1 });
  expect((await signIn("github")).searchParams.get("error")).toBe("access_denied");
  const [met] = await answerOf<Scenario[]>("dev scenarios");
  expect(met).toMatchObject({ id: scenario.id, data: { used: 1, remaining: 0 } });
});

it("svc dev next --always decides every sign-in until the scenarios are cleared", async () => {
  await answerOf("dev next --as grace --always");
  for (let i = 0; i < 2; i++) expect((await signIn("google")).searchParams.get("token")).toMatch(/^eyJ/);
  const { code, stderr } = await svc("dev scenarios --clear");
  expect([code, stderr]).toEqual([0, expect.stringMatching(/^Deleted \d scenarios?\.\n$/)]);
  expect(await answerOf("dev scenarios")).toEqual([]);
});

it("svc dev next passes every flag on", async () => {
  const line = "dev next twitter --instance globex --outcome rate_limited --times 3 --delay 5 --label mine";
  const { data } = await answerOf<Scenario>(`${line} --login-hint bo@home.test --browser b1`);
  expect(data).toMatchObject({
    match: { provider: "twitter", instance: server.instances[1]!.id, login_hint: "bo@home.test", browser: "b1" },
    outcome: "rate_limited",
    times: 3,
    delay_ms: 5,
    label: "mine",
  });
});

it.each([
  ["dev next --outcome nonsense", 2, "Use one of success"],
  ["dev next facebook", 2, "Use one of google"],
  ["dev next --as stranger", 2, 'no persona has the id "stranger"'],
  ["dev next --times few", 2, '--times: "few" is not a whole number'],
  ["dev next --times 2 --always", 2, "--always"],
  ["dev next --instance nowhere", 2, "nowhere"],
  ["dev next twitter --outcome email_primary_not_verified", 2, "twitter"],
])("svc %s exits with %i and prints the reason", async (line, exit, words) => {
  const { code, stdout, stderr } = await svc(line);
  expect([code, stdout]).toEqual([exit, ""]);
  expect(stderr).toContain(words);
});

it("svc dev outcomes prints the whole catalogue in every format", async () => {
  const { stdout } = await svc("dev outcomes --output ids");
  expect(stdout.trim().split("\n")).toEqual([...OUTCOME_IDS]);
  const table = await svc("dev outcomes", { tty: true, columns: 120 });
  expect(table.stdout).toMatch(/OUTCOME +WHAT HAPPENS +THE APPLICATION SEES/);
});
