import { describe, expect, it } from "vitest";
import { ConfigError, createClient, type Client, type ClientOptions, type Fetch } from "../../src/client/index.ts";
import { answering } from "../_answering.ts";
import { caught, clientWith, forged, KEY, startServer } from "../_client.ts";
import { PRODUCT_ROUTES } from "../../src/wire/product/routes.ts";
import type { RouteDefinition } from "../../src/wire/route.ts";
import { APP, decodePart, FRONT, setup, ADA, NOBODY, SESSION } from "../_setup.ts";

describe("The client's methods", () => {
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

  it.each(rows)("%s resolves to the API's body", async (_, call, path) => {
    const service = await setup();
    const body: unknown = await (await service.as(service.acme, path)).json();
    expect(await call(service.client(service.acme))).toEqual(body);
  });

  it("are tested here, one for every endpoint", () => {
    const methods = Object.values<RouteDefinition>(PRODUCT_ROUTES).flatMap(({ method = [] }) => method);
    const called = [...rows.map(([name]) => name), "users.delete", "tokens.verify"];
    expect(called).toEqual(expect.arrayContaining(methods));
    expect(methods).toContain("tokens.verify");
  });

  it("users.delete succeeds once and then reports user_not_found", async () => {
    const service = await setup();
    const { users } = service.client(service.acme);
    expect(await users.delete(ADA)).toEqual({ deleted: true, id: ADA });
    await expect(users.delete(ADA)).rejects.toMatchObject({ code: "user_not_found" });
  });

  it("tokens.verify resolves to the user of the token", async () => {
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

  it("tokens.verifyLocal resolves to the claims without a request, by the client's clock", async () => {
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

  it("users.find and sessions.find resolve to undefined when nothing matches", async () => {
    const service = await setup();
    const { users, sessions } = service.client(service.acme);
    expect([await users.find(NOBODY), await sessions.find(`svc_session_${NOBODY}`)]).toEqual([undefined, undefined]);
  });

  it("users.find still throws errors other than not found", async () => {
    const service = await setup();
    const { users } = service.client(service.acme, { secretKey: KEY });
    await expect(users.find(ADA)).rejects.toMatchObject({ code: "unauthorized" });
  });

  it("tokens.check returns whether a token is valid, and throws if that cannot be decided", async () => {
    const service = await setup();
    const { tokens, users } = service.client(service.acme);
    const token = await service.tokenFor("github", "ada");
    expect(await tokens.check(token)).toEqual({
      ok: true,
      token: await tokens.verify(token),
      claims: decodePart(token, 1),
    });
    const malformed = await tokens.check("x".repeat(10_000));
    expect(malformed.ok || malformed.error.reason).toBe("malformed");
    expect(await tokens.check(forged(token))).toMatchObject({ ok: false, error: { code: "token_invalid_signature" } });
    await users.delete(ADA);
    expect(await tokens.check(token)).toMatchObject({ ok: false, error: { code: "user_not_found" } });
    const other = service.client(service.acme, { secretKey: KEY });
    await expect(other.tokens.check(token)).rejects.toMatchObject({ code: "unauthorized" });
  });

  it("close ends the connections that are kept open", async () => {
    const { origin } = await startServer((_, response) => void response.end("[]"));
    const client = createClient({ secretKey: KEY, baseUrl: origin });
    await client.users.list();
    await client.close();
    await client.close();
    await expect(client.users.list()).rejects.toMatchObject({
      code: "closed",
      message: "The client is closed. Make calls before close(), or create another client",
    });
  });

  it("tokens.check has no claims of a token that only the service can read", async () => {
    const body = { id: ADA, resource: "token", data: { valid: true } };
    const { tokens } = clientWith(answering(200, JSON.stringify(body)));
    expect(await tokens.check("opaque")).toEqual({ ok: true, token: body, claims: {} });
  });

  it("close lets pending calls finish, and refuses later ones also with a fetch of one's own", async () => {
    let answer!: (response: Response) => void;
    const client = clientWith(() => new Promise((resolve) => (answer = resolve as typeof answer)));
    const pending = client.users.list({ limit: undefined, after: undefined }).withResponse();
    await client.close();
    answer(Response.json([]));
    expect((await pending).data).toEqual([]);
    await expect(client.users.list()).rejects.toMatchObject({ code: "closed" });
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
  ])("signInUrl with %j starts a sign-in", async (parameters, url) => {
    const service = await setup();
    const href = await service.client(service.acme, { publishableKey: undefined }).signInUrl(parameters);
    expect(href).toBe(`http://acme.localhost:7820${url}`);
    expect((await service.fetch(href)).status).toBe(302);
  });

  it("give access to the response and its headers", async () => {
    const service = await setup();
    const { data, response } = await service.client(service.acme).users.list({ limit: 1 }).withResponse();
    expect(data.map(({ id }) => id)).toEqual(["00000000-0000-4000-8000-0000000000a3"]);
    expect(response.status).toBe(200);
    expect(response.headers.get("Link")).toMatch(
      /^<http:\/\/acme\.localhost:7820\/api\/v1\/users\?limit=1&after=[\w-]{92}>; rel="next"$/,
    );
  });

  it("encode spaces as %20 and a plus as %2B, which every parser reads alike", async () => {
    const fetch = answering(200, "[]");
    await clientWith(fetch).users.search("created_at>=2026-01-01T00:00:00+01:00 name:a&b");
    expect(fetch.calls).toEqual([
      "https://acme.svc.test/api/v1/users/search?query=created_at%3E%3D2026-01-01T00%3A00%3A00%2B01%3A00%20name%3Aa%26b",
    ]);
  });
});

describe("The client's checks before a request", () => {
  const methods: [name: string, call: (client: Client, id: string) => PromiseLike<unknown>][] = [
    ["users.get", (client, id) => client.users.get(id)],
    ["users.find", (client, id) => client.users.find(id)],
    ["users.delete", (client, id) => client.users.delete(id)],
    ["sessions.get", (client, id) => client.sessions.get(id)],
    ["sessions.find", (client, id) => client.sessions.find(id)],
  ];

  it.each(methods)("let %s accept only a valid id", async (name, call) => {
    const uuids = ["", " ", "..", "../sessions", `${ADA}/..`, `${ADA}\n`, `${ADA}?x=1`, "%2e%2e", "a1"];
    const ids = name.startsWith("users.") ? [...uuids, SESSION] : [...uuids.map((id) => `svc_session_${id}`), "", ADA];
    const fetch = answering(200, "{}");
    for (const id of ids) {
      const error = await caught(call(clientWith(fetch), id));
      expect(error).toEqual(new ConfigError(`"${id}" is not a ${name.startsWith("users.") ? "user" : "session"} id`));
    }
    expect(fetch.calls).toEqual([]);
  });

  it.each(methods)("let %s send an id in capitals as the service writes it", async (name, call) => {
    const fetch = answering(200, "{}");
    const id = name.startsWith("users.") ? ADA : SESSION;
    await call(clientWith(fetch), id.toUpperCase()).then(undefined, () => undefined);
    expect(fetch.calls).toEqual([expect.stringMatching(new RegExp(`/${id}$`))]);
  });

  it("let instances.resolve authenticate with either key, and resolve the client's own by default", async () => {
    const service = await setup();
    const acme = { data: { url: "http://acme.localhost:7820" } };
    const keys: (string | undefined)[][] = [];
    const { instances } = service.client(service.acme, {
      fetch: (url, init) => {
        const headers = new Headers(init.headers);
        keys.push(["x-service-publishable-key", "x-service-secret-key"].map((name) => headers.get(name) ?? undefined));
        return service.fetch(url, init) as ReturnType<Fetch>;
      },
    });
    const { publishable_key, secret_key } = service.acme;
    expect(await instances.resolve()).toMatchObject(acme);
    expect(await instances.resolve(undefined, { auth: "secret" })).toMatchObject(acme);
    expect(await instances.resolve(publishable_key, { auth: "publishable", fresh: true })).toMatchObject(acme);
    expect(keys).toEqual([
      [publishable_key, undefined],
      [undefined, secret_key],
      [publishable_key, undefined],
    ]);
    await expect(instances.resolve("pk_globex_0123456789", { auth: "secret" })).rejects.toMatchObject({
      code: "instance_not_found",
    });
    await expect(clientWith(answering(200, "{}")).instances.resolve()).rejects.toMatchObject({ code: "config" });
  });

  it.each([[KEY], ["acme"], [""], ["pk_a b"], ["pk_a\r\nx: y"]])(
    "make instances.resolve reject the key %j",
    async (key) => {
      const fetch = answering(200, "{}");
      const { instances } = clientWith(fetch, { apiUrl: "https://api.svc.test" });
      await expect(instances.resolve(key)).rejects.toMatchObject({ code: "config" });
      expect(fetch.calls).toEqual([]);
    },
  );

  it.each<[options: ClientOptions, message: string]>([
    [{ secretKey: "pk_swapped_0123" }, "secretKey is a publishable key: use the secret key, which begins with sk_"],
    [{ secretKey: `${KEY}\n` }, "secretKey has a space or a line's end around it. Remove it, such as by trim()"],
    [
      { secretKey: [KEY, `${KEY}\r\n`] },
      "secretKey has a space or a line's end around it. Remove it, such as by trim()",
    ],
    [{ publishableKey: " pk_x" }, "publishableKey has a space or a line's end around it. Remove it, such as by trim()"],
    [{ secretKey: KEY.replace("_", "_ ") }, "secretKey must begin with sk_ and contain no spaces"],
    [{ secretKey: "" }, "secretKey is empty: it must begin with sk_. Is its variable set?"],
    [{ publishableKey: KEY }, "publishableKey is a secret key: use the publishable key, which begins with pk_"],
    [{ baseUrl: "acme.test" }, "baseUrl must be an http or https address, such as https://acme.example.com"],
    [{ apiUrl: "ftp://acme.test" }, "apiUrl must be an http or https address, such as https://acme.example.com"],
    [{ baseUrl: "https://ada:secret@acme.test" }, "baseUrl must not contain a user name or password"],
    [{ baseUrl: "https://acme.test?x=1" }, "baseUrl must not contain a query or a fragment"],
  ])("make createClient reject %j", (options, message) => {
    expect(() => createClient(options)).toThrow(new ConfigError(message));
  });

  it("take a secret key of any length, and say what verifyLocal needs", async () => {
    const { tokens } = createClient({ secretKey: "sk_short", baseUrl: FRONT });
    const message = "secretKey must have at least 32 characters to verify tokens";
    await expect(tokens.verifyLocal("x.y.z")).rejects.toEqual(new ConfigError(message));
  });

  it.each<[what: string, options: ClientOptions, message: string]>([
    ["an address", { secretKey: KEY }, "createClient needs baseUrl, or publishableKey and apiUrl"],
    ["the API's address", { secretKey: KEY, publishableKey: "pk_acme_0123" }, "createClient needs apiUrl"],
    ["a secret key", { baseUrl: FRONT }, "createClient needs secretKey"],
  ])("make a call reject when %s is missing", async (_, options, message) => {
    const fetch = answering(200, "[]");
    const { users } = createClient({ ...options, fetch });
    await expect(users.list()).rejects.toEqual(new ConfigError(message));
    expect(fetch.calls).toEqual([]);
  });
});
