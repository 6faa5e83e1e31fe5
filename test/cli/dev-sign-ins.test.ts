import { expect, it } from "vitest";
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
  expect([code, stderr]).toEqual([
    0,
    expect.stringMatching(/^Deleted \d scenarios? of http:\S+ \(SVC_CONTROL_URL\)\.\n$/),
  ]);
  expect(await answerOf("dev scenarios")).toEqual([]);
});

it("svc dev next passes every flag on", async () => {
  const line = "dev next twitter --instance globex --outcome rate_limited --times 3 --delay 5";
  const { data } = await answerOf<Scenario>(line);
  expect(data).toMatchObject({
    match: { provider: "twitter", instance: server.instances[1]!.id },
    outcome: "rate_limited",
    times: 3,
    delay_ms: 5,
  });
});
