import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { main } from "../../src/cli/main.ts";
import { createClient, type Client, type ClientOptions } from "../../src/client/index.ts";
import { verifyToken } from "../../src/client/verify.ts";
import { serve, type RequestEntry, type RunningServer } from "../../src/server/index.ts";
import { connect, createTestService, type TestService } from "../../src/testing/index.ts";
import { createContext } from "../_cli.ts";
import { caught } from "../_client.ts";

/** A mistake in the use of the service: what it says to whoever made it. */
let server: RunningServer;
let svc: TestService;
const entries: RequestEntry[] = [];
const warnings: string[] = [];

beforeAll(async () => {
  const log = { onRequest: (entry: RequestEntry) => entries.push(entry), warn: (text: string) => warnings.push(text) };
  server = await serve({ port: 0, store: "memory", ...log });
  svc = await connect({ url: server.url, controlKey: server.control_key! });
});
afterAll(async () => {
  await svc.close();
  await server.close();
});
beforeEach(() => void entries.splice(0));

const secretKey = (): string => svc.instances[0].secret_key;

function client(options: ClientOptions): Client {
  const made = createClient({ secretKey: secretKey(), retry: 0, ...options });
  onTestFinished(() => made.close());
  return made;
}

async function messageOf(promise: PromiseLike<unknown>): Promise<string> {
  return ((await caught(promise)) as Error).message;
}

/** What a command prints on stderr, over a real socket. */
async function said(line: string, env: Record<string, string | undefined>, stdin = ""): Promise<string> {
  const set = { SVC_BASE_URL: server.url, SVC_SECRET_KEY: secretKey(), SVC_RETRIES: "0" };
  const control = { SVC_CONTROL_URL: server.url, SVC_CONTROL_KEY: server.control_key };
  const context = createContext({ env: { ...set, ...control, ...env }, stdin });
  expect(await main(line.split(" "), { ...context, fetch: undefined })).not.toBe(0);
  return context.written.stderr;
}

/** The status, the body, and the reason in the log. */
async function answered(path: string, headers: Record<string, string>): Promise<[number, unknown, string | null]> {
  const response = await fetch(server.url + path, { headers });
  return [response.status, await response.json(), entries.at(-1)!.reason];
}

describe("https asked of a server without it", () => {
  const https = (): string => server.url.replace("http:", "https:");

  it("is named with the address to write, by client, kit and commands", async () => {
    const fault = `${https()} does not speak https (ERR_SSL_WRONG_VERSION_NUMBER). Write ${server.url}`;
    expect(await messageOf(client({ baseUrl: https() }).users.list())).toBe(`GET /api/v1/users: ${fault}`);
    expect(await messageOf(connect({ url: https(), controlKey: server.control_key! }))).toBe(`${fault}.`);
    const printed = `✗ ${fault.replace(". ", ".\n  ")}.\n`;
    expect(await said("users list", { SVC_BASE_URL: https() })).toBe(printed);
    expect(await said("dev clock", { SVC_CONTROL_URL: https() })).toBe(printed);
  });

  it("is in the server's log, once", async () => {
    for (let i = 0; i < 2; i++) await caught(client({ baseUrl: https() }).users.list());
    expect(warnings.filter((text) => text.includes("https://"))).toEqual([
      "A client asked for https://, and this server speaks http. Give the client http://, or start it with --https.",
    ]);
  });
});

it("http asked of a server with https is named with the address to write, and is in its log", async () => {
  const logged: string[] = [];
  const secure = await serve({ port: 0, store: "memory", https: true, warn: (text) => logged.push(text) });
  onTestFinished(() => secure.close());
  const address = secure.url.replace("https:", "http:");
  const fault = new RegExp(
    `^GET /api/v1/users: ${address} closed the connection \\(\\w+\\)\\. If it speaks https, write ${secure.url}$`,
  );
  expect(await messageOf(client({ baseUrl: address }).users.list())).toMatch(fault);
  expect(await said("users list", { SVC_BASE_URL: address })).toContain(
    `\n  If it speaks https, write ${secure.url}.\n`,
  );
  expect(logged).toContain(
    "A client asked for http://, and this server speaks https. Give the client https://, or start it without --https.",
  );
});

describe("An address with the path of an API", () => {
  it.each(["baseUrl", "publicUrl", "apiUrl"])("is refused as %s, with what to write", (option) => {
    for (const slash of ["", "/"])
      expect(() => createClient({ [option]: `https://auth.test/prefix/api/v1${slash}` })).toThrow(
        `${option} must not end in /api/v1${slash}, which is added to it. Write https://auth.test/prefix`,
      );
    expect(() => createClient({ [option]: "https://auth.test/api" })).not.toThrow();
  });

  it("is refused by the kit and by commands, by the name of its variable", async () => {
    const fault = (path: string): string => `must not end in ${path}, which is added to it. Write ${server.url}`;
    for (const path of ["/__svc/v1", "/__svc/"])
      expect(await messageOf(connect({ url: server.url + path, controlKey: server.control_key! }))).toBe(
        `url ${fault(path)}.`,
      );
    expect(await said("users list", { SVC_BASE_URL: `${server.url}/api/v1` })).toBe(
      `✗ SVC_BASE_URL ${fault("/api/v1")}\n`,
    );
    expect(await said("dev clock", { SVC_CONTROL_URL: `${server.url}/__svc/v1` })).toBe(
      `✗ SVC_CONTROL_URL ${fault("/__svc/v1")}\n`,
    );
  });

  it("is in the log of what another program asked for", async () => {
    expect(await answered("/api/v1/api/v1/users", { "x-service-secret-key": secretKey() })).toEqual([
      404,
      { error: "Not found" },
      "Not found: the path has /api/v1 twice; leave it out of the address that the client is given",
    ]);
  });
});

it("signIn and scenarios called with a word say what to write", async () => {
  const word = "ada" as never;
  expect(await messageOf(svc.signIn(word))).toBe(
    'signIn needs an object of options, not a string. Write signIn({ as: "ada" }).',
  );
  expect(await messageOf(svc.scenarios.next(word))).toBe(
    'scenarios.next needs an object of options, not a string. Write scenarios.next({ outcome: "access_denied" }).',
  );
});

it("A client without the fetch of a service in a program says where to get it", async () => {
  const inside = await createTestService();
  onTestFinished(() => inside.close());
  for (const url of [inside.url, inside.instances[0].url]) {
    const fault = `${url} is a service inside a program, which has no port`;
    const remedy = "Pass fetch: svc.fetch to what calls it, or create it with startTestService";
    expect(await messageOf(client({ baseUrl: url }).users.list())).toBe(`GET /api/v1/users: ${fault}. ${remedy}`);
    expect(await said("users list", { SVC_BASE_URL: url })).toBe(`✗ ${fault}.\n  ${remedy}.\n`);
  }
  const { url, controlKey } = inside;
  expect(await messageOf(connect({ url, controlKey }))).toContain(`${url} is a service inside a program`);
  // Its own failures stay its own.
  const closed = createClient({ secretKey: secretKey(), baseUrl: url, fetch: inside.fetch as never, retry: 0 });
  await inside.close();
  expect(await messageOf(closed.users.list())).not.toContain("fetch: svc.fetch");
});

describe("A wrong control key", () => {
  const other = `ctl_${"x1y2z3".repeat(8)}`;
  const twist = "take the one that svc env prints";

  it("is refused by the kit and by commands, with where the right one is", async () => {
    expect(await messageOf(connect({ url: server.url, controlKey: other }))).toBe(
      `Unauthorized: ${server.url} has another control key. Use the one that svc env prints, which is new at each start unless SVC_CONTROL_KEY is set.`,
    );
    expect(await said("dev clock", { SVC_CONTROL_KEY: other })).toBe(
      "✗ The server refused the control key.\n  It is new at each start, unless SVC_CONTROL_KEY is set: in the server's directory svc env prints it.\n",
    );
  });

  it("that is a secret key is called one before anything is sent", async () => {
    expect(await messageOf(connect({ url: server.url, controlKey: secretKey() }))).toBe(
      "controlKey is a secret key. Pass the control key that svc env prints, which begins with ctl_.",
    );
    expect(await said("dev clock", { SVC_CONTROL_KEY: secretKey() })).toBe(
      "✗ SVC_CONTROL_KEY is a secret key.\n  A control key begins with ctl_, without spaces: in the server's directory svc env prints it.\n",
    );
    expect(entries).toEqual([]);
  });

  it("is a mistake in the other place, too", async () => {
    const fault = "is a control key: use the secret key, which begins with sk_";
    expect(() => createClient({ secretKey: other, baseUrl: server.url })).toThrow(`secretKey ${fault}`);
    expect(await said("users list", { SVC_SECRET_KEY: other })).toBe(`✗ SVC_SECRET_KEY ${fault}\n`);
  });

  it.each<[what: string, headers: () => Record<string, string>, reason: string]>([
    [
      "of another server",
      () => ({ authorization: `Bearer ${other}` }),
      `the control key is another server's, or from before the last start; ${twist}`,
    ],
    [
      "a secret key",
      () => ({ authorization: `Bearer ${secretKey()}` }),
      "a secret key came as Authorization: Bearer; send the control key that svc env prints as Authorization: Bearer",
    ],
    [
      "a secret key in its own header",
      () => ({ "x-service-secret-key": secretKey() }),
      "a secret key came as X-Service-Secret-Key; send the control key that svc env prints as Authorization: Bearer",
    ],
  ])("is in the log: %s", async (_, headers, reason) => {
    const refused = [401, { error: "Unauthorized" }, `Unauthorized: ${reason}`];
    expect(await answered("/__svc/v1/clock", headers())).toEqual(refused);
  });
});

it.each<[what: string, header: string, value: () => Promise<string>]>([
  ["a secret key", "authorization", async () => `Bearer ${secretKey()}`],
  ["a token", "authorization", async () => `Bearer ${(await svc.signIn({ as: "ada" })).token}`],
  ["a control key", "x-service-secret-key", async () => server.control_key!],
])(
  "%s in the header of another is in the log, with the header to use, and the answer stays as it is",
  async (what, header, value) => {
    const sent = { [header]: await value() };
    const name = header === "authorization" ? "Authorization: Bearer" : "X-Service-Secret-Key";
    const why = `${what} came as ${name}; send the secret key as X-Service-Secret-Key`;
    const missing = header === "authorization" ? "Missing secret key" : "Unauthorized";
    expect(await answered("/api/v1/users", sent)).toEqual([401, { error: "Unauthorized" }, `Unauthorized: ${why}`]);
    const one = await answered("/api/v1/users/00000000-0000-4000-8000-000000000000", sent);
    expect(one).toEqual([401, { error: missing }, `${missing}: ${why}`]);
    expect(JSON.stringify(entries)).not.toContain(sent[header]!.replace("Bearer ", ""));
  },
);

it("A secret key that is verified as a token is called one", async () => {
  expect(await said("tokens verify -", {}, secretKey())).toContain(
    "It is a secret key. A token is what your callback gets",
  );
});

it("A path with a slash at its end says what to do, in kit, commands and log", async () => {
  const remedy = "slash at the end of the path, or write the id behind it";
  const path = "/api/v1/users/";
  expect(await said(`api GET ${path}`, {})).toBe(`✗ 404: Not found\n  Leave out the ${remedy}.\n`);
  expect(await messageOf(svc.users.get(""))).toBe("Not found: id in GET /users/:id is empty.");
  const raw = await fetch(server.url + path, { headers: { "x-service-secret-key": secretKey() } });
  expect(await raw.text()).toBe('{"error":"Not found"}');
  expect(entries.at(-1)).toMatchObject({ status: 404, reason: `Not found: leave out the ${remedy}` });
});

describe("An outcome by another name", () => {
  it.each([
    ["cancelled", "access_denied"],
    ["user_denied", "access_denied"],
    ["Expired", "state_expired"],
    ["acces_denied", "access_denied"],
  ])("such as %s is answered with its own, %s, by kit and commands, and in the log", async (word, outcome) => {
    const why = `Bad request: outcome: unknown outcome. Did you mean ${outcome}?`;
    expect(await messageOf(svc.signIn({ as: "ada", outcome: word as "success" }))).toBe(why);
    expect(entries.at(-1)!.reason).toBe(why);
    expect(await messageOf(svc.scenarios.next({ outcome: word as "success" }))).toBe(why);
    expect(await said(`dev next --outcome ${word}`, {})).toBe(
      `✗ --outcome: unknown outcome "${word}".\n  Did you mean ${outcome}?\n`,
    );
    expect(await said(`sign-in --outcome ${word}`, {})).toBe(
      `✗ --outcome: unknown outcome "${word}".\n  Did you mean ${outcome}?\n`,
    );
  });

  it("that nobody could mean is answered with all of them", async () => {
    const message = await messageOf(svc.signIn({ outcome: "banana" as "success" }));
    expect(message).toMatch(/^Bad request: outcome: must be one of success, access_denied, .*, unknown_kid$/);
  });
});

it("A token from the future is said to be one, with the clocks to set", async () => {
  const { token } = await svc.tokens.create({ kind: "issued_in_future" });
  const error = await caught(verifyToken(token, { secretKey: secretKey() }));
  expect(error).toMatchObject({
    code: "token_invalid",
    reason: "not_yet_valid",
    error: "Token invalid",
    message: expect.stringMatching(
      /^Token invalid: its iat is \d+ seconds ahead of the clock here \(.*\)\. Set the clocks of the service and of this machine/,
    ) as string,
  });
  for (const line of ["tokens verify -", "tokens verify --local -"])
    expect(await said(line, {}, token)).toMatch(
      /^✗ Token invalid\n {2}It was issued in the future: .*\. Check the clocks\.\n$/,
    );
  expect((await svc.tokens.verify(token)).reason).toMatch(/^It was issued in the future: .* Check the clocks\.$/);
  await svc.client().tokens.check(token);
  expect(entries.at(-1)!.reason).toMatch(
    /^Token invalid: not_yet_valid\. It was issued in the future: in \d+ .*Z\)\. Check the clocks\.$/,
  );
});
