import { expect, it } from "vitest";
import { APP, CONTROL_KEY, setup, type Service } from "../_setup.ts";

const START = `/oauth/authorize?provider=google&redirect_uri=${APP}`;

async function control({ fetch }: Service, path: string, body?: object): Promise<unknown> {
  const headers = { authorization: `Bearer ${CONTROL_KEY}`, "content-type": "application/json" };
  const response = await fetch(
    `/__svc/v1/${path}`,
    body ? { method: "POST", headers, body: JSON.stringify(body) } : { headers },
  );
  return response.json();
}

it.each([
  `/sign-in?redirect_uri=${APP}`,
  START,
  `/__svc/begin?instance=acme&provider=google&redirect_uri=${APP}`,
  "/oauth/google/callback?code=c&state=s",
])("A HEAD request starts or ends no sign-in: %s", async (path) => {
  const service = await setup({ control: true });
  const response = await service.fetch(path, { method: "HEAD" });
  expect([response.status, response.headers.get("allow")]).toEqual([405, "GET"]);
  expect(await control(service, "flows")).toEqual([]);
});

it("A HEAD request at a simulated provider uses up no scenario", async () => {
  const service = await setup({ control: true });
  await control(service, "scenarios", { outcome: "access_denied" });
  const provider = (await service.fetch(START)).headers.get("location") ?? "";
  const response = await service.fetch(provider, { method: "HEAD" });
  expect([response.status, response.headers.get("allow")]).toEqual([405, "GET"]);
  expect(await control(service, "scenarios")).toMatchObject([{ data: { used: 0, remaining: 1 } }]);
  const back = (await service.fetch(provider)).headers.get("location") ?? "";
  expect(back).toContain("error=access_denied");
});
