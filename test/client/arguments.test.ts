import { expect, it } from "vitest";
import { createClient, type Client } from "../../src/client/index.ts";
import { expressAuth, h3Auth, withAuth } from "../../src/client/middleware.ts";
import { authenticateRequest, checkToken, verifyToken } from "../../src/client/verify.ts";
import { answering } from "../_answering.ts";
import { clientWith, KEY } from "../_client.ts";

const config = (message: string): object => ({
  name: "ConfigError",
  code: "config",
  message: expect.stringContaining(message) as string,
});
const request = new Request("https://app.example.com/");
const PAGE = "The options are after, limit.";

/** A call by a program without types. */
type Untyped = (...given: unknown[]) => unknown;
const untyped = (call: unknown): Untyped => call as Untyped;

it.each<[call: string, give: () => unknown, message: string]>([
  ["createClient(null)", () => untyped(createClient)(null), "createClient needs an object of options, not null."],
  ["verifyToken(token)", () => untyped(verifyToken)("x"), "verifyToken needs an object of options, not undefined."],
  ["checkToken(token)", () => untyped(checkToken)("x"), "The options are appId, instanceId, now, secretKey."],
  [
    "checkToken(token, key)",
    () => untyped(checkToken)("x", KEY),
    "checkToken needs an object of options, not a string.",
  ],
  ["authenticateRequest(req)", () => untyped(authenticateRequest)(request), "authenticateRequest needs an object"],
  ["withAuth(handler)", () => untyped(withAuth)(() => new Response()), "withAuth needs an object of options"],
  [
    "withAuth(options, handler)",
    () => untyped(withAuth)({ secretKey: KEY }, () => 1),
    "withAuth takes the handler first",
  ],
  ["expressAuth()", () => untyped(expressAuth)(), "expressAuth needs an object of options, not undefined."],
  ["h3Auth(null)", () => untyped(h3Auth)(null), "h3Auth needs an object of options, not null."],
  ["a wrong now", () => checkToken("x", { secretKey: KEY, now: 5 as never }), "now must be a function"],
  [
    "a wrong cookie",
    () => authenticateRequest({ headers: {} }, { secretKey: KEY, cookie: true as never }),
    "cookie must be",
  ],
  ["a wrong now of a client", () => createClient({ now: 5 as never }), "now must be a function"],
  ["a wrong fetch", () => createClient({ fetch: 1 as never }), "fetch must be a function"],
  ["a wrong onTry", () => createClient({ onTry: {} as never }), "onTry must be a function"],
])("%s is refused with what is missing or wrong", async (_, give, message) => {
  await expect((async () => give())()).rejects.toMatchObject(config(message));
});

it.each<[call: string, give: (client: Client) => unknown, message: string]>([
  [
    "users.list(null)",
    ({ users }) => untyped(users.list)(null),
    `users.list needs an object of options, not null. ${PAGE}`,
  ],
  [
    "users.list(text)",
    ({ users }) => untyped(users.list)("email:x"),
    `users.list needs an object of options, not a string. ${PAGE}`,
  ],
  [
    "users.list({}, null)",
    ({ users }) => untyped(users.list)({}, null),
    "users.list needs an object of options, not null.",
  ],
  [
    "users.get(id, null)",
    ({ users }) => untyped(users.get)(crypto.randomUUID(), null),
    "users.get needs an object of options",
  ],
  [
    "users.list({ timeoutMs })",
    ({ users }) => untyped(users.list)({ timeoutMs: 5000 }),
    "Unknown option of users.list: timeoutMs. Pass it in the next argument, after the page",
  ],
  ["users.search()", ({ users }) => untyped(users.search)(), "A search needs its query"],
  ["users.search({ query })", ({ users }) => untyped(users.search)({ query: "x" }), "A search needs its query"],
  [
    "instances.resolve(key, null)",
    ({ instances }) => untyped(instances.resolve)("pk_x", null),
    "instances.resolve needs an",
  ],
  ["signInUrl()", (client) => untyped(client.signInUrl)(), "signInUrl needs an object of options, not undefined."],
  [
    "signInUrl(address)",
    (client) => untyped(client.signInUrl)("http://x/cb"),
    "signInUrl needs an object of options, not a string.",
  ],
  [
    "timeoutMs as text",
    ({ tokens }) => untyped(tokens.verify)("x", { timeoutMs: "1" }),
    "timeoutMs must be a number greater than 0",
  ],
  ["a wrong signal", ({ tokens }) => untyped(tokens.verify)("x", { signal: {} }), "signal must be an AbortSignal"],
])("A client refuses %s before anything is sent", async (_, give, message) => {
  const fetch = answering(200, "[]");
  await expect((async () => give(clientWith(fetch)))()).rejects.toMatchObject(config(message));
  expect(fetch.calls).toEqual([]);
});

it("A list refuses to be iterated with null for its page", async () => {
  const list = untyped(clientWith(answering(200, "[]")).users.list)(null) as AsyncIterable<unknown>;
  await expect(list[Symbol.asyncIterator]().next()).rejects.toMatchObject(config("users.list needs an object"));
});

it("A search refuses a function that returns a term instead of a list of them", async () => {
  const { users } = clientWith(answering(200, "[]"));
  const searching = (async () => users.search(((q: { eq: Untyped }) => q.eq("email", "a@b.test")) as never))();
  await expect(searching).rejects.toMatchObject({
    code: "invalid_query",
    message: expect.stringContaining("must return a list of terms") as string,
  });
});
