import { describe, expect, it } from "vitest";
import { createTestFlows } from "../../src/testing/flows.ts";
import { serviceBy, WAYS } from "../_services.ts";

describe.each(WAYS)("The flows of a test service, %s,", (way) => {
  it("have no sign-in from before a reset, wherever the clock was, and the service keeps them", async () => {
    const svc = await serviceBy(way);
    await svc.clock.setSystemTime("2040-01-01T00:00:00Z");
    const { flow_id: old } = await svc.signIn({ as: "ada", outcome: "access_denied" });
    await svc.clock.reset();
    await svc.reset();
    expect(await svc.flows.list()).toEqual([]);
    expect(await svc.flows.latest({ error: "access_denied" })).toBeUndefined();
    expect((await svc.flows.summary()).total).toBe(0);
    await expect(svc.flows.waitFor({ error: "access_denied" }, 10)).rejects.toThrow("The latest: none.");

    const { flow_id } = await svc.signIn({ as: "ada", outcome: "access_denied" });
    expect((await svc.flows.waitFor({ error: "access_denied" })).id).toBe(flow_id);
    expect((await svc.scoped("another").flows.list()).map(({ id }) => id)).toEqual([flow_id]);
    const kept = await svc.control.request("GET /flows");
    expect(kept.map(({ id }) => id)).toEqual([flow_id, old]);
  });

  it("wait for a sign-in that is newer than another", async () => {
    const svc = await serviceBy(way);
    const { flow_id: newer_than } = await svc.signIn({ as: "ada" });
    await expect(svc.flows.waitFor({ newer_than }, 10)).rejects.toThrow("No sign-in matched");
    const waiting = svc.flows.waitFor({ newer_than, result: "token" });
    const { flow_id } = await svc.signIn({ as: "ada" });
    expect((await waiting).id).toBe(flow_id);
    expect(await svc.flows.list({ newer_than: "unknown" })).toHaveLength(2);
  });
});

it("The flows of a test service wait for less than the 5 s that Vitest gives a test", async () => {
  const { flows } = createTestFlows({ request: async () => [] } as never, {}, {});
  await expect(flows.waitFor({ result: "token" })).rejects.toThrow(/within 4s\. The latest: none\.$/);
});

it("A flow shows the application's query without its values, and a replay still returns to the whole address", async () => {
  const svc = await serviceBy("in process");
  const redirectUri = "http://localhost:4000/callback?ticket=hunter2";
  const { flow_id } = await svc.signIn({ as: "ada", redirectUri });
  const { data } = await svc.flows.get(flow_id);
  expect(data.redirect_uri).toBe("http://localhost:4000/callback?ticket=[redacted]");
  expect(JSON.stringify(data)).not.toContain("hunter2");
  expect((await svc.flows.replay(flow_id)).location).toMatch(
    /^http:\/\/localhost:4000\/callback\?ticket=hunter2&token=/,
  );
});
