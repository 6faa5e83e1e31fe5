import { beforeAll, describe, expect, it } from "vitest";
import { server, svc, useDevServer } from "../_dev-server.ts";
import { controlOf } from "../_dashboard.ts";
import { failTenTimes, type Failed } from "../_ten-failures.ts";

useDevServer({ providers: "simulated" });

describe("Of ten sign-ins that failed in ten ways", () => {
  let failed: readonly Failed[];
  beforeAll(async () => {
    failed = await failTenTimes(server);
  });
  const control = async (route: string) => (await controlOf(server, route)).body;
  const beginning = ({ asker, why }: Failed): string => (asker === undefined ? why : `${asker}: ${why}`);

  it("the API says which five were asked for, and why each failed", async () => {
    for (const one of failed) {
      const { data } = await control(`GET /flows/${one.id}`);
      expect(data.result).toBe("error");
      expect((data.reason as string).startsWith(beginning(one)), `${data.reason} begins with ${beginning(one)}`).toBe(
        true,
      );
      expect(data.asked_by === null, data.reason).toBe(one.asker === undefined);
    }
    const found = async (query: string): Promise<unknown[]> =>
      ((await control(`GET /flows?result=error&${query}`)) as Failed[]).map(({ id }) => id).toSorted();
    const ids = (isAsked: boolean): string[] =>
      failed.filter(({ asker }) => (asker !== undefined) === isAsked).map(({ id }) => id);
    expect(await found("asked_by=any")).toEqual(ids(true).toSorted());
    expect(await found("asked_by=none")).toEqual(ids(false).toSorted());
    expect(await found("asked_by=replay")).toHaveLength(1);
  });

  it("the summary counts them apart, with ten reasons", async () => {
    const { results, failures } = await control("GET /flows/summary");
    expect(results).toMatchObject({ token: 1, error: 10, asked_for: 5, canceled: 0 });
    expect(failures.filter((group: { is_asked_for: boolean }) => group.is_asked_for)).toHaveLength(5);
    expect(failures).toHaveLength(10);
  });

  it("svc logs says the same", async () => {
    const { stdout } = await svc("logs --failed");
    for (const one of failed) expect(stdout.replaceAll(/\s+/g, " ")).toContain(beginning(one));
    expect(stdout.match(/As (?:chosen in the picker|the .+? asked): /g)!.length).toBeGreaterThanOrEqual(5);
  });
});

it("Cancel on the picker is what a user decides, and was not asked for", async () => {
  const start = `${server.url}/oauth/authorize?provider=github&redirect_uri=http://localhost:3000/callback`;
  const picker = (await fetch(start, { redirect: "follow", headers: { accept: "application/json" } })).json();
  const { cancel_url } = (await picker) as { cancel_url: string };
  await fetch(cancel_url, { redirect: "manual" }).then((response) =>
    fetch(response.headers.get("location")!, { redirect: "manual" }),
  );
  const [{ data }] = (await controlOf(server, "GET /flows?limit=1")).body;
  expect(data).toMatchObject({ error: "access_denied", asked_by: null, reason: expect.stringMatching(/^GitHub/) });
});

it("A failure other than the one that was asked for is told as it is", async () => {
  await controlOf(server, "POST /scenarios", { outcome: "token_error", as: "ada" });
  const browser = { "user-agent": "Mozilla/5.0", accept: "text/html" };
  let place = `${server.url}/oauth/authorize?provider=google&redirect_uri=http://localhost:3000/callback`;
  while (!place.includes("/callback?"))
    place = (await fetch(place, { redirect: "manual", headers: browser })).headers.get("location")!;
  // Without the cookie of the browser that began it.
  await fetch(place, { redirect: "manual" });
  const [{ data }] = (await controlOf(server, "GET /flows?limit=1")).body;
  expect(data).toMatchObject({ error: "invalid_state", asked_by: null, requested_outcome: "token_error" });
  expect(data.reason).not.toContain("asked");
});

describe("A sign-in that has not ended", () => {
  it("is abandoned once its state has expired, by the service's clock", async () => {
    await fetch(`${server.url}/oauth/authorize?provider=google&redirect_uri=http://localhost:3000/callback`, {
      redirect: "manual",
    });
    const [{ id }] = (await controlOf(server, "GET /flows?limit=1")).body;
    const result = async () => (await controlOf(server, `GET /flows/${id}`)).body.data.result;
    const abandoned = async () =>
      ((await controlOf(server, "GET /flows?result=abandoned")).body as Failed[]).some((flow) => flow.id === id);
    expect([await result(), await abandoned()]).toEqual(["open", false]);
    await controlOf(server, "POST /clock/advance", { by: "601s" });
    expect([await result(), await abandoned()]).toEqual(["abandoned", true]);
    expect((await controlOf(server, "GET /flows/summary")).body.results).toMatchObject({ open: 0 });
  });
});

it("The requests of a sign-in that was refused at its start are found by it", async () => {
  const begin = new URLSearchParams({ provider: "github", instance: "globex", redirect_uri: "https://a.test/cb" });
  await fetch(`${server.url}/oauth/authorize?${begin.toString()}`, { redirect: "manual" });
  const application = new URLSearchParams({ client_id: "shop", redirect_uri: "https://b.test/cb", state: "s" });
  await fetch(`${server.url}/__svc/simulator/google/authorize?${application.toString()}`, { redirect: "manual" });
  const flows = (await controlOf(server, "GET /flows?limit=2")).body as { id: string }[];
  for (const { id } of flows)
    expect((await controlOf(server, `GET /requests?flow=${id}`)).body).toMatchObject([{ data: { status: 400 } }]);
});
