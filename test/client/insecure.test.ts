import { describe, expect, it } from "vitest";
import { createClient, type ClientOptions } from "../../src/client/index.ts";
import { answering } from "../_answering.ts";
import { KEY } from "../_client.ts";
import { setup } from "../_setup.ts";

const PK = "pk_acme_0123456789";
const resolvedTo = (url: string): string =>
  JSON.stringify({ id: "1", resource: "instance", data: { publishable_key: PK, url, subdomain: "acme" } });

describe("A secret key", () => {
  it.each(["http://acme.test", "http://10.0.0.7:7820", "http://svc:7820", "http://localhost.evil.test"])(
    "is not sent over plain http to %s unless insecure is set",
    async (baseUrl) => {
      const fetch = answering(200, "[]");
      expect(() => createClient({ secretKey: KEY, baseUrl, fetch })).toThrow("baseUrl must be https");
      expect(fetch.calls).toEqual([]);
      await createClient({ secretKey: KEY, baseUrl, fetch, insecure: true }).users.list();
      expect(fetch.calls).toEqual([`${baseUrl}/api/v1/users`]);
    },
  );

  it.each([
    "https://acme.test",
    "http://localhost:1",
    "http://acme.localhost:1",
    "http://127.0.0.5:1",
    "http://[::1]:1",
  ])("is sent to %s", async (baseUrl) => {
    const fetch = answering(200, "[]");
    await createClient({ secretKey: KEY, baseUrl, fetch }).users.list();
    expect(fetch.calls).toHaveLength(1);
  });

  it("is not sent over plain http to an address that the service returned", async () => {
    const options: ClientOptions = { secretKey: KEY, publishableKey: PK, apiUrl: "http://api.svc.test" };
    const fetch = answering(200, resolvedTo("http://acme.svc.test"));
    await expect(createClient({ ...options, fetch }).users.list()).rejects.toMatchObject({
      code: "unexpected_response",
    });
    expect(fetch.calls).toHaveLength(1);
    const { baseUrl } = createClient({ ...options, fetch, insecure: true });
    expect(await baseUrl()).toBe("http://acme.svc.test");
  });

  it("is not sent over plain http to resolve an instance", async () => {
    const fetch = answering(200, resolvedTo("https://acme.svc.test"));
    const { instances } = createClient({ secretKey: KEY, apiUrl: "http://api.svc.test", fetch });
    await expect(instances.resolve(PK, { auth: "secret" })).rejects.toMatchObject({ code: "config" });
    expect(fetch.calls).toEqual([]);
    await instances.resolve(PK);
    expect(fetch.calls).toHaveLength(1);
  });

  it("is not required for a request that does not send it", async () => {
    const service = await setup();
    const client = createClient({
      baseUrl: "http://acme.test",
      fetch: (_, init) => service.fetch("/.well-known/openid-configuration", init) as never,
    });
    expect((await client.discovery()).issuer).toBe("http://localhost:7820");
  });
});
