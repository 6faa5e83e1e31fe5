import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { inspect } from "node:util";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { createClient } from "../../src/client/index.ts";
import { answering } from "../_answering.ts";
import { SECRET } from "../_attacks.ts";
import { FRONT, ADA, NOBODY } from "../_setup.ts";

describe("T15: The client sends its key to its own service only:", () => {
  it.each([
    "",
    ".",
    "..",
    "search",
    "../sessions",
    "%2e%2e",
    `${ADA}/../x`,
    `${ADA}?a`,
    `${ADA}#`,
    ADA.toUpperCase().replace("A", "G"),
    `${ADA} `,
    "__proto__",
  ])("it makes no request for the id %o", async (id) => {
    const fetch = answering(200, "{}");
    const { users, sessions } = createClient({ secretKey: SECRET, baseUrl: FRONT, fetch });
    const calls = [
      () => users.get(id),
      () => users.find(id),
      () => users.delete(id),
      () => sessions.get(id),
      () => sessions.find(id),
    ];
    for (const calling of calls) await expect((async () => calling())()).rejects.toMatchObject({ code: "config" });
    expect(fetch.calls).toEqual([]);
  });

  it("it uses no proxy of the environment by itself", async () => {
    const asked: string[] = [];
    const listening = async (name: string): Promise<string> => {
      const server = createServer((_, response) => {
        asked.push(name);
        response.setHeader("content-type", "application/json").end("[]");
      }).listen(0, "127.0.0.1");
      onTestFinished(() => server.close().closeAllConnections());
      await once(server, "listening");
      return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    };
    const [service, proxy] = [await listening("service"), await listening("proxy")];
    for (const name of ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"])
      for (const spelled of [name, name.toLowerCase()]) vi.stubEnv(spelled, proxy);
    vi.stubEnv("NODE_USE_ENV_PROXY", "1");
    onTestFinished(() => void vi.unstubAllEnvs());
    expect(await createClient({ secretKey: SECRET, baseUrl: service }).users.list()).toEqual([]);
    expect(asked).toEqual(["service"]);
  });

  it.each([301, 302, 303, 307, 308])("it follows no redirect with status %i", async (status) => {
    const fetch = answering(status, "", { location: "https://evil.example/" });
    const client = createClient({ secretKey: SECRET, baseUrl: FRONT, fetch });
    await expect(client.users.list()).rejects.toMatchObject({ code: "redirect_refused" });
    expect(fetch.calls).toEqual([`${FRONT}/api/v1/users`]);
  });

  it.each([
    ["another site's", "https://evil.example"],
    ["one without encryption", "http://acme.svc.example"],
    ["another one with the same beginning", "https://acme.svc.example.evil.example"],
    ["one with a user name", "https://acme.svc.example@evil.example"],
    ["a file's", "file:///etc/passwd"],
  ])("it rejects a resolved address that is %s", async (_, url) => {
    const body = JSON.stringify({
      id: NOBODY,
      resource: "instance",
      data: { publishable_key: "pk_x", url, subdomain: "acme" },
    });
    const fetch = answering(200, body);
    const client = createClient({
      secretKey: SECRET,
      publishableKey: "pk_acme_0123456789",
      apiUrl: "https://api.svc.example",
      fetch,
    });
    await expect(client.users.list()).rejects.toMatchObject({ code: "unexpected_response" });
    expect(fetch.calls.map((asked) => new URL(asked).origin)).toEqual(["https://api.svc.example"]);
  });

  it("it accepts a resolved address below the service's own", async () => {
    const url = "https://acme.svc.example";
    const body = JSON.stringify({
      id: NOBODY,
      resource: "instance",
      data: { publishable_key: "pk_x", url, subdomain: "acme" },
    });
    const fetch = answering(200, body);
    const apiUrl = "https://api.svc.example";
    const { users } = createClient({ secretKey: SECRET, publishableKey: "pk_acme_0123456789", apiUrl, fetch });
    await expect(users.list()).rejects.toMatchObject({ code: "unexpected_response" });
    expect(fetch.calls.map((asked) => new URL(asked).origin)).toEqual([apiUrl, url]);
  });

  it.each([
    ["an error page that shows the request's headers", 500, `<h1>Error</h1> X-Service-Secret-Key: ${SECRET}`],
    ["a proxy's page", 200, `x-service-secret-key: ${SECRET}`],
    ["no answer of ours", 418, ""],
  ])("it puts the key into no error: %s", async (_, status, body) => {
    const client = createClient({ secretKey: SECRET, baseUrl: FRONT, fetch: answering(status, body) });
    const error: unknown = await client.users.list().then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    expect(inspect(error, { depth: 9 })).not.toContain("sk_canary");
    expect(inspect(client, { depth: 9, showHidden: true }) + JSON.stringify(client)).not.toContain("sk_canary");
  });
});
