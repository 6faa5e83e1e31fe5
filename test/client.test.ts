import { createHmac } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { inspect } from "node:util";
import { afterEach, describe, expect, it, vi } from "vitest";
import {
  ApiError,
  ConfigError,
  ConnectionError,
  createClient,
  ERROR_CODES,
  isServiceError,
  ServiceError,
  TokenError,
  type Client,
  type ClientOptions,
  type Fetch,
} from "../src/client/index.ts";
import { checkToken, decodeToken, verifyToken } from "../src/client/verify.ts";
import { APP, decodePart, encodePart, FRONT, setup, START, type Service } from "./_setup.ts";

const ADA = "00000000-0000-4000-8000-0000000000a1";
const NOBODY = "00000000-0000-4000-8000-00000000ffff";
const SESSION = "svc_session_00000000-0000-4000-8000-00000000a001";
const KEY = "sk_test_0123456789abcdefghijklmnopqrstuvwxyz";

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close().closeAllConnections();
});

/** A server at a port of its own, and what it was asked. */
async function startServer(
  answer: RequestListener,
): Promise<{ origin: string; port: number; seen: IncomingMessage[] }> {
  const seen: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    seen.push(request);
    answer(request, response);
  });
  servers.push(server);
  await once(server.listen(0, "127.0.0.1"), "listening");
  const { port } = server.address() as AddressInfo;
  return { origin: `http://127.0.0.1:${port}`, port, seen };
}

/** A `fetch` that answers every request alike, and counts them. */
function answering(status: number, body: string): Fetch & { calls: string[] } {
  const calls: string[] = [];
  const fetch = async (url: string): ReturnType<Fetch> => {
    calls.push(url);
    return new Response(body, { status }) as Awaited<ReturnType<Fetch>>;
  };
  return Object.assign(fetch, { calls });
}

function clientWith(fetch: Fetch, options: Partial<ClientOptions> = {}): Client {
  return createClient({ secretKey: KEY, baseUrl: "https://acme.svc.test", fetch, ...options });
}

describe("The methods", () => {
  const rows: [name: string, call: (client: Client) => PromiseLike<unknown>, path: string][] = [
    ["users.get", (client) => client.users.get(ADA), `/api/v1/users/${ADA}`],
    ["users.find", (client) => client.users.find(ADA), `/api/v1/users/${ADA}`],
    ["users.list", (client) => client.users.list(), "/api/v1/users"],
    [
      "users.list of a page",
      (client) => client.users.list({ limit: 1, after: ADA }),
      `/api/v1/users?limit=1&after=${ADA}`,
    ],
    [
      "users.search",
      (client) => client.users.search("email:*@acme.test -name:ada*"),
      "/api/v1/users/search?query=email:*@acme.test%20-name:ada*",
    ],
    [
      "users.search of a page",
      (client) => client.users.search("email:*@acme.test", { limit: 1 }),
      "/api/v1/users/search?query=email:*@acme.test&limit=1",
    ],
    ["sessions.get", (client) => client.sessions.get(SESSION), `/api/v1/sessions/${SESSION}`],
    ["sessions.find", (client) => client.sessions.find(SESSION), `/api/v1/sessions/${SESSION}`],
    ["sessions.list", (client) => client.sessions.list(), "/api/v1/sessions"],
    [
      "sessions.search",
      (client) => client.sessions.search("provider:github"),
      "/api/v1/sessions/search?query=provider:github",
    ],
    [
      "instances.resolve",
      (client) => client.instances.resolve("pk_acme_0123456789"),
      "/api/v1/instances/search?query=publishable_key:pk_acme_0123456789",
    ],
    ["discovery", (client) => client.discovery(), "http://acme.localhost:7820/.well-known/openid-configuration"],
  ];

  it.each(rows)("%s answers with the API's body", async (_, call, path) => {
    const service = await setup();
    const body: unknown = await (await service.as(service.acme, path)).json();
    expect(await call(service.client(service.acme))).toEqual(body);
  });

  it("users.delete answers once, and then no more", async () => {
    const service = await setup();
    const { users } = service.client(service.acme);
    expect(await users.delete(ADA)).toEqual({ deleted: true, id: ADA });
    await expect(users.delete(ADA)).rejects.toMatchObject({ code: "user_not_found" });
  });

  it("tokens.verify answers with whose token it is", async () => {
    const service = await setup();
    const token = await service.tokenFor("github", "ada");
    expect(await service.client(service.acme).tokens.verify(token)).toEqual({
      id: ADA,
      resource: "token",
      data: {
        valid: true,
        email: "ada@acme.test",
        name: "Ada Lovelace",
        avatar_url: `${FRONT}/__svc/simulator/avatars/ada.svg`,
        provider: "github",
      },
    });
  });

  it("tokens.verifyLocal answers with the claims, without a request, and by the client's clock", async () => {
    const service = await setup();
    const token = await service.tokenFor("github", "ada");
    const fetch = answering(500, "");
    const now = (): number => service.clock.now().getTime();
    const { tokens } = createClient({ secretKey: service.acme.secret_key, fetch, now });
    expect(await tokens.verifyLocal(token)).toEqual(decodePart(token, 1));
    service.clock.advance(3600);
    await expect(tokens.verifyLocal(token)).rejects.toMatchObject({ code: "token_expired" });
    expect(fetch.calls).toEqual([]);
  });

  it("users.find and sessions.find answer with nothing where nothing is", async () => {
    const service = await setup();
    const { users, sessions } = service.client(service.acme);
    expect([await users.find(NOBODY), await sessions.find(`svc_session_${NOBODY}`)]).toEqual([undefined, undefined]);
  });

  it("users.find still throws what is no absence", async () => {
    const service = await setup();
    const { users } = service.client(service.acme, { secretKey: KEY });
    await expect(users.find(ADA)).rejects.toMatchObject({ code: "unauthorized" });
  });

  it("tokens.check says whether a token is good, and fails where nobody can tell", async () => {
    const service = await setup();
    const { tokens, users } = service.client(service.acme);
    const token = await service.tokenFor("github", "ada");
    expect(await tokens.check(token)).toEqual({ ok: true, token: await tokens.verify(token) });
    expect(await tokens.check(forged(token))).toMatchObject({ ok: false, error: { code: "token_invalid_signature" } });
    await users.delete(ADA);
    expect(await tokens.check(token)).toMatchObject({ ok: false, error: { code: "user_not_found" } });
    const other = service.client(service.acme, { secretKey: KEY });
    await expect(other.tokens.check(token)).rejects.toMatchObject({ code: "unauthorized" });
  });

  it("request makes any call, with the key", async () => {
    const service = await setup();
    const { request } = service.client(service.acme);
    const path = `/api/v1/users/${ADA}`;
    expect(await request("GET", path)).toEqual(await (await service.as(service.acme, path)).json());
    const body = { token: await service.tokenFor("github", "ada") };
    expect(await request("POST", "/api/v1/tokens/verify", { body })).toMatchObject({ id: ADA });
    const { data, response } = await request("DELETE", path).withResponse();
    expect([data, response.status]).toEqual([{ deleted: true, id: ADA }, 200]);
    await expect(request("GET", path)).rejects.toMatchObject({ name: "ApiError", code: "user_not_found" });
    await expect(request("GET", "/api/v2/users?x=1")).rejects.toMatchObject({ code: "not_found" });
    expect(
      await clientWith(async () => new Response(null, { status: 204 }) as never).request("PUT", "/x"),
    ).toBeUndefined();
  });

  it.each([
    ["GET", "//evil.test/api"],
    ["GET", "https://evil.test/"],
    ["GET", "@evil.test/"],
    ["GET", ".evil.test/"],
    ["GET", "/\\evil.test"],
    ["GET", "/api/../oauth"],
    ["GET", "/api/v1/.."],
    ["GET", "/api v1"],
    ["GET", "/api\r\nx: y"],
    ["GET", "/api#x"],
    ["GET", ""],
    ["get", "/api"],
    ["GET /x HTTP/1.1\r\n", "/api"],
  ])("request refuses %j %j, before any request", async (method, path) => {
    const fetch = answering(200, "{}");
    await expect(clientWith(fetch).request(method, path)).rejects.toMatchObject({ code: "config" });
    expect(fetch.calls).toEqual([]);
  });

  it("close lets go of what is kept open", async () => {
    const { origin } = await startServer((_, response) => void response.end("[]"));
    const client = createClient({ secretKey: KEY, baseUrl: origin });
    await client.users.list();
    await client.close();
    await expect(client.users.list()).rejects.toMatchObject({ code: "connection" });
    await clientWith(answering(200, "[]")).close();
  });

  it.each<[parameters: Parameters<Client["signInUrl"]>[0], url: string]>([
    [{ redirectUri: APP }, "/sign-in?redirect_uri=http%3A%2F%2Flocalhost%3A3000%2Fcallback"],
    [
      { redirectUri: APP, loginHint: "ada" },
      "/sign-in?redirect_uri=http%3A%2F%2Flocalhost%3A3000%2Fcallback&login_hint=ada",
    ],
    [
      { redirectUri: `${APP}?a=b&c=d`, provider: "github" },
      "/oauth/authorize?provider=github&redirect_uri=http%3A%2F%2Flocalhost%3A3000%2Fcallback%3Fa%3Db%26c%3Dd",
    ],
  ])("signInUrl of %j begins a sign-in", async (parameters, url) => {
    const service = await setup();
    const href = await service.client(service.acme, { publishableKey: undefined }).signInUrl(parameters);
    expect(href).toBe(`http://acme.localhost:7820${url}`);
    expect((await service.fetch(href)).status).toBe(302);
  });

  it("give the response too, for its headers", async () => {
    const service = await setup();
    const { data, response } = await service.client(service.acme).users.list({ limit: 1 }).withResponse();
    expect(data.map(({ id }) => id)).toEqual(["00000000-0000-4000-8000-0000000000a3"]);
    expect([response.status, response.headers.get("Link")]).toEqual([
      200,
      '<http://acme.localhost:7820/api/v1/users?limit=1&after=00000000-0000-4000-8000-0000000000a3>; rel="next"',
    ]);
  });

  it("write spaces as %20 and a plus as %2B, which every reader understands alike", async () => {
    const fetch = answering(200, "[]");
    await clientWith(fetch).users.search("created_at>=2026-01-01T00:00:00+01:00 name:a&b");
    expect(fetch.calls).toEqual([
      "https://acme.svc.test/api/v1/users/search?query=created_at%3E%3D2026-01-01T00%3A00%3A00%2B01%3A00%20name%3Aa%26b",
    ]);
  });
});

describe("Errors", () => {
  type Row = [code: string, status: number, call: (service: Service) => PromiseLike<unknown>, message: string];
  it.each<Row>([
    [
      "user_not_found",
      404,
      ({ client, acme }) => client(acme).users.get(NOBODY),
      "GET /api/v1/users/:id: 404 User not found",
    ],
    [
      "user_not_found",
      404,
      ({ client, globex }) => client(globex).users.get(ADA),
      "GET /api/v1/users/:id: 404 User not found",
    ],
    [
      "session_not_found",
      404,
      ({ client, globex }) => client(globex).sessions.get(SESSION),
      "GET /api/v1/sessions/:id: 404 Session not found",
    ],
    [
      "unauthorized",
      401,
      ({ client, acme }) => client(acme, { secretKey: KEY }).users.list(),
      "GET /api/v1/users: 401 Unauthorized",
    ],
    [
      "unauthorized",
      401,
      ({ client, acme }) => client(acme).instances.resolve("pk_nobody_0123456789"),
      "GET /api/v1/instances/search: 401 Unauthorized",
    ],
    [
      "missing_token",
      400,
      ({ client, acme }) => client(acme).tokens.verify(""),
      "POST /api/v1/tokens/verify: 400 Missing token",
    ],
    [
      "query_required",
      400,
      ({ client, acme }) => client(acme).users.search(" "),
      "GET /api/v1/users/search: 400 query is required",
    ],
    [
      "bad_request",
      400,
      ({ client, acme }) => client(acme).users.list({ limit: 0 }),
      "GET /api/v1/users: 400 Bad request: limit is a number from 1 to 1000",
    ],
    [
      "not_found",
      404,
      ({ client, acme }) => client(acme, { baseUrl: `${FRONT}/elsewhere` }).users.list(),
      "GET /api/v1/users: 404 Not found",
    ],
    [
      "unknown_host",
      421,
      ({ client, acme }) => client(acme, { baseUrl: "http://evil.test" }).users.list(),
      "GET /api/v1/users: 421 Unknown host: this server does not answer for it; add it with --allowed-host",
    ],
  ])("are of class ApiError with the code %s where the status is %i", async (code, status, call, message) => {
    const error = await caught(call(await setup()));
    expect(error).toBeInstanceOf(ApiError);
    expect(error).toMatchObject({ name: "ApiError", code, status, message });
  });

  it.each<[code: string, token: (service: Service) => Promise<string>, message: string]>([
    [
      "token_wrong_instance",
      ({ tokenFor, globex }) => tokenFor("google", "ada", globex),
      "Token does not belong to this instance",
    ],
    [
      "token_invalid_signature",
      async ({ tokenFor }) => forged(await tokenFor("google", "ada")),
      "Token invalid signature",
    ],
    ["token_invalid", async () => "nonsense", "Token invalid"],
    [
      "token_expired",
      async ({ tokenFor, clock }) => {
        const token = await tokenFor("google", "ada");
        clock.advance(3600);
        return token;
      },
      "Token expired",
    ],
  ])("are of class TokenError with the code %s for a token", async (code, token, message) => {
    const service = await setup();
    const error = await caught(service.client(service.acme).tokens.verify(await token(service)));
    expect(error).toBeInstanceOf(TokenError);
    expect(error).toMatchObject({ name: "TokenError", code, message });
  });

  it.each([
    ["a gateway's page", 502, "<html><h1>Bad Gateway</h1></html>", "something else than JSON"],
    ["truncated JSON", 200, '[{"id":"1","resource":"us', "something else than JSON"],
    ["nothing", 200, "", "something else than JSON"],
    ["a success of another kind", 204, "", "something else than JSON"],
    ["an error that is no object", 500, '"broken"', "JSON of another kind"],
    ["an error without a sentence", 500, '{"error":{}}', "JSON of another kind"],
    ["an object where a list should be", 200, '{"data":[]}', "JSON of another kind"],
  ])("are unexpected_response for %s", async (_, status, body, what) => {
    const text = status === 204 ? null : body;
    const fetch: Fetch = async () => new Response(text, { status }) as Awaited<ReturnType<Fetch>>;
    const error = await caught(clientWith(fetch, { retry: 0 }).users.list());
    expect(error).toBeInstanceOf(ServiceError);
    expect(error).toMatchObject({ code: "unexpected_response", message: `GET /api/v1/users: ${status} and ${what}` });
  });

  it.each([
    [418, "unknown"],
    [500, "unknown"],
    [429, "rate_limited"],
    [503, "unavailable"],
  ])("for a sentence that this version does not know and the status %i have the code %s", async (status, code) => {
    const error = await caught(clientWith(answering(status, '{"error":"Slow down"}'), { retry: 0 }).users.list());
    expect(error).toBeInstanceOf(ApiError);
    expect(error).toMatchObject({ code, status, error: "Slow down" });
    expect(Object.keys(ERROR_CODES)).toContain(code);
  });

  it("are known across two copies of the package", () => {
    const foreign = { code: "timeout", [Symbol.for("svc-identity.error")]: true };
    expect([isServiceError(foreign), isServiceError(foreign, "timeout"), isServiceError(foreign, "config")]).toEqual([
      true,
      true,
      false,
    ]);
    expect([isServiceError(new Error("x")), isServiceError(null), isServiceError("timeout")]).toEqual([
      false,
      false,
      false,
    ]);
  });

  it("do not hold the key, nor does the client, however they are looked at", async () => {
    const client = clientWith(answering(500, "<html>"));
    const error = await caught(client.users.list());
    for (const value of [error, client]) {
      expect(inspect(value, { depth: 9, showHidden: true })).not.toContain(KEY);
      expect(JSON.stringify(value)).not.toContain(KEY);
    }
  });

  it("of a call whose response alone is waited for come there, and nowhere else", async () => {
    const { users } = clientWith(answering(500, '{"error":"Internal error"}'));
    await expect(users.list().withResponse()).rejects.toMatchObject({ code: "internal" });
  });
});

describe("What is checked before any request", () => {
  const methods: [name: string, call: (client: Client, id: string) => PromiseLike<unknown>][] = [
    ["users.get", (client, id) => client.users.get(id)],
    ["users.find", (client, id) => client.users.find(id)],
    ["users.delete", (client, id) => client.users.delete(id)],
    ["sessions.get", (client, id) => client.sessions.get(id)],
    ["sessions.find", (client, id) => client.sessions.find(id)],
  ];

  it.each(methods)("%s takes nothing but an id that can be one", async (name, call) => {
    const uuids = [
      "",
      " ",
      "..",
      "../sessions",
      `${ADA}/..`,
      ADA.toUpperCase(),
      `${ADA}\n`,
      `${ADA}?x=1`,
      "%2e%2e",
      "a1",
    ];
    const ids = name.startsWith("users.") ? [...uuids, SESSION] : [...uuids.map((id) => `svc_session_${id}`), "", ADA];
    const fetch = answering(200, "{}");
    for (const id of ids) {
      const error = await caught((async () => call(clientWith(fetch), id))());
      expect(error).toEqual(
        new ConfigError(`"${id}" is not the id of a ${name.startsWith("users.") ? "user" : "session"}`),
      );
    }
    expect(fetch.calls).toEqual([]);
  });

  it.each(methods)(
    "%s rejects for a bad id, as for all that goes wrong, and never throws by itself",
    async (_, call) => {
      const client = clientWith(answering(200, "{}"));
      await expect(call(client, "ada")).rejects.toMatchObject({ name: "ConfigError", code: "config" });
    },
  );

  it.each([[KEY], ["acme"], [""], ["pk_a b"], ["pk_a\r\nx: y"]])(
    "instances.resolve rejects the key %j",
    async (key) => {
      const fetch = answering(200, "{}");
      const { instances } = clientWith(fetch, { apiUrl: "https://api.svc.test" });
      await expect(instances.resolve(key)).rejects.toMatchObject({ code: "config" });
      expect(fetch.calls).toEqual([]);
    },
  );

  it.each<[options: ClientOptions, message: string]>([
    [{ secretKey: "pk_swapped_0123" }, "secretKey must begin with sk_ and have no spaces"],
    [{ secretKey: `${KEY}\n` }, "secretKey must begin with sk_ and have no spaces"],
    [{ secretKey: "" }, "secretKey must begin with sk_ and have no spaces"],
    [{ publishableKey: KEY }, "publishableKey must begin with pk_ and have no spaces"],
    [{ baseUrl: "acme.test" }, "baseUrl must be an http or https address, such as https://acme.example.com"],
    [{ apiUrl: "ftp://acme.test" }, "apiUrl must be an http or https address, such as https://acme.example.com"],
    [{ baseUrl: "https://ada:secret@acme.test" }, "baseUrl must have no user name in it"],
    [{ baseUrl: "https://acme.test?x=1" }, "baseUrl must have no query and no fragment"],
  ])("createClient refuses %j", (options, message) => {
    expect(() => createClient(options)).toThrow(new ConfigError(message));
  });

  it.each<[what: string, options: ClientOptions, message: string]>([
    ["an address", { secretKey: KEY }, "createClient was not given baseUrl, or publishableKey and apiUrl"],
    ["the API's address", { secretKey: KEY, publishableKey: "pk_acme_0123" }, "createClient was not given apiUrl"],
    ["a secret key", { baseUrl: FRONT }, "createClient was not given secretKey"],
  ])("a call rejects where %s is missing", async (_, options, message) => {
    const fetch = answering(200, "[]");
    const { users } = createClient({ ...options, fetch });
    await expect(users.list()).rejects.toEqual(new ConfigError(message));
    expect(fetch.calls).toEqual([]);
  });
});

interface Resolving {
  client: Client;
  asked: () => number;
  advance: (milliseconds: number) => void;
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
  return { client, asked: () => asked, advance: (milliseconds) => (time += milliseconds), answer };
}

describe("The instance's address", () => {
  it("is asked for once in 60 seconds, to the millisecond", async () => {
    const { client, asked, advance } = resolving();
    await client.users.list();
    advance(59_999);
    await client.users.list();
    expect(asked()).toBe(1);
    advance(1);
    await client.users.list();
    expect(asked()).toBe(2);
  });

  it("is asked for once by all that wait for it", async () => {
    const { client, asked } = resolving();
    await Promise.all([
      client.users.list(),
      client.sessions.list(),
      client.baseUrl(),
      client.signInUrl({ redirectUri: APP }),
    ]);
    expect(asked()).toBe(1);
  });

  it("is asked for anew after a failure", async () => {
    const { client, asked, answer } = resolving();
    const working = answer.value;
    answer.value = () => Promise.reject(new Error("down"));
    const failed = await Promise.allSettled([client.users.list(), client.users.list()]);
    expect(failed.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
    answer.value = working;
    expect(await client.users.list()).toEqual([]);
    expect(asked()).toBe(2);
  });

  it("is the one in the answer, and not asked for where it is given", async () => {
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
      message: "The instance of pk_acme_0123 is not active yet, and so has no address",
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
  ])("is not %j, to which no key may go", async (url) => {
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

describe("The secret key", () => {
  it("is not taken anywhere below com by a service at api.com", async () => {
    const body = JSON.stringify({ id: "1", resource: "instance", data: { url: "https://evil.com" } });
    const fetch = answering(200, body);
    const options = { secretKey: KEY, publishableKey: "pk_acme_0123", apiUrl: "https://api.com", fetch };
    await expect(createClient(options).users.list()).rejects.toMatchObject({ code: "unexpected_response" });
    expect(fetch.calls).toHaveLength(1);
  });

  it("is refused in a browser, unless somebody insists", () => {
    vi.stubGlobal("window", {});
    vi.stubGlobal("document", {});
    try {
      expect(() => createClient({ secretKey: KEY })).toThrow(/must not be in a browser/);
      expect(() => createClient({ secretKey: KEY, dangerouslyAllowBrowser: true })).not.toThrow();
      expect(() => createClient({ publishableKey: "pk_acme_0123" })).not.toThrow();
    } finally {
      vi.unstubAllGlobals();
    }
  });

  it.each([301, 302, 303, 307, 308])("goes nowhere that a redirect (%i) points", async (status) => {
    const other = await startServer((_, response) => void response.end("[]"));
    const service = await startServer((_, response) => {
      response.writeHead(status, { location: `${other.origin}/api/v1/users` }).end();
    });
    const { users } = createClient({ secretKey: KEY, baseUrl: service.origin });
    await expect(users.list()).rejects.toMatchObject({
      code: "redirect_refused",
      message: "GET /api/v1/users: the service answered with a redirect, which is not followed",
    });
    expect([service.seen.length, other.seen.length]).toEqual([1, 0]);
  });

  it("goes in its header alone", async () => {
    const { origin, seen } = await startServer((_, response) => void response.end('{"deleted":true,"id":"x"}'));
    await createClient({ secretKey: KEY, baseUrl: origin }).users.delete(ADA);
    const [{ method, url, headers } = {} as IncomingMessage] = seen;
    expect([method, url]).toEqual(["DELETE", `/api/v1/users/${ADA}`]);
    expect(Object.entries(headers).filter(([, value]) => value?.includes(KEY))).toEqual([
      ["x-service-secret-key", KEY],
    ]);
  });

  it("does not go along to discovery, nor to where instances are resolved", async () => {
    const { origin, seen } = await startServer((_, response) => void response.end("{}"));
    const client = createClient({ secretKey: KEY, baseUrl: origin, apiUrl: origin });
    await caught(client.discovery());
    await caught(client.instances.resolve("pk_acme_0123456789"));
    expect(seen.map(({ headers }) => headers["x-service-secret-key"])).toEqual([undefined, undefined]);
    expect(seen[1]?.headers["x-service-publishable-key"]).toBe("pk_acme_0123456789");
  });
});

describe("The network", () => {
  const INSTANCE = (url: string): object => ({ id: "1", resource: "instance", data: { url } });
  const BOOTSTRAP = { secretKey: KEY, publishableKey: "pk_acme_0123", timeoutMs: 500 };

  it("is reached at loopback for *.localhost, with that name in Host", async () => {
    const { port, seen } = await startServer((_, response) => void response.end("[]"));
    const { users } = createClient({ secretKey: KEY, baseUrl: `http://acme.localhost:${port}` });
    expect(await users.list()).toEqual([]);
    expect(seen.map(({ headers }) => headers.host)).toEqual([`acme.localhost:${port}`]);
  });

  it("that does not answer gives the code connection, and says where", async () => {
    const { origin, port } = await startServer(() => {});
    servers.pop()?.close();
    const error = await caught(createClient({ secretKey: KEY, baseUrl: origin }).users.list());
    expect(error).toBeInstanceOf(ConnectionError);
    expect(error).toMatchObject({
      code: "connection",
      message: `GET /api/v1/users: http://127.0.0.1:${port} could not be reached (ECONNREFUSED)`,
      cause: expect.any(Error) as Error,
    });
  });

  it.each<[what: string, answer: RequestListener]>([
    ["never answers", () => {}],
    [
      "stops in the middle of a body",
      (_, response) => void response.writeHead(200, { "content-length": "100" }).write("["),
    ],
    [
      "sends a body that never ends",
      (_, response) => {
        const timer = setInterval(() => response.write(" "), 5);
        response.on("close", () => clearInterval(timer));
      },
    ],
  ])("that %s gives the code timeout", async (_, answer) => {
    const { origin } = await startServer(answer);
    const error = await caught(createClient({ secretKey: KEY, baseUrl: origin, timeoutMs: 50 }).users.list());
    expect(error).toBeInstanceOf(ConnectionError);
    expect(error).toMatchObject({ code: "timeout", message: `GET /api/v1/users: ${origin} did not answer in time` });
    const patient = createClient({ secretKey: KEY, baseUrl: origin });
    await expect(patient.users.list({}, { timeoutMs: 50 })).rejects.toMatchObject({ code: "timeout" });
  });

  it("that breaks off in the middle of a body gives the code connection", async () => {
    const { origin } = await startServer((request, response) => {
      response.writeHead(200, { "content-length": "100" });
      response.write("[", () => request.socket.destroy());
    });
    await expect(createClient({ secretKey: KEY, baseUrl: origin }).users.list()).rejects.toMatchObject({
      code: "connection",
    });
  });

  it.each<[when: string, answer: (response: ServerResponse, abort: () => void) => void]>([
    ["before the answer", (_, abort) => abort()],
    ["within the answer", (response, abort) => void response.write("[", abort)],
  ])("is let go of by an AbortSignal %s, with the signal's own reason", async (_, answer) => {
    const controller = new AbortController();
    const reason = new Error("enough");
    const { origin } = await startServer((__, response) => answer(response, () => controller.abort(reason)));
    const { users } = createClient({ secretKey: KEY, baseUrl: origin });
    await expect(users.list({}, { signal: controller.signal })).rejects.toBe(reason);
  });

  it("is not touched with an AbortSignal that has fired", async () => {
    const { origin, seen } = await startServer((_, response) => void response.end("[]"));
    const { users } = createClient({ secretKey: KEY, baseUrl: origin });
    const reason = new Error("never mind");
    await expect(users.list({}, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
    expect(seen).toEqual([]);
  });

  it("is let go of, too, while the instance's address is still awaited", async () => {
    const controller = new AbortController();
    const reason = new Error("enough");
    const { origin } = await startServer(() => controller.abort(reason));
    const { users } = createClient({ ...BOOTSTRAP, apiUrl: origin });
    await expect(users.list({}, { signal: controller.signal })).rejects.toBe(reason);
  });

  it("is let go of by one of several that await the instance's address, and not by the others", async () => {
    const controller = new AbortController();
    let answerFirst: (() => void) | undefined;
    const { origin, seen } = await startServer((_, response) => {
      const answer = (): void => void response.end(JSON.stringify(INSTANCE(origin)));
      if (seen.length > 1) return answer();
      answerFirst = answer;
      controller.abort();
    });
    const { users, baseUrl } = createClient({ ...BOOTSTRAP, apiUrl: origin });
    const impatient = caught(users.get(ADA, { signal: controller.signal }));
    const patient = baseUrl();
    await impatient;
    answerFirst?.();
    expect(await patient).toBe(origin);
  });

  it("gets no more time for the whole of a call than the call has", async () => {
    const { origin } = await startServer(() => {});
    const { users } = createClient({ ...BOOTSTRAP, apiUrl: origin });
    const patient = caught(users.list()).then(() => "patient");
    const hasty = caught(users.list({}, { timeoutMs: 20 })).then(() => "hasty");
    expect(await Promise.race([patient, hasty])).toBe("hasty");
  });
});

describe("Tokens, verified by the key alone", () => {
  const NOW = Math.floor(START.getTime() / 1000);
  type Claims = Record<string, unknown>;

  const HS256 = { alg: "HS256", typ: "JWT" };
  type Vector = [what: string, code: string | undefined, make: (good: Claims, key: string) => string];
  const vectors: Vector[] = [
    ["a good one", undefined, (good, key) => sign(HS256, good, key)],
    ["a good one without typ", undefined, (good, key) => sign({ alg: "HS256" }, good, key)],
    ["one of this very second", undefined, (good, key) => sign(HS256, { ...good, iat: NOW, exp: NOW + 3600 }, key)],
    [
      "one from a clock that is a minute ahead",
      undefined,
      (good, key) => sign(HS256, { ...good, iat: NOW + 60, exp: NOW + 3660 }, key),
    ],
    ["one in its last second", undefined, (good, key) => sign(HS256, { ...good, iat: NOW - 3599, exp: NOW + 1 }, key)],
    [
      "one that has just expired",
      "token_expired",
      (good, key) => sign(HS256, { ...good, iat: NOW - 3600, exp: NOW }, key),
    ],
    [
      "one from the future",
      "token_invalid",
      (good, key) => sign(HS256, { ...good, iat: NOW + 61, exp: NOW + 3661 }, key),
    ],
    ["alg none, unsigned", "token_invalid", (good) => `${encodePart({ alg: "none" })}.${encodePart(good)}.`],
    ["alg none, with a signature", "token_invalid", (good, key) => sign({ alg: "none", typ: "JWT" }, good, key)],
    ["alg None, with a signature", "token_invalid", (good, key) => sign({ alg: "None", typ: "JWT" }, good, key)],
    ["HS512", "token_invalid", (good, key) => sign({ alg: "HS512" }, good, key, "sha512")],
    ["HS512 in name only", "token_invalid", (good, key) => sign({ alg: "HS512" }, good, key)],
    ["RS256 in name only", "token_invalid", (good, key) => sign({ alg: "RS256" }, good, key)],
    ["no alg", "token_invalid", (good, key) => sign({ typ: "JWT" }, good, key)],
    ["another typ", "token_invalid", (good, key) => sign({ alg: "HS256", typ: "at+jwt" }, good, key)],
    ["a critical header", "token_invalid", (good, key) => sign({ ...HS256, crit: ["x"], x: 1 }, good, key)],
    ["another key", "token_invalid_signature", (good) => sign(HS256, good, KEY)],
    ["an empty key", "token_invalid_signature", (good) => sign(HS256, good, "")],
    ["the publishable key", "token_invalid_signature", (good) => sign(HS256, good, "pk_acme_0123456789")],
    ["changed claims", "token_invalid_signature", (good, key) => forged(sign(HS256, good, key))],
    ["a padded signature", "token_invalid", (good, key) => `${sign(HS256, good, key)}=`],
    ["a signature with spare bits set", "token_invalid", (good, key) => spareBits(sign(HS256, good, key))],
    ["four parts", "token_invalid", (good, key) => `${sign(HS256, good, key)}.x`],
    ["a space behind it", "token_invalid", (good, key) => `${sign(HS256, good, key)} `],
    ["more than 8 KiB", "token_invalid", (good, key) => sign(HS256, { ...good, name: "x".repeat(8192) }, key)],
    ["claims that are no object", "token_invalid", (_, key) => sign(HS256, '["x"]', key)],
    ["claims that are no JSON", "token_invalid", (_, key) => sign(HS256, "{", key)],
    ["no exp", "token_invalid", (good, key) => sign(HS256, { ...good, exp: undefined }, key)],
    ["no iat", "token_invalid", (good, key) => sign(HS256, { ...good, iat: undefined }, key)],
    ["no sub", "token_invalid", (good, key) => sign(HS256, { ...good, sub: undefined }, key)],
    ["no iss", "token_invalid", (good, key) => sign(HS256, { ...good, iss: undefined }, key)],
    ["no instance", "token_invalid", (good, key) => sign(HS256, { ...good, instance_id: undefined }, key)],
    ["another issuer", "token_invalid", (good, key) => sign(HS256, { ...good, iss: "https://evil.test" }, key)],
    ["an exp in quotes", "token_invalid", (good, key) => sign(HS256, { ...good, exp: String(good["exp"]) }, key)],
    [
      "an exp past all numbers",
      "token_invalid",
      (good, key) => sign(HS256, JSON.stringify(good).replace(/"exp":\d+/, '"exp":1e999'), key),
    ],
    ["a longer life", "token_invalid", (good, key) => sign(HS256, { ...good, exp: NOW + 7200 }, key)],
    [
      "fractions of a second",
      "token_invalid",
      (good, key) => sign(HS256, { ...good, iat: NOW + 0.5, exp: NOW + 3600.5 }, key),
    ],
    ["a sub that is no UUID", "token_invalid", (good, key) => sign(HS256, { ...good, sub: "../admin" }, key)],
    ["nothing", "token_invalid", () => ""],
    ["dots", "token_invalid", () => ".."],
  ];

  async function made(make: Vector[2]): Promise<{ service: Service; token: string; good: Claims }> {
    const service = await setup();
    const good = decodePart(await service.tokenFor("google", "ada"), 1);
    return { service, token: make(good, service.acme.secret_key), good };
  }

  it.each(vectors)("with %s: %s", async (_, code, make) => {
    const { service, token } = await made(make);
    const { secret_key: secretKey, id: instanceId } = service.acme;
    const result = await checkToken(token, { secretKey, instanceId, now: service.clock.now });
    expect(result.ok ? undefined : result.error.code).toBe(code);
  });

  it.each(vectors.filter(([what]) => what !== "nothing"))(
    "with %s are judged the same by the service",
    async (_, code, make) => {
      const { service, token } = await made(make);
      const verified = service.client(service.acme).tokens.verify(token);
      const verdict = await verified.then(
        () => undefined,
        (error: ServiceError) => error.code,
      );
      expect(verdict).toBe(code);
    },
  );

  it("of another instance are told from forged ones only where the key is shared", async () => {
    const service = await setup();
    const {
      clock: { now },
      acme,
      globex,
    } = service;
    const token = await service.tokenFor("google", "ada", globex);
    await expect(verifyToken(token, { secretKey: acme.secret_key, now })).rejects.toMatchObject({
      code: "token_invalid_signature",
    });
    const options = { secretKey: globex.secret_key, instanceId: acme.id, now };
    await expect(verifyToken(token, options)).rejects.toMatchObject({
      name: "TokenError",
      code: "token_wrong_instance",
      message: "Token does not belong to this instance",
    });
  });

  it("are good by any of the keys while one is being replaced", async () => {
    const service = await setup();
    const now = service.clock.now;
    const token = await service.tokenFor("google", "ada");
    const own = service.acme.secret_key;
    for (const secretKey of [[own], [KEY, own], [own, KEY]]) {
      expect(await verifyToken(token, { secretKey, now })).toEqual(decodePart(token, 1));
    }
    for (const secretKey of [[KEY], [KEY, service.globex.secret_key]]) {
      await expect(verifyToken(token, { secretKey, now })).rejects.toMatchObject({ code: "token_invalid_signature" });
    }
  });

  it.each(["", "sk_", "sk_short", "pk_acme_0123456789abcdefghijklmnopqrstuvwxyz"])(
    "are not verified by %j, which anybody could guess or know",
    async (secretKey) => {
      const service = await setup();
      const good = decodePart(await service.tokenFor("google", "ada"), 1);
      const token = secretKey === "" ? forged(await service.tokenFor("google", "ada")) : sign(HS256, good, secretKey);
      const now = service.clock.now;
      for (const keys of [secretKey, [secretKey], [service.acme.secret_key, secretKey], []]) {
        await expect(verifyToken(token, { secretKey: keys, now })).rejects.toThrow(ConfigError);
        await expect(checkToken(token, { secretKey: keys, now })).rejects.toThrow(ConfigError);
      }
    },
  );

  it("can be read without being believed", async () => {
    const service = await setup();
    const token = await service.tokenFor("google", "ada");
    expect(decodeToken(forged(token))).toEqual({
      header: { alg: "HS256", typ: "JWT" },
      claims: { ...decodePart(token, 1), name: "Mallory" },
      verified: false,
    });
    expect(() => decodeToken("nonsense")).toThrow(
      new TokenError("token_invalid", "Token invalid", { reason: "malformed" }),
    );
  });
});

function sign(header: object, claims: object | string, key: string, hash = "sha256"): string {
  const payload = typeof claims === "string" ? Buffer.from(claims).toString("base64url") : encodePart(claims);
  const text = `${encodePart(header)}.${payload}`;
  return `${text}.${createHmac(hash, key).update(text).digest("base64url")}`;
}

/** The token with another name in it, and the signature that it had. */
function forged(token: string): string {
  const [header, , signature] = token.split(".");
  return `${header}.${encodePart({ ...decodePart(token, 1), name: "Mallory" })}.${signature}`;
}

/** The same bytes to a lenient decoder: the last character's two lowest bits mean nothing. */
function spareBits(token: string): string {
  const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  return token.slice(0, -1) + alphabet[alphabet.indexOf(token.at(-1)!) + 1]!;
}

async function caught(promise: PromiseLike<unknown>): Promise<unknown> {
  try {
    await promise;
  } catch (error) {
    return error;
  }
  throw new Error("nothing was thrown");
}
