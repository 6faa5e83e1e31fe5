import { describe, expect, it } from "vitest";
import { BROWSER } from "../_attacks.ts";
import { CONTROL_KEY, setup } from "../_setup.ts";

describe("T45: An authorization request that svc did not begin", () => {
  const invented = (login_hint: string, state = "invented"): string => {
    const redirect_uri = "http://localhost:7820/oauth/google/callback";
    const query = {
      response_type: "code",
      client_id: "svc-simulator",
      scope: "openid",
      redirect_uri,
      state,
      login_hint,
    };
    return `/__svc/simulator/google/authorize?${new URLSearchParams(query).toString()}`;
  };

  it("uses up no scenario and adds no account", async () => {
    const service = await setup({ control: true });
    const headers = { authorization: `Bearer ${CONTROL_KEY}`, "content-type": "application/json" };
    const path = "/__svc/v1/scenarios";
    const made = await service.fetch(path, { method: "POST", headers, body: JSON.stringify({ times: 1 }) });
    expect(made.status).toBe(201);
    const answer = await service.fetch(invented("planted@evil.test"), { headers: BROWSER });
    expect([answer.status, await answer.text()]).toEqual([200, expect.not.stringContaining("planted@evil.test")]);
    const listed = await service.fetch(path, { headers });
    expect(await listed.json()).toEqual([expect.objectContaining({ data: expect.objectContaining({ used: 0 }) })]);
  });

  it("has a state of bounded length", async () => {
    const { fetch } = await setup();
    expect((await fetch(invented("ada", "s".repeat(512)))).status).toBe(200);
    const response = await fetch(invented("ada", "s".repeat(513)));
    expect([response.status, await response.json()]).toEqual([
      400,
      { error: "Bad request: Google (simulated): state must have at most 512 characters" },
    ]);
  });
});
