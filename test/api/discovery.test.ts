import { describe, expect, it } from "vitest";
import { FRONT, setup } from "../_setup.ts";

describe("GET /.well-known/openid-configuration", () => {
  it("needs no key and answers with the fields of the specification", async () => {
    const { fetch } = await setup();
    const response = await fetch("/.well-known/openid-configuration");
    expect(response.status).toBe(200);
    expect(response.headers.get("content-type")).toBe("application/json");
    expect(await response.json()).toEqual({
      issuer: FRONT,
      authorization_endpoint: `${FRONT}/oauth/authorize`,
      token_endpoint: `${FRONT}/api/v1/tokens/verify`,
      userinfo_endpoint: `${FRONT}/api/v1/users`,
      response_types_supported: ["code"],
      subject_types_supported: ["public"],
      id_token_signing_alg_values_supported: ["HS256"],
    });
  });

  it("describes the instance at the instance's own host", async () => {
    const { fetch } = await setup();
    const response = await fetch("http://globex.localhost:7820/.well-known/openid-configuration");
    expect(await response.json()).toMatchObject({ issuer: "http://globex.localhost:7820" });
  });

  it("answers 404 for an unknown instance and at the API's host", async () => {
    const { fetch } = await setup();
    const missing = await fetch("http://nobody.localhost:7820/.well-known/openid-configuration");
    expect([missing.status, await missing.json()]).toEqual([404, { error: "Instance not found" }]);
    const api = await fetch("http://api.localhost:7820/.well-known/openid-configuration");
    expect([api.status, await api.json()]).toEqual([404, { error: "Not found" }]);
  });

  it("lets other origins read an error as they read the document, and logs its reason", async () => {
    const { fetch, log } = await setup();
    for (const host of ["globex", "nobody"]) {
      const response = await fetch(`http://${host}.localhost:7820/.well-known/openid-configuration`, {
        headers: { origin: "https://app.test", "sec-fetch-site": "cross-site" },
      });
      expect([host, response.headers.get("access-control-allow-origin")]).toEqual([host, "*"]);
    }
    expect(log.requests.at(-1)?.reason).toBe("Instance not found. No instance has this address.");
  });
});
