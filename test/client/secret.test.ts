import { type IncomingMessage } from "node:http";
import { describe, expect, it, vi } from "vitest";
import { createClient } from "../../src/client/index.ts";
import { answering } from "../_answering.ts";
import { caught, KEY, startServer } from "../_client.ts";
import { ADA } from "../_setup.ts";

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

  it.each([301, 302, 303, 307, 308])("does not follow a redirect with status %i", async (status) => {
    const other = await startServer((_, response) => void response.end("[]"));
    const service = await startServer((_, response) => {
      response.writeHead(status, { location: `${other.origin}/api/v1/users` }).end();
    });
    const { users } = createClient({ secretKey: KEY, baseUrl: service.origin });
    await expect(users.list()).rejects.toMatchObject({
      code: "redirect_refused",
      message: "GET /api/v1/users: the service redirected. Not followed, to protect the key",
    });
    expect([service.seen.length, other.seen.length]).toEqual([1, 0]);
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
});
