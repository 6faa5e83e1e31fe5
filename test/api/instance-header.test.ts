import { beforeEach, describe, expect, it } from "vitest";
import { INSTANCE_HEADER } from "../../src/wire/ids.ts";
import { ADA, ADA_OF_GLOBEX, NOBODY, setup, type Service } from "../_setup.ts";

let service: Service;
beforeEach(async () => {
  service = await setup();
});

/** The header of the answer at the front door, where the key alone decides the instance. */
async function named(method: string, path: string, headers: Record<string, string>): Promise<string | null> {
  const response = await service.fetch(`http://localhost:7820${path}`, { method, headers });
  return response.headers.get(INSTANCE_HEADER);
}

describe("Svc-Instance", () => {
  it.each([
    ["GET", "/api/v1/users"],
    ["HEAD", "/api/v1/users"],
    ["GET", "/api/v1/users/search?query=email:*"],
    ["GET", `/api/v1/users/${ADA}`],
    ["GET", `/api/v1/users/${NOBODY}`],
    ["DELETE", `/api/v1/users/${ADA_OF_GLOBEX}`],
    ["GET", "/api/v1/sessions"],
    ["GET", "/api/v1/sessions/search"],
    ["POST", "/api/v1/tokens/verify"],
  ])("names the key's instance on every answer to %s %s, refusals too", async (method, path) => {
    for (const { subdomain, id, secret_key } of [service.acme, service.globex])
      expect(await named(method, path, { "x-service-secret-key": secret_key })).toBe(`${subdomain} ${id}`);
  });

  it("is not on answers to a key that is unknown, missing, publishable or another instance's", async () => {
    const { acme, globex, addresses } = service;
    for (const key of ["sk_unknown_0123456789abcdefghijklmnopqrstuvwxyz", ""])
      expect(await named("GET", "/api/v1/users", { "x-service-secret-key": key })).toBeNull();
    const search = `/api/v1/instances/search?query=publishable_key:${acme.publishable_key}`;
    expect(await named("GET", search, { "x-service-publishable-key": acme.publishable_key })).toBeNull();
    const elsewhere = await service.fetch(`${addresses.instanceUrl(globex)}/api/v1/users`, {
      headers: { "x-service-secret-key": acme.secret_key },
    });
    expect([elsewhere.status, elsewhere.headers.get(INSTANCE_HEADER)]).toEqual([401, null]);
  });
});
