import { syncBuiltinESMExports } from "node:module";
import nodeTimers from "node:timers";
import { type ServerResponse } from "node:http";
import { gzipSync } from "node:zlib";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { type SignInErrorCode } from "../../src/wire/errors.ts";
import { PROVIDERS, type Provider } from "../../src/wire/providers.ts";
import { contents, setupProvider } from "../_provider.ts";
import { APP } from "../_setup.ts";
import { failure } from "../_sign-in.ts";
import { type Answer, HTML_TYPE, json, JSON_TYPE, raw } from "./_reply.ts";
import { GITHUB_EMAILS, GITHUB_USER } from "./_github.ts";
import { GOOGLE_USER } from "./_google.ts";
import { TWITTER_USER } from "./_twitter.ts";

describe("An unusable response", () => {
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
    ["a body not compressed as declared", raw("{}", 200, { "content-encoding": "gzip" }), "temporarily_unavailable"],
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
    ["an access_token of null", token({ access_token: null })],
    ["an empty access_token", token({ access_token: "" })],
    ["an access_token that is a number", token({ access_token: 42 })],
    ["an access_token that is an array", token({ access_token: ["t"] })],
    ["an access_token without end", token({ access_token: "t".repeat(8193) })],
    ["an access_token with a line break", token({ access_token: "t\r\nx-evil: 1" })],
    ["an access_token that no header can carry", token({ access_token: "t\u20ac" })],
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
    ["an email that is an array", person({ email: ["ada@acme.test"] })],
  ];
  const ADDRESS: [string, Answer][] = [
    ["an empty email", person({ email: "" })],
    ["an email without @", person({ email: "ada.acme.test" })],
    ["an email with two @", person({ email: "ada@acme.test@evil.test" })],
    ["an email with a space", person({ email: "ada @acme.test" })],
    ["an email with a line break", person({ email: "ada@acme.test\r\nBcc: x@evil.test" })],
    ["an email with a null character", person({ email: "ada\u0000@acme.test" })],
    ["an email without end", person({ email: `${"a".repeat(245)}@acme.test` })],
  ];
  const octocat = (fields: object): Answer => json({ ...GITHUB_USER, ...fields });
  const address = (fields: object): Answer => json([{ ...GITHUB_EMAILS[1], ...fields }]);
  const OTHERS: [Provider, string, string, Answer][] = [
    ["github", "/user", "no id", octocat({ id: undefined })],
    ["github", "/user", "an id of 0", octocat({ id: 0 })],
    ["github", "/user", "an empty id", octocat({ id: "" })],
    ["github", "/user", "an id that is an array", octocat({ id: [583231] })],
    ["github", "/user/emails", "no permission", json({ message: "Not Found" }, 404)],
    ["github", "/user/emails", "an object", json({ email: "octocat@github.test", primary: true, verified: true })],
    ["twitter", "/2/users/me", "errors with status 200", json({ errors: [{ title: "Not Found Error" }] })],
    ["twitter", "/2/users/me", "data of null", json({ data: null })],
    ["twitter", "/2/users/me", "data that is a list", json({ data: [TWITTER_USER] })],
    ["twitter", "/2/users/me", "no id", json({ data: { ...TWITTER_USER, id: undefined } })],
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
    ...ADDRESS.map(([what, answer]): (typeof ROWS)[number] => ["google", "/userinfo", what, "email_invalid", answer]),
    ["github", "/user/emails", "an invalid address", "email_invalid", address({ email: "octocat" })],
    ["google", "/userinfo", "a placeholder", "email_not_verified", person({ email: "3001@twitter.invalid" })],
    ["github", "/user/emails", "a placeholder", "email_not_verified", address({ email: "3001@twitter.invalid" })],
  ];

  it.each(ROWS)("of %s at %s, %s, ends the sign-in with %s", async (provider, path, _what, code, answer) => {
    const { service, signIn, requests } = await setupProvider(provider, { [path]: answer });
    const before = await contents(service);
    expect((await signIn()).href).toBe(failure(code));
    expect(await contents(service)).toEqual(before);
    expect(service.log.bugs).toEqual([]);
    expect(service.log.failures).toEqual([expect.stringMatching(`^${provider}: ${code}: (?!unexpected)`)]);
    expect(requests.filter((request) => request.path === "/token")).toHaveLength(1);
    expect(requests.at(-1)!.path.split("?")[0]).toBe(path);
  });
});

it.each([
  ["a byte less than 1 MiB", (1 << 20) - 1, "token"],
  ["1 MiB", 1 << 20, "token"],
  ["a byte more than 1 MiB", (1 << 20) + 1, "error"],
])("T50: An answer of %s ends the sign-in with a %s", async (_, bytes, parameter) => {
  const { signIn } = await setupProvider("google", { "/userinfo": raw(JSON.stringify(GOOGLE_USER).padEnd(bytes)) });
  expect([...(await signIn()).searchParams.keys()][0]).toBe(parameter);
});

describe("A provider that stops responding", () => {
  it.each([
    ["/token", "before its answer", (): void => {}],
    ["/userinfo", "before its answer", (): void => {}],
    [
      "/token",
      "in the middle of its answer",
      (response: ServerResponse): void => void response.writeHead(200).write("{"),
    ],
  ])("at %s, %s, is given up after ten seconds in total", async (path, _when, answer) => {
    const timers = vi.spyOn(nodeTimers, "setTimeout");
    const ended = vi.spyOn(nodeTimers, "clearTimeout");
    syncBuiltinESMExports();
    onTestFinished(() => {
      timers.mockRestore();
      ended.mockRestore();
      syncBuiltinESMExports();
    });
    const deadlines = (): number[] => timers.mock.calls.flatMap(([, ms], call) => (ms === 10_000 ? [call] : []));
    const { service, signIn, requests } = await setupProvider("google", {
      [path]: (response) => {
        answer(response);
        // Pretend that ten seconds have passed.
        setImmediate(() => timers.mock.calls[deadlines()[0]!]![0]());
      },
    });
    const before = await contents(service);
    expect((await signIn()).href).toBe(failure("temporarily_unavailable"));
    expect(await contents(service)).toEqual(before);
    const [deadline, ...others] = deadlines();
    expect(others).toEqual([]);
    expect(ended).toHaveBeenCalledWith(timers.mock.results[deadline!]!.value);
    expect(requests.at(-1)!.path).toBe(path);
  });
});

describe("The code exchange", () => {
  it.each(PROVIDERS)("is made exactly once in a sign-in through %s", async (provider) => {
    const { signIn, requests } = await setupProvider(provider);
    expect([...(await signIn()).searchParams.keys()]).toEqual(["token"]);
    expect(requests.filter(({ method }) => method === "POST").map(({ path }) => path)).toEqual(["/token"]);
  });

  it("is made once for any number of callbacks with one state", async () => {
    const { service, requests } = await setupProvider("google");
    const query = new URLSearchParams({ provider: "google", redirect_uri: APP });
    const begun = await service.fetch(`/oauth/authorize?${query.toString()}`);
    const state = new URL(begun.headers.get("location")!).searchParams.get("state");
    const callbacks = Array.from({ length: 50 }, () =>
      service.fetch(`/oauth/google/callback?code=the-code&state=${state}`),
    );
    const statuses = (await Promise.all(callbacks)).map(({ status }) => status);
    expect(statuses.toSorted()).toEqual([302, ...Array.from({ length: 49 }, () => 400)]);
    expect(requests.map(({ path }) => path)).toEqual(["/token", "/userinfo"]);
  });
});
