import { describe, expect, it } from "vitest";
import { createClient, type Client, type Fetch } from "../../src/client/index.ts";
import { KEY } from "../_client.ts";
import { APP, FRONT, setup, START, ADA } from "../_setup.ts";

interface Resolving {
  client: Client;
  asked: () => number;
  setClock: (milliseconds: number) => void;
  answer: { value: () => Promise<Response> };
}

function resolving(): Resolving {
  let time = START.getTime();
  let asked = 0;
  const instance = {
    id: "1",
    resource: "instance",
    data: { publishable_key: "pk_acme_0123", url: "https://acme.svc.test", subdomain: "acme" },
  };
  const answer = { value: async (): Promise<Response> => Response.json(instance) };
  const fetch: Fetch = async (url, { headers }) => {
    if (!url.startsWith("https://api.svc.test/")) return Response.json([]) as Awaited<ReturnType<Fetch>>;
    asked++;
    expect(headers).toEqual({ accept: "application/json", "x-service-publishable-key": "pk_acme_0123" });
    return (await answer.value()) as Awaited<ReturnType<Fetch>>;
  };
  const client = createClient({
    secretKey: KEY,
    publishableKey: "pk_acme_0123",
    apiUrl: "https://api.svc.test/",
    fetch,
    now: () => time,
  });
  return { client, asked: () => asked, setClock: (milliseconds) => (time += milliseconds), answer };
}

describe("The client's address of its instance", () => {
  it("is requested once in 60 seconds of the client's own clock", async () => {
    const { client, asked, setClock } = resolving();
    await client.users.list();
    setClock(59_999);
    await client.users.list();
    expect(asked()).toBe(1);
    setClock(1);
    await client.users.list();
    expect(asked()).toBe(2);
  });

  it("is requested again if that clock is set back", async () => {
    const { client, asked, setClock } = resolving();
    await client.users.list();
    setClock(-3_600_000);
    await client.users.list();
    expect(asked()).toBe(2);
  });

  it("is requested once by all calls that wait for it", async () => {
    const { client, asked } = resolving();
    await Promise.all([
      client.users.list(),
      client.sessions.list(),
      client.baseUrl(),
      client.signInUrl({ redirectUri: APP }),
    ]);
    expect(asked()).toBe(1);
  });

  it("is requested again after a failure", async () => {
    const { client, asked, answer } = resolving();
    const working = answer.value;
    answer.value = () => Promise.reject(new Error("down"));
    const failed = await Promise.allSettled([client.users.list(), client.users.list()]);
    expect(failed.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
    answer.value = working;
    expect(await client.users.list()).toEqual([]);
    expect(asked()).toBe(2);
  });

  it("is the one in the response, and is not requested if the caller gives one", async () => {
    const service = await setup();
    const urls: string[] = [];
    const fetch: Fetch = (url, init) => {
      urls.push(url);
      return service.fetch(url, init as RequestInit) as ReturnType<Fetch>;
    };
    const given = {
      secretKey: service.acme.secret_key,
      publishableKey: "pk_acme_0123456789",
      apiUrl: service.addresses.api,
      fetch,
    };
    await createClient(given).users.get(ADA);
    await createClient({ ...given, baseUrl: FRONT }).users.get(ADA);
    expect(urls).toEqual([
      "http://api.localhost:7820/api/v1/instances/search?query=publishable_key%3Apk_acme_0123456789",
      `http://acme.localhost:7820/api/v1/users/${ADA}`,
      `${FRONT}/api/v1/users/${ADA}`,
    ]);
  });

  it("is missing while the instance is not active", async () => {
    const { client, answer } = resolving();
    answer.value = async () =>
      Response.json({
        id: "1",
        resource: "instance",
        data: { publishable_key: "pk_acme_0123", url: null, subdomain: null },
      });
    await expect(client.users.list()).rejects.toMatchObject({
      code: "instance_inactive",
      message: "The instance of pk_acme_0123 is not active yet, so it has no address",
    });
  });

  it.each([
    "http://acme.svc.test",
    "http://localhost:7820",
    "https://127.0.0.1",
    "https://svc.test.evil.test",
    "https://evilsvc.test",
    "https://user@acme.svc.test",
    "https://:password@acme.svc.test",
    "ftp://acme.svc.test",
    "javascript:alert(1)",
    "acme.svc.test",
    "",
  ])("is rejected as %j, which must get no key", async (url) => {
    const { client, answer } = resolving();
    answer.value = async () =>
      Response.json({
        id: "1",
        resource: "instance",
        data: { publishable_key: "pk_acme_0123", url, subdomain: "acme" },
      });
    await expect(client.users.list()).rejects.toMatchObject({ code: "unexpected_response" });
  });
});
