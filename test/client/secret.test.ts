import { type IncomingMessage } from "node:http";
import { describe, expect, it, vi } from "vitest";
import { createClient, type ClientOptions } from "../../src/client/index.ts";
import { answering } from "../_answering.ts";
import { caught, KEY, startServer } from "../_client.ts";
import { ADA, setup } from "../_setup.ts";

const PK = "pk_acme_0123456789";
const resolvedTo = (url: string): string =>
  JSON.stringify({ id: "1", resource: "instance", data: { publishable_key: PK, url, subdomain: "acme" } });

describe("The secret key", () => {
  it("is not sent to other addresses below com by a service at api.com", async () => {
    const body = JSON.stringify({ id: "1", resource: "instance", data: { url: "https://evil.com" } });
    const fetch = answering(200, body);
    const options = { secretKey: KEY, publishableKey: "pk_acme_0123", apiUrl: "https://api.com", fetch };
    await expect(createClient(options).users.list()).rejects.toMatchObject({ code: "unexpected_response" });
    expect(fetch.calls).toHaveLength(1);
  });

  it("is rejected in a browser unless the caller insists", () => {
    vi.stubGlobal("window", {});
    vi.stubGlobal("document", {});
    try {
      expect(() => createClient({ secretKey: KEY })).toThrow(/must not be used in a browser/);
      expect(() => createClient({ secretKey: KEY, dangerouslyAllowBrowser: true })).not.toThrow();
      expect(() => createClient({ publishableKey: "pk_acme_0123" })).not.toThrow();
    } finally {
      vi.unstubAllGlobals();
    }
  });

  it("is sent only in its header", async () => {
    const { origin, seen } = await startServer((_, response) => void response.end('{"deleted":true,"id":"x"}'));
    await createClient({ secretKey: KEY, baseUrl: origin }).users.delete(ADA);
    const [{ method, url, headers } = {} as IncomingMessage] = seen;
    expect([method, url]).toEqual(["DELETE", `/api/v1/users/${ADA}`]);
    expect(Object.entries(headers).filter(([, value]) => value?.includes(KEY))).toEqual([
      ["x-service-secret-key", KEY],
    ]);
  });

  it("is not sent to discovery, nor where instances are resolved", async () => {
    const { origin, seen } = await startServer((_, response) => void response.end("{}"));
    const client = createClient({ secretKey: KEY, baseUrl: origin, apiUrl: origin });
    await caught(client.discovery());
    await caught(client.instances.resolve("pk_acme_0123456789"));
    expect(seen.map(({ headers }) => headers["x-service-secret-key"])).toEqual([undefined, undefined]);
    expect(seen[1]?.headers["x-service-publishable-key"]).toBe("pk_acme_0123456789");
  });

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
