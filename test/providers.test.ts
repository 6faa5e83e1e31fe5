import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { gzipSync } from "node:zlib";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { providerFetch } from "../src/server/providers/fetch.ts";
import type { IdentityRecord, SessionRecord, UserRecord } from "../src/server/store/records.ts";
import type { UserView } from "../src/server/store/store.ts";
import { SIGN_IN_ERRORS, type SignInErrorCode } from "../src/wire/errors.ts";
import { PROVIDERS, type Provider } from "../src/wire/names.ts";
import { APP, decodePart, FRONT, SEED, setup, type Service } from "./_setup.ts";

interface Heard {
  method: string;
  path: string;
  headers: IncomingHttpHeaders;
  body: string;
}
type Answer = (response: ServerResponse, heard: Heard) => void;

const JSON_TYPE = { "content-type": "application/json; charset=utf-8" };
const FORM_TYPE = { "content-type": "application/x-www-form-urlencoded" };
const HTML_TYPE = { "content-type": "text/html" };

function raw(body: string | Buffer, status = 200, headers: Record<string, string> = JSON_TYPE): Answer {
  return (response) => response.writeHead(status, headers).end(body);
}

function json(body: unknown, status = 200): Answer {
  return raw(JSON.stringify(body), status);
}

const ENDPOINTS = {
  google: { authorize: "/auth", token: "/token", userinfo: "/userinfo" },
  github: { authorize: "/auth", token: "/token", user: "/user", emails: "/user/emails" },
  twitter: { authorize: "/auth", token: "/token", me: "/2/users/me?user.fields=profile_image_url" },
};
/** What the providers' own documentation shows. */
const GOOGLE_USER = {
  sub: "1001",
  name: "Ada Lovelace",
  given_name: "Ada",
  family_name: "Lovelace",
  picture: "https://lh3.googleusercontent.com/a/ada=s96-c",
  email: "ada@acme.test",
  email_verified: true,
  locale: "en",
};
const GITHUB_USER = {
  login: "octocat",
  id: 583231,
  node_id: "MDQ6VXNlcjU4MzIzMQ==",
  avatar_url: "https://avatars.githubusercontent.com/u/583231?v=4",
  type: "User",
  name: "monalisa octocat",
  email: "whatever-its-owner-typed@acme.test",
};
const GITHUB_EMAILS = [
  { email: "old@github.test", primary: false, verified: true, visibility: null },
  { email: "octocat@github.test", primary: true, verified: true, visibility: "public" },
];
const TWITTER_USER = {
  data: {
    id: "2244994945",
    name: "X Dev",
    username: "TwitterDev",
    profile_image_url: "https://pbs.twimg.com/profile_images/2244994945/x_normal.jpg",
  },
};
const GOOD: Record<Provider, Record<string, Answer>> = {
  google: {
    "/token": json({
      access_token: "ya29.token",
      expires_in: 3599,
      scope: "openid",
      token_type: "Bearer",
      id_token: "x.y.z",
    }),
    "/userinfo": json(GOOGLE_USER),
  },
  github: {
    "/token": json({ access_token: "gho_token", scope: "read:user,user:email", token_type: "bearer" }),
    "/user": json(GITHUB_USER),
    "/user/emails": json(GITHUB_EMAILS),
  },
  twitter: {
    "/token": json({
      token_type: "bearer",
      expires_in: 7200,
      access_token: "tw-token",
      scope: "users.read tweet.read",
    }),
    "/2/users/me": json(TWITTER_USER),
  },
};

interface Fake {
  readonly service: Service;
  /** What the provider was asked, in order. */
  readonly heard: Heard[];
  /** May be changed between sign-ins. */
  readonly answers: Record<string, Answer>;
  signIn(): Promise<URL>;
}

/** The service with a provider behind it on a real socket, which gives these answers and otherwise good ones. */
async function setupProvider(
  provider: Provider,
  changed: Record<string, Answer> = {},
  secret = "s3cret",
): Promise<Fake> {
  const answers = { ...GOOD[provider], ...changed };
  const heard: Heard[] = [];
  const server = createServer((request, response) => {
    let body = "";
    request.setEncoding("utf8").on("data", (chunk: string) => (body += chunk));
    request.on("end", () => {
      const { method = "", url = "", headers } = request;
      heard.push({ method, path: url, headers, body });
      const answer = answers[url.split("?")[0]!] ?? json({ message: "Not Found" }, 404);
      answer(response, heard.at(-1)!);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.close().closeAllConnections();
  });
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const endpoints = Object.fromEntries(
    Object.entries(ENDPOINTS[provider]).map(([name, path]) => [name, origin + path]),
  );
  const connections = { [provider]: { client_id: "our-id", client_secret: secret, endpoints } };
  const service = await setup({
    seed: { ...SEED, instances: [{ ...SEED.instances[0], connections }] },
    fetch: providerFetch,
  });
  const signIn = async (): Promise<URL> => {
    const query = new URLSearchParams({ provider, redirect_uri: APP });
    const begun = await service.fetch(`/oauth/authorize?${query.toString()}`);
    const toProvider = new URL(begun.headers.get("location")!);
    expect(toProvider.origin + toProvider.pathname).toBe(`${origin}/auth`);
    const state = toProvider.searchParams.get("state");
    const response = await service.fetch(`/oauth/${provider}/callback?code=the-code&state=${state}`);
    expect(response.status).toBe(302);
    return new URL(response.headers.get("location")!);
  };
  return { service, heard, answers, signIn };
}

function failure(code: SignInErrorCode): string {
  return `${APP}?error=${code}&error_description=${encodeURIComponent(SIGN_IN_ERRORS[code])}`;
}

async function contents({ store, acme }: Service): Promise<{ users: UserView[]; sessions: SessionRecord[] }> {
  const users: UserView[] = [];
  for await (const batch of (await store.users(acme.id, {}))!) users.push(...batch);
  const sessions: SessionRecord[] = [];
  for await (const batch of (await store.sessions(acme.id, {}))!) sessions.push(...batch);
  return { users, sessions };
}

/** The user that a sign-in's token names. */
async function userOf({ service, signIn }: Fake): Promise<UserRecord> {
  const url = await signIn();
  expect([...url.searchParams.keys()]).toEqual(["token"]);
  const { sub } = decodePart(url.searchParams.get("token")!, 1);
  return (await service.store.findUser(service.acme.id, String(sub)))!.user;
}

function said({ method, path, headers, body }: Heard): object {
  return {
    request: `${method} ${path}`,
    accept: headers.accept,
    agent: headers["user-agent"],
    authorization: headers.authorization,
    ...(method === "POST" && { type: headers["content-type"], form: Object.fromEntries(new URLSearchParams(body)) }),
  };
}

function email(address: string, primary: boolean, verified: boolean): object {
  return { email: address, primary, verified };
}

describe("what a provider is asked", () => {
  const common = { accept: "application/json", agent: "svc-identity" };
  const exchange = (provider: Provider, authorization: string | undefined, more: object): object => ({
    ...common,
    request: "POST /token",
    authorization,
    type: "application/x-www-form-urlencoded",
    form: {
      grant_type: "authorization_code",
      code: "the-code",
      redirect_uri: `${FRONT}/oauth/${provider}/callback`,
      client_id: "our-id",
      ...more,
    },
  });
  const get = (path: string, token: string): object => ({
    ...common,
    request: `GET ${path}`,
    authorization: `Bearer ${token}`,
  });

  it("of google: the secret in the body, then the profile", async () => {
    const { signIn, heard } = await setupProvider("google");
    await signIn();
    expect(heard.map(said)).toEqual([
      exchange("google", undefined, { client_secret: "s3cret" }),
      get("/userinfo", "ya29.token"),
    ]);
  });

  it("of github: the secret in the body, then the profile and the e-mail addresses", async () => {
    const { signIn, heard } = await setupProvider("github");
    await signIn();
    expect(heard.map(said)).toEqual([
      exchange("github", undefined, { client_secret: "s3cret" }),
      get("/user", "gho_token"),
      get("/user/emails", "gho_token"),
    ]);
  });

  it("of twitter: the secret by HTTP Basic and not in the body, the verifier, then the profile", async () => {
    const { signIn, heard } = await setupProvider("twitter");
    await signIn();
    const basic = `Basic ${Buffer.from("our-id:s3cret").toString("base64")}`;
    expect(heard.map(said)).toEqual([
      exchange("twitter", basic, { code_verifier: expect.stringMatching(/^[\w-]{43}$/) as string }),
      get("/2/users/me?user.fields=profile_image_url", "tw-token"),
    ]);
  });

  it("keeps a secret whole in HTTP Basic, whatever is in it", async () => {
    const { signIn, heard } = await setupProvider("twitter", {}, "a:b%c d+é");
    await signIn();
    const basic = Buffer.from(heard[0]!.headers.authorization!.slice("Basic ".length), "base64").toString();
    expect(basic).toBe("our-id:a%3Ab%25c%20d%2B%C3%A9");
  });

  it("goes to the provider's own addresses but for those that are replaced", async () => {
    const connections = {
      google: { client_id: "i", client_secret: "s", endpoints: { token: "http://127.0.0.1:9/t" } },
    };
    const { fetch } = await setup({ seed: { ...SEED, instances: [{ ...SEED.instances[0], connections }] } });
    const response = await fetch(`/oauth/authorize?provider=google&redirect_uri=${encodeURIComponent(APP)}`);
    expect(response.headers.get("location")).toMatch("https://accounts.google.com/o/oauth2/v2/auth?");
  });

  it.each([
    ["http://idp.acme.test/token", "must be an https address, or one on loopback"],
    ["http://localhost.evil.test/token", "must be an https address, or one on loopback"],
    ["ftp://localhost/token", "must be an https address, or one on loopback"],
  ])("never goes in the clear to another machine: %s", async (token, why) => {
    const connections = { google: { client_id: "i", client_secret: "s", endpoints: { token } } };
    const seed = { ...SEED, instances: [{ ...SEED.instances[0], connections }] };
    await expect(setup({ seed })).rejects.toThrow(`instances[0].connections.google.endpoints.token: ${why}`);
  });
});

describe("what a provider answers", () => {
  it.each([
    [
      "google",
      {
        email: "ada@acme.test",
        name: "Ada Lovelace",
        avatar_url: GOOGLE_USER.picture,
        email_verified_at: "2026-01-05T09:00:00.000Z",
      },
    ],
    [
      "github",
      {
        email: "octocat@github.test",
        name: "monalisa octocat",
        avatar_url: GITHUB_USER.avatar_url,
        email_verified_at: null,
      },
    ],
    [
      "twitter",
      {
        email: "2244994945@twitter.invalid",
        name: "X Dev",
        avatar_url: TWITTER_USER.data.profile_image_url,
        email_verified_at: null,
      },
    ],
  ] as const)("becomes a user: %s", async (provider, expected) => {
    expect(await userOf(await setupProvider(provider))).toMatchObject(expected);
  });

  it.each([
    [true, null],
    ["true", null],
    [false, "email_not_verified"],
    ["false", "email_not_verified"],
    [undefined, "email_not_verified"],
    [null, "server_error"],
    ["TRUE", "server_error"],
    ["yes", "server_error"],
    [1, "server_error"],
  ] as const)("google's email_verified is %j: error %j", async (email_verified, code) => {
    const { signIn } = await setupProvider("google", { "/userinfo": json({ ...GOOGLE_USER, email_verified }) });
    const url = await signIn();
    if (code === null) expect([...url.searchParams.keys()]).toEqual(["token"]);
    else expect(url.href).toBe(failure(code));
  });

  it("google's sub may be a number, and is the same account then", async () => {
    const fake = await setupProvider("google", { "/userinfo": json({ ...GOOGLE_USER, sub: 1001 }) });
    expect((await userOf(fake)).id).toBe("00000000-0000-4000-8000-0000000000a1");
  });

  it.each([
    ["one", [email("a@x.test", true, true)], "a@x.test"],
    ["the primary one of several", [email("a@x.test", false, true), email("b@x.test", true, true)], "b@x.test"],
    [
      "the verified one of two primary ones",
      [email("a@x.test", true, false), email("b@x.test", true, true)],
      "b@x.test",
    ],
    ["a private one", [email("1+o@users.noreply.github.com", true, true)], "1+o@users.noreply.github.com"],
  ])("github's e-mail address is found: %s", async (_what, emails, expected) => {
    const fake = await setupProvider("github", { "/user/emails": json(emails) });
    expect((await userOf(fake)).email).toBe(expected);
  });

  it.each([
    ["there is none", []],
    ["none is verified", [email("a@x.test", true, false), email("b@x.test", false, false)]],
    ["the primary one is not verified", [email("a@x.test", true, false), email("b@x.test", false, true)]],
    ["none is primary", [email("a@x.test", false, true)]],
  ])("github's e-mail address is refused: %s", async (_what, emails) => {
    const { service, signIn } = await setupProvider("github", { "/user/emails": json(emails) });
    const before = await contents(service);
    expect((await signIn()).href).toBe(failure("email_not_verified"));
    expect(await contents(service)).toEqual(before);
  });

  it("github answers in JSON because it is asked to", async () => {
    const form = raw("access_token=gho_token&token_type=bearer", 200, FORM_TYPE);
    const token: Answer = (response, asked) => {
      const answer = asked.headers.accept === "application/json" ? GOOD.github["/token"]! : form;
      answer(response, asked);
    };
    const { signIn } = await setupProvider("github", { "/token": token });
    expect([...(await signIn()).searchParams.keys()]).toEqual(["token"]);
  });

  it.each([
    ["https://acme.test/ada.png?s=96", "https://acme.test/ada.png?s=96"],
    ["http://localhost:9000/ada.png", "http://localhost:9000/ada.png"],
    ["http://acme.test/ada.png", null],
    ["http://localhost.evil.test/ada.png", null],
    ["javascript:alert(1)", null],
    ["data:image/svg+xml,<svg/>", null],
    ["file:///etc/passwd", null],
    ["//acme.test/ada.png", null],
    ["ada.png", null],
    ["", null],
    [null, null],
    [undefined, null],
  ])("a picture at %j is kept as %j, and never fetched", async (picture, expected) => {
    const fake = await setupProvider("google", { "/userinfo": json({ ...GOOGLE_USER, picture }) });
    expect((await userOf(fake)).avatar_url).toBe(expected);
    expect(fake.heard.map(({ path }) => path)).toEqual(["/token", "/userinfo"]);
  });

  it.each([
    ["google", "/userinfo", GOOGLE_USER, "ada@acme.test"],
    ["github", "/user", GITHUB_USER, "octocat"],
  ] as const)("a name that %s does not have is made up for", async (provider, path, user, expected) => {
    const { answers, ...fake } = await setupProvider(provider);
    for (const name of [undefined, null, "", "   "]) {
      answers[path] = json({ ...user, name });
      expect((await userOf({ answers, ...fake })).name).toBe(expected);
    }
  });

  it("a name is cut to 256 characters", async () => {
    const fake = await setupProvider("google", { "/userinfo": json({ ...GOOGLE_USER, name: "a".repeat(300) }) });
    expect((await userOf(fake)).name).toBe("a".repeat(256));
  });

  it("a refresh token is kept until there is another one", async () => {
    const { service, signIn, answers } = await setupProvider("google");
    const stored: (string | null)[] = [];
    const look = async (): Promise<void> => {
      await signIn();
      const looking = new Error("only looking");
      const resolveUser = ({ known }: { known?: { identity: IdentityRecord } | undefined }): never => {
        stored.push(known!.identity.access_token, known!.identity.refresh_token);
        throw looking;
      };
      const key = { instance_id: service.acme.id, provider: "google", uid: "1001" } as const;
      const signInAgain = { ...key, email: "ada@acme.test", ip_address: "127.0.0.1", resolveUser };
      const openSession = (): never => resolveUser({});
      await expect(service.store.completeSignIn({ ...signInAgain, openSession })).rejects.toBe(looking);
    };
    answers["/token"] = json({ access_token: "a1", refresh_token: "r1" });
    await look();
    answers["/token"] = json({ access_token: "a2" });
    await look();
    answers["/token"] = json({ access_token: "a3", refresh_token: "r3" });
    await look();
    expect(stored).toEqual(["a1", "r1", "a2", "r1", "a3", "r3"]);
  });
});

describe("an answer that can't be used", () => {
  const TOO_LONG = JSON.stringify({ access_token: "t", ...GOOGLE_USER, padding: " ".repeat(10 << 20) });
  const ANYWHERE: [string, Answer, SignInErrorCode][] = [
    ["400", json({ error: "invalid_grant" }, 400), "server_error"],
    ["401", json({ error: "invalid_client" }, 401), "server_error"],
    ["403", json({ message: "Forbidden" }, 403), "server_error"],
    ["404", json({ message: "Not Found" }, 404), "server_error"],
    ["429", json({ message: "Too Many Requests" }, 429), "temporarily_unavailable"],
    ["500", json({ message: "oops" }, 500), "temporarily_unavailable"],
    ["502 in HTML", raw("<h1>Bad Gateway</h1>", 502, HTML_TYPE), "temporarily_unavailable"],
    ["503", raw("", 503), "temporarily_unavailable"],
    ["201", json({ access_token: "t", ...GOOGLE_USER }, 201), "server_error"],
    ["204", (response) => response.writeHead(204).end(), "server_error"],
    ["302", (response) => response.writeHead(302, { location: "/elsewhere" }).end(), "server_error"],
    ["307", (response) => response.writeHead(307, { location: "/elsewhere" }).end(), "server_error"],
    ["HTML", raw("<!doctype html><title>Sign in</title>", 200, HTML_TYPE), "server_error"],
    ["nothing", raw(""), "server_error"],
    ["null", json(null), "server_error"],
    ["an array", json([]), "server_error"],
    ["text", json("access_token"), "server_error"],
    ["a number", json(42), "server_error"],
    ["an object with nothing in it", json({}), "server_error"],
    ["half a document", raw('{"access_token":"t","sub":"1001"'), "server_error"],
    ["two documents", raw('{"access_token":"t"}{"access_token":"t"}'), "server_error"],
    ["a prototype", raw(`{"__proto__":${JSON.stringify({ access_token: "t", ...GOOGLE_USER })}}`), "server_error"],
    ["200,000 opening brackets", raw("[".repeat(200_000)), "server_error"],
    ["10 MB", raw(TOO_LONG), "server_error"],
    ["10 MB, compressed", raw(gzipSync(TOO_LONG), 200, { "content-encoding": "gzip" }), "server_error"],
    ["what is not compressed as it says", raw("{}", 200, { "content-encoding": "gzip" }), "temporarily_unavailable"],
    ["no answer", (response) => response.destroy(), "temporarily_unavailable"],
    [
      "a connection that breaks",
      (response) => {
        response.writeHead(200, { ...JSON_TYPE, "content-length": "100" }).write('{"access_token":"t"');
        setImmediate(() => response.destroy());
      },
      "temporarily_unavailable",
    ],
  ];
  const token = (fields: object): Answer => json({ access_token: "t", token_type: "Bearer", ...fields });
  const TOKEN: [string, Answer][] = [
    ["an error with status 200", json({ error: "bad_verification_code", error_description: "The code is incorrect." })],
    ["a form", raw("access_token=t&token_type=bearer", 200, FORM_TYPE)],
    ["an access_token of null", token({ access_token: null })],
    ["an empty access_token", token({ access_token: "" })],
    ["an access_token that is a number", token({ access_token: 42 })],
    ["an access_token that is an array", token({ access_token: ["t"] })],
    ["an access_token without end", token({ access_token: "t".repeat(8193) })],
    ["an access_token with a line break", token({ access_token: "t\r\nx-evil: 1" })],
    ["an access_token that no header can carry", token({ access_token: "t\u20ac" })],
    ["an expires_in of -1", token({ expires_in: -1 })],
    ["an expires_in that is text", token({ expires_in: "soon" })],
    ["an expires_in past the end of time", token({ expires_in: 1e300 })],
    ["a refresh_token that is an object", token({ refresh_token: {} })],
  ];
  const person = (fields: object): Answer => json({ ...GOOGLE_USER, ...fields });
  const PERSON: [string, Answer][] = [
    ["no sub", person({ sub: undefined })],
    ["a sub of null", person({ sub: null })],
    ["an empty sub", person({ sub: "" })],
    ["a sub of 0", person({ sub: 0 })],
    ["a sub of -1", person({ sub: -1 })],
    ["a sub of 1.5", person({ sub: 1.5 })],
    ["a sub of true", person({ sub: true })],
    ["a sub that is an array", person({ sub: ["1001"] })],
    ["a sub that is an object", person({ sub: { id: "1001" } })],
    ["a sub past 2^53", raw(JSON.stringify(GOOGLE_USER).replace('"1001"', "9007199254740993"))],
    ["a sub without end", person({ sub: "1".repeat(256) })],
    ["a sub with a space", person({ sub: "1001 " })],
    ["a sub with a line feed", person({ sub: "1001\n" })],
    ["a sub in other digits", person({ sub: "\u0661\u0660\u0660\u0661" })],
    ["no email", person({ email: undefined })],
    ["an email of null", person({ email: null })],
    ["an empty email", person({ email: "" })],
    ["an email that is an array", person({ email: ["ada@acme.test"] })],
    ["an email without @", person({ email: "ada.acme.test" })],
    ["an email with two @", person({ email: "ada@acme.test@evil.test" })],
    ["an email with a space", person({ email: "ada @acme.test" })],
    ["an email with a line break", person({ email: "ada@acme.test\r\nBcc: x@evil.test" })],
    ["an email with a null character", person({ email: "ada\u0000@acme.test" })],
    ["an email without end", person({ email: `${"a".repeat(245)}@acme.test` })],
    ["somebody else's placeholder", person({ email: "3001@twitter.invalid" })],
    ["a name that is an object", person({ name: { first: "Ada" } })],
    ["a picture that is a number", person({ picture: 1 })],
  ];
  const octocat = (fields: object): Answer => json({ ...GITHUB_USER, ...fields });
  const address = (fields: object): Answer => json([{ ...GITHUB_EMAILS[1], ...fields }]);
  const OTHERS: [Provider, string, string, Answer][] = [
    ["github", "/user", "no id", octocat({ id: undefined })],
    ["github", "/user", "an id of 0", octocat({ id: 0 })],
    ["github", "/user", "an empty id", octocat({ id: "" })],
    ["github", "/user", "an id that is an array", octocat({ id: [583231] })],
    ["github", "/user", "no login", octocat({ login: undefined })],
    ["github", "/user/emails", "no permission", json({ message: "Not Found" }, 404)],
    ["github", "/user/emails", "an object", json({ email: "octocat@github.test", primary: true, verified: true })],
    ["github", "/user/emails", "a list of text", json(["octocat@github.test"])],
    ["github", "/user/emails", "an entry of null", json([null])],
    ["github", "/user/emails", "an email that is a number", address({ email: 1 })],
    ["github", "/user/emails", "a verified that is text", address({ verified: "true" })],
    ["github", "/user/emails", "no verified", address({ verified: undefined })],
    ["github", "/user/emails", "an address that is none", address({ email: "octocat" })],
    ["github", "/user/emails", "a placeholder of twitter", address({ email: "3001@twitter.invalid" })],
    ["twitter", "/2/users/me", "errors with status 200", json({ errors: [{ title: "Not Found Error" }] })],
    ["twitter", "/2/users/me", "data of null", json({ data: null })],
    ["twitter", "/2/users/me", "data that is a list", json({ data: [TWITTER_USER.data] })],
    ["twitter", "/2/users/me", "no id", json({ data: { ...TWITTER_USER.data, id: undefined } })],
    ["twitter", "/2/users/me", "an id with an @", json({ data: { ...TWITTER_USER.data, id: "1@evil.test" } })],
    ["twitter", "/2/users/me", "no username", json({ data: { ...TWITTER_USER.data, username: undefined } })],
  ];
  const ROWS: [Provider, string, string, SignInErrorCode, Answer][] = [
    ...["/token", "/userinfo"].flatMap((path) =>
      ANYWHERE.map(([what, answer, code]): (typeof ROWS)[number] => ["google", path, what, code, answer]),
    ),
    ...TOKEN.map(([what, answer]): (typeof ROWS)[number] => ["google", "/token", what, "server_error", answer]),
    ...PERSON.map(([what, answer]): (typeof ROWS)[number] => ["google", "/userinfo", what, "server_error", answer]),
    ...OTHERS.map(([provider, path, what, answer]): (typeof ROWS)[number] => [
      provider,
      path,
      what,
      "server_error",
      answer,
    ]),
  ];

  it.each(ROWS)("of %s at %s: %s: %s", async (provider, path, _what, code, answer) => {
    const { service, signIn, heard } = await setupProvider(provider, { [path]: answer });
    const before = await contents(service);
    expect((await signIn()).href).toBe(failure(code));
    expect(await contents(service)).toEqual(before);
    expect(service.log.bugs).toEqual([]);
    expect(service.log.failures).toEqual([expect.stringMatching(`^${provider}: ${code}: (?!unexpected)`)]);
    expect(heard.filter((request) => request.path === "/token")).toHaveLength(1);
    expect(heard.at(-1)!.path.split("?")[0]).toBe(path);
  });
});

describe("a provider that hangs", () => {
  it.each([
    ["/token", "before its answer", (): void => {}],
    ["/userinfo", "before its answer", (): void => {}],
    [
      "/token",
      "in the middle of its answer",
      (response: ServerResponse): void => void response.writeHead(200).write("{"),
    ],
  ])("at %s, %s, is given up after ten seconds in all", async (path, _when, answer) => {
    const deadline = new AbortController();
    const timeout = vi.spyOn(AbortSignal, "timeout").mockReturnValue(deadline.signal);
    onTestFinished(() => timeout.mockRestore());
    const { service, signIn, heard } = await setupProvider("google", {
      [path]: (response) => {
        answer(response);
        setImmediate(() => deadline.abort(new DOMException("The operation timed out", "TimeoutError")));
      },
    });
    const before = await contents(service);
    expect((await signIn()).href).toBe(failure("temporarily_unavailable"));
    expect(await contents(service)).toEqual(before);
    expect(timeout.mock.calls).toEqual([[10_000]]);
    expect(heard.at(-1)!.path).toBe(path);
  });
});

describe("the code exchange", () => {
  it.each(PROVIDERS)("is made exactly once in a sign-in through %s", async (provider) => {
    const { signIn, heard } = await setupProvider(provider);
    expect([...(await signIn()).searchParams.keys()]).toEqual(["token"]);
    expect(heard.filter(({ method }) => method === "POST").map(({ path }) => path)).toEqual(["/token"]);
  });

  it("is made once for any number of callbacks", async () => {
    const { service, heard } = await setupProvider("google");
    const query = new URLSearchParams({ provider: "google", redirect_uri: APP });
    const begun = await service.fetch(`/oauth/authorize?${query.toString()}`);
    const state = new URL(begun.headers.get("location")!).searchParams.get("state");
    const callbacks = Array.from({ length: 50 }, () =>
      service.fetch(`/oauth/google/callback?code=the-code&state=${state}`),
    );
    const statuses = (await Promise.all(callbacks)).map(({ status }) => status);
    expect(statuses.toSorted()).toEqual([302, ...Array.from({ length: 49 }, () => 400)]);
    expect(heard.map(({ path }) => path)).toEqual(["/token", "/userinfo"]);
  });
});
