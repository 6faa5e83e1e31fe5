import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import stringWidth from "string-width";
import { describe, expect, it } from "vitest";
import { colors } from "../src/cli/output/text.ts";
import type { Fetch } from "../src/wire/fetch.ts";
import { createContext, runCli, type CliOptions } from "./_cli.ts";
import { SEED, setup, type Service } from "./_setup.ts";

const ADA = "00000000-0000-4000-8000-0000000000a1";
const NOBODY = "00000000-0000-4000-8000-00000000ffff";
const SESSION = "svc_session_00000000-0000-4000-8000-00000000a001";
const ESCAPE = "\u001b";

/** Answers every request alike. */
function answering(status: number, body: string): Fetch {
  return async () => new Response(body, { status }) as Awaited<ReturnType<Fetch>>;
}

/** Acme with nobody but a user of this name. */
function seedWithName(name: string): object {
  const [acme] = SEED.instances;
  const user = { id: ADA, email: "m@acme.test", name, created_at: "2026-01-05T09:00:00Z" };
  return { instances: [{ ...acme, users: [user] }], personas: [] };
}

/** What a person at the browser does: follows every redirect, to the application's in the end. */
function browserOf(service: Service): (url: string) => Promise<void> {
  return async (url) => {
    let location = url;
    while (!location.startsWith("http://127.0.0.1:")) {
      const response = await service.fetch(location);
      location = response.headers.get("location") ?? (await Promise.reject(new Error(await response.text())));
    }
    await fetch(location);
  };
}

describe("--json", () => {
  const rows: [argv: string[], path: string][] = [
    [["users", "get", ADA], `/api/v1/users/${ADA}`],
    [["users", "list"], "/api/v1/users"],
    [["users", "list", "--limit", "1"], "/api/v1/users?limit=1"],
    [["users", "search", "email:*@acme.test"], "/api/v1/users/search?query=email:*@acme.test"],
    [["users", "search", "name:nobody"], "/api/v1/users/search?query=name:nobody"],
    [["sessions", "get", SESSION], `/api/v1/sessions/${SESSION}`],
    [["sessions", "list"], "/api/v1/sessions"],
    [["sessions", "search", "revoked_at:null"], "/api/v1/sessions/search?query=revoked_at:null"],
    [
      ["instances", "resolve", "pk_acme_0123456789"],
      "/api/v1/instances/search?query=publishable_key:pk_acme_0123456789",
    ],
  ];

  it.each(rows)("%j prints the API's body, letter by letter, and nothing else in a pipe", async (argv, path) => {
    const service = await setup();
    const body = await (await service.as(service.acme, path)).text();
    const env = { SVC_API_URL: service.addresses.api };
    const { code, stdout, stderr } = await runCli([...argv, "--json"], { service, env });
    expect([code, stdout, stderr]).toEqual([0, `${body}\n`, ""]);
  });

  it.each(rows)("%j prints the same JSON, indented, on a terminal", async (argv, path) => {
    const service = await setup();
    const body: unknown = await (await service.as(service.acme, path)).json();
    const env = { SVC_API_URL: service.addresses.api };
    const { code, stdout, stderr } = await runCli(["--json", ...argv], { service, env, tty: true });
    expect([code, stdout, stderr]).toEqual([0, `${JSON.stringify(body, null, 2)}\n`, ""]);
  });

  it("prints what a deletion answers", async () => {
    const service = await setup();
    const { code, stdout, stderr } = await runCli(["users", "delete", ADA, "--yes", "--json"], { service });
    expect([code, stdout, stderr]).toEqual([0, `{"deleted":true,"id":"${ADA}"}\n`, ""]);
  });

  it("prints what a verification answers, be the token valid or not", async () => {
    const service = await setup();
    const token = await service.tokenFor("google", "ada");
    const valid = await runCli(["tokens", "verify", "-", "--json"], { service, stdin: `${token}\n` });
    expect([valid.code, JSON.parse(valid.stdout), valid.stderr]).toEqual([
      0,
      {
        id: ADA,
        resource: "token",
        data: {
          valid: true,
          email: "ada@acme.test",
          name: "Ada Lovelace",
          avatar_url: "http://localhost:7820/__svc/simulator/avatars/ada.svg",
          provider: "google",
        },
      },
      "",
    ]);
    const foreign = await service.tokenFor("google", "ada", service.globex);
    const refused = await runCli(["tokens", "verify", "-", "--json"], { service, stdin: foreign });
    expect(refused).toMatchObject({
      code: 5,
      stdout: '{"valid":false,"error":"Token does not belong to this instance"}\n',
      stderr: "",
    });
  });
});

describe("Tables", () => {
  it("has headings and relative times on a terminal", async () => {
    const service = await setup();
    const options = { service, tty: true, env: { NO_COLOR: "1" } };
    expect((await runCli(["users", "list"], options)).stdout.split("\n")).toEqual([
      "ID                                    EMAIL              NAME             PROVIDERS  VERIFIED  CREATED",
      "00000000-0000-4000-8000-0000000000a3  grace@navy.test    Grace Hopper     github     no        4 months ago",
      "00000000-0000-4000-8000-0000000000a1  ada@acme.test      Ada Lovelace     google     yes       5 months ago",
      "00000000-0000-4000-8000-0000000000a2  charles@acme.test  Charles Babbage             no        5 months ago",
      "",
    ]);
    const sessions = await runCli(["sessions", "search", "provider:password"], options);
    expect(sessions.stdout.split("\n")).toEqual([
      "SESSION                                           EMAIL              PROVIDER  IP          LAST SIGN-IN  ACTIVE",
      "svc_session_00000000-0000-4000-8000-00000000a003  charles@acme.test  password  192.0.2.44  5 months ago  yes",
      "",
    ]);
  });

  it("is tab-separated, without headings and with full times, in a pipe", async () => {
    const service = await setup();
    expect((await runCli(["users", "list", "--limit", "2"], { service })).stdout).toBe(
      "00000000-0000-4000-8000-0000000000a3\tgrace@navy.test\tGrace Hopper\tgithub\tfalse\t2026-02-14T12:30:00.000Z\n" +
        `${ADA}\tada@acme.test\tAda Lovelace\tgoogle\ttrue\t2026-01-05T09:00:00.000Z\n`,
    );
    expect((await runCli(["sessions", "search", "ip_address:198.*"], { service })).stdout).toBe(
      "svc_session_00000000-0000-4000-8000-00000000a002\tada@acme.test\tgithub\t198.51.100.23\t2026-03-11T17:40:00.000Z\tfalse\n",
    );
  });

  it("shows one record a line for each value", async () => {
    const service = await setup();
    expect((await runCli(["users", "get", ADA], { service })).stdout).toBe(
      `id\t${ADA}\nemail\tada@acme.test\nname\tAda Lovelace\navatar_url\t\nproviders\tgoogle\nemail_verified\ttrue\ncreated_at\t2026-01-05T09:00:00.000Z\n`,
    );
    const shown = await runCli(["sessions", "get", SESSION], { service, tty: true, env: { NO_COLOR: "1" } });
    expect(shown.stdout.split("\n").slice(0, 4)).toEqual([
      `session_id      ${SESSION}`,
      expect.stringMatching(/^id {14}[0-9a-f-]{36}$/),
      `user_id         ${ADA}`,
      "email           ada@acme.test",
    ]);
  });

  it.each([
    ["Ada Lovelace"],
    ["ソフィア・コワレフスカヤ・ヴァシーリエヴナ・コルヴィン"],
    ["👩🏽‍🚀👩🏽‍🚀👩🏽‍🚀👩🏽‍🚀👩🏽‍🚀👩🏽‍🚀👩🏽‍🚀👩🏽‍🚀👩🏽‍🚀👩🏽‍🚀"],
    ["x".repeat(256)],
  ])("keeps every line within the terminal for %s", async (name) => {
    const service = await setup({ seed: seedWithName(name) });
    for (const columns of [100, 120, 200]) {
      const { stdout } = await runCli(["users", "list"], { service, tty: true, columns, env: { NO_COLOR: "1" } });
      const widths = stdout.split("\n").map((line) => stringWidth(line));
      expect(Math.max(...widths)).toBeLessThanOrEqual(columns);
    }
  });

  it.each([120, 100, 80, 40])("never cuts an id, which the next command takes, at %i columns", async (columns) => {
    const service = await setup();
    const options = { service, tty: true, columns };
    expect((await runCli(["users", "list"], options)).stdout).toContain(ADA);
    expect((await runCli(["sessions", "list"], options)).stdout).toContain(SESSION);
  });

  it("says on stderr that there is nothing, to a person", async () => {
    const service = await setup();
    const search = ["users", "search", "name:nobody"];
    expect(await runCli(search, { service, tty: true })).toMatchObject({
      code: 0,
      stdout: "",
      stderr: "No users match.\n",
    });
    expect(await runCli(search, { service })).toMatchObject({ code: 0, stdout: "", stderr: "" });
  });
});

interface SaidError {
  code: string;
  message: string;
  hint?: string;
}

describe("Exit codes", () => {
  type Row = [code: number, what: string, argv: string[], options: CliOptions, error: SaidError];
  const INVALID_ID = '"ada" is not the id of a user';
  const rows: Row[] = [
    [
      1,
      "a failure of the service",
      ["users", "list"],
      { fetch: answering(500, '{"error":"Internal error"}') },
      { code: "internal", message: "Internal error" },
    ],
    [
      1,
      "an answer that is none",
      ["users", "list"],
      { fetch: answering(502, "<html>Bad Gateway</html>") },
      {
        code: "unexpected_response",
        message: "GET /api/v1/users: 502 and something else than JSON",
      },
    ],
    [2, "an id that can't be one", ["users", "get", "ada"], {}, { code: "usage", message: INVALID_ID }],
    [
      2,
      "a search for nothing",
      ["users", "search"],
      {},
      {
        code: "usage",
        message: "What to search for?",
        hint: "Write a term, for example: svc users search 'email:*@acme.com'",
      },
    ],
    [
      2,
      "a limit that is no number",
      ["users", "list", "--limit", "ten"],
      {},
      {
        code: "usage",
        message: '--limit: "ten" is not a number from 1.',
        hint: "Leave it out for all of them.",
      },
    ],
    [
      2,
      "a limit that is out of range",
      ["users", "list", "--limit", "0"],
      {},
      {
        code: "usage",
        message: '--limit: "0" is not a number from 1.',
        hint: "Leave it out for all of them.",
      },
    ],
    [
      2,
      "a term that is none",
      ["users", "search", "ada"],
      {},
      {
        code: "usage",
        message: '"ada" is not a term. Write field:value, e.g. email:*@acme.com. A value can\'t contain a space.',
        hint: "To find it within a name: name.contains=ada",
      },
    ],
    [
      2,
      "a provider that is none",
      ["sign-in", "--provider", "myspace"],
      {},
      {
        code: "usage",
        message: '--provider: "myspace" is not a provider.',
        hint: "Use one of google, github, twitter.",
      },
    ],
    [2, "no token", ["tokens", "verify", "-"], {}, { code: "usage", message: "There was no token on standard input." }],
    [
      2,
      "nobody to confirm",
      ["users", "delete", ADA],
      {},
      {
        code: "usage",
        message: "Deleting a user asks for confirmation, and nobody is here to give it.",
        hint: "Add --yes to delete without being asked.",
      },
    ],
    [
      2,
      "a port that is none",
      ["serve", "--port", "http"],
      {},
      {
        code: "usage",
        message: '--port: "http" is not a port.',
        hint: "Give a number from 1 to 65535, or 0 for any that is free.",
      },
    ],
    [
      3,
      "a user that is not there",
      ["users", "get", NOBODY],
      {},
      {
        code: "user_not_found",
        message: "User not found",
        hint: "It does not exist, or it belongs to another instance. Search instead: svc users search 'email:*@acme.com'",
      },
    ],
    [
      3,
      "a user of another instance",
      ["users", "delete", "00000000-0000-4000-8000-0000000000b1", "--yes"],
      {},
      {
        code: "user_not_found",
        message: "User not found",
        hint: "It does not exist, or it belongs to another instance. Search instead: svc users search 'email:*@acme.com'",
      },
    ],
    [
      3,
      "a session that is not there",
      ["sessions", "get", `svc_session_${NOBODY}`],
      {},
      {
        code: "session_not_found",
        message: "Session not found",
        hint: "It does not exist, or it belongs to another instance. List them: svc sessions list",
      },
    ],
    [
      4,
      "no key",
      ["users", "list"],
      { env: { SVC_SECRET_KEY: undefined } },
      {
        code: "no_key",
        message: "There is no secret key for this service.",
        hint: "Put it in SVC_SECRET_KEY, or keep it with: svc login",
      },
    ],
    [
      4,
      "a key that is refused",
      ["users", "list"],
      { env: { SVC_SECRET_KEY: "sk_wrong_0123456789abcdefghijklmnopqrstuv" } },
      {
        code: "unauthorized",
        message: "Unauthorized",
        hint: "The key was refused. See which it is, and where it is from: svc whoami",
      },
    ],
    [
      7,
      "a service that can't be reached",
      ["users", "list"],
      { fetch: () => Promise.reject(Object.assign(new Error("x"), { code: "ECONNREFUSED" })) },
      {
        code: "connection",
        message: "GET /api/v1/users: http://acme.localhost:7820 could not be reached (ECONNREFUSED)",
        hint: "Is it running? Start a local one with: svc serve",
      },
    ],
    [
      130,
      "Ctrl-C",
      ["sign-in", "--no-open"],
      { signal: "SIGINT" },
      { code: "interrupted", message: "Interrupted; nobody was signed in." },
    ],
    [
      143,
      "a request to end",
      ["sign-in", "--no-open"],
      { signal: "SIGTERM" },
      { code: "terminated", message: "Interrupted; nobody was signed in." },
    ],
  ];

  it.each(rows)(
    "is %i for %s, and with --json the error is the last line of stderr",
    async (code, _, argv, options, error) => {
      const service = await setup();
      const result = await runCli([...argv, "--json"], { service, ...options });
      expect([result.code, result.stdout]).toEqual([code, ""]);
      expect(JSON.parse(result.stderr.trimEnd().split("\n").at(-1)!)).toEqual({ error: { ...error, exitCode: code } });
    },
  );

  it.each(rows)("is %i for %s, and a person is told in words", async (code, _, argv, options, { message, hint }) => {
    const service = await setup();
    const result = await runCli(argv, { service, ...options });
    expect([result.code, result.stdout]).toEqual([code, ""]);
    const words = `✗ ${message}\n${hint === undefined ? "" : `  ${hint}\n`}`;
    expect(result.stderr.slice(-words.length)).toBe(words);
  });

  it("is 0 when it is done", async () => {
    const service = await setup();
    expect((await runCli(["users", "list"], { service })).code).toBe(0);
  });

  it("is 1 when the answer was no", async () => {
    const service = await setup();
    const { code, stderr } = await runCli(["users", "delete", ADA], {
      service,
      tty: true,
      confirm: () => false,
      env: { NO_COLOR: "1" },
    });
    expect([code, stderr]).toEqual([1, "✗ Nothing was deleted.\n"]);
  });

  it("is 5 for a token that is not valid, and quiet when asked to be", async () => {
    const service = await setup();
    const token = await service.tokenFor("google", "ada");
    service.clock.advance(3600);
    const verify = ["tokens", "verify", "-"];
    expect(await runCli(verify, { service, stdin: token })).toMatchObject({
      code: 5,
      stdout: "",
      stderr: "✗ Token expired\n  It expired just now (2026-06-01T13:00:00Z).\n",
    });
    expect(await runCli([...verify, "-q"], { service, stdin: token })).toMatchObject({
      code: 5,
      stdout: "",
      stderr: "",
    });
  });

  it("is 3 for the valid token of a user who is gone", async () => {
    const service = await setup();
    const token = await service.tokenFor("google", "ada");
    await service.client(service.acme).users.delete(ADA);
    expect((await runCli(["tokens", "verify", "-"], { service, stdin: token })).code).toBe(3);
  });

  it("is 8 for a port that is taken", async () => {
    const other = createServer().listen(0, "127.0.0.1");
    await new Promise((resolve) => other.once("listening", resolve));
    const { port } = other.address() as AddressInfo;
    const { code, stdout, stderr } = await runCli(["serve", "--store", "memory", "--port", String(port)]);
    other.close();
    expect([code, stdout]).toEqual([8, ""]);
    expect(stderr).toBe(
      `✗ Port ${port} is in use by another process. Stop that one, or choose another port: --port 0 takes any that is free.\n`,
    );
  });

  const USAGE: [argv: string[]][] = [
    [["no-such-command"]],
    [["users", "get"]],
    [["users", "list", "--no-such-option"]],
    [["users", "list", "superfluous"]],
    [["users", "list", "--limit"]],
    [["instances", "resolve", "--secret-key", "x"]],
  ];

  it.each(USAGE)("is 2 for %j, which sends nothing", async (argv) => {
    const service = await setup();
    const { code, stdout, stderr, requests } = await runCli(argv, { service });
    expect([code, stdout, requests]).toEqual([2, "", []]);
    expect(stderr).not.toBe("");
  });

  it.each(USAGE)("says so for %j in JSON where that is asked for", async (argv) => {
    const service = await setup();
    const { code, stdout, stderr } = await runCli(["--json", ...argv], { service });
    expect([code, stdout]).toEqual([2, ""]);
    expect(JSON.parse(stderr)).toEqual({
      error: expect.objectContaining({ code: "usage", message: expect.any(String) as string, exitCode: 2 }) as object,
    });
  });

  it("asks for a token rather than wait at a terminal for one", async () => {
    const service = await setup();
    const { code, stderr } = await runCli(["tokens", "verify"], { service, tty: true, env: { NO_COLOR: "1" } });
    expect([code, stderr]).toEqual([2, '✗ Which token?\n  Pipe it in: echo "$TOKEN" | svc tokens verify -\n']);
  });
});

describe("Negated terms", () => {
  const search = ["sessions", "search"];

  it.each<[argv: string[], query: string]>([
    [[...search, "-provider:github"], "-provider:github"],
    [[...search, "email:ada*", "-provider:github"], "email:ada* -provider:github"],
    [[...search, "-provider:github", "email:ada*"], "email:ada* -provider:github"],
    [[...search, "-provider:github", "--limit", "5"], "-provider:github"],
    [[...search, "--limit", "5", "-provider:github"], "-provider:github"],
    [[...search, "--limit=5", "-provider:github", "--json"], "-provider:github"],
    [["--json", ...search, "-provider:github"], "-provider:github"],
    [["--api-url", "http://api.localhost:7820", ...search, "-provider:github"], "-provider:github"],
    [[...search, "-provider:github", "--api-url", "http://api.localhost:7820"], "-provider:github"],
    [[...search, "-provider:github", "-email:*@navy.test"], "-provider:github -email:*@navy.test"],
    [[...search, "--not", "provider:github"], "-provider:github"],
    [[...search, "--not=provider:github", "email:ada*"], "email:ada* -provider:github"],
    [[...search, "--not", "provider:github", "--not", "name:x", "email:ada*"], "email:ada* -provider:github -name:x"],
    [[...search, "--", "-provider:github"], "-provider:github"],
    [[...search, "--query", "-provider:github"], "-provider:github"],
    [[...search, "--query=-provider:github"], "-provider:github"],
    [[...search, "--query", "email:ada* -provider:github", "-name:x"], "email:ada* -provider:github -name:x"],
    [[...search, "-ip_address:2001:db8::1*"], "-ip_address:2001:db8::1*"],
    [[...search, "-revoked_at:null"], "-revoked_at:null"],
  ])("%j asks for %j", async (argv, query) => {
    const service = await setup();
    const { code, requests } = await runCli(argv, { service });
    expect([code, requests.map(({ url }) => new URL(url).searchParams.get("query"))]).toEqual([0, [query]]);
  });

  it.each([
    [[...search, "-host:x"]],
    [[...search, "-verified:yes"]],
    [[...search, "-query:x"]],
    [[...search, "-created_at>2026-01-01"]],
    [[...search, "-provider"]],
    [[...search, "-Provider:github"]],
    [[...search, "--limit", "-provider:github"]],
    [["-provider:github", ...search, "email:ada*"]],
    [["sessions", "-provider:github", "search", "email:ada*"]],
    [["sessions", "list", "-provider:github"]],
    [["users", "delete", ADA, "-yes:x"]],
    [["tokens", "verify", "-quiet:1"]],
  ])("%j is refused, and not taken for something else", async (argv) => {
    const service = await setup();
    const { code, stdout } = await runCli(argv, { service, stdin: "x.y.z" });
    expect([code, stdout]).toEqual([2, ""]);
    expect(await service.client(service.acme).users.find(ADA)).toBeDefined();
  });

  it("can't be eaten by an option, for no option with a lower-case letter takes a value", async () => {
    const commands = await everyCommand();
    const short = commands.flatMap(({ options }) => options.filter((option) => /^-[a-z]\b/.test(option)));
    expect(new Set(short)).toEqual(
      new Set(["-h, --help", "-i, --include", "-n, --dry-run", "-q, --quiet", "-y, --yes"]),
    );
  });
});

describe("Secret keys", () => {
  const KEY = "sk_live_0123456789abcdefghijklmnopqrstuvwxyz";

  it.each([
    [["users", "list", "--secret-key", KEY]],
    [["users", "list", `--secret-key=${KEY}`]],
    [["--secret-key", KEY, "users", "list"]],
    [["users", "get", KEY]],
    [["users", "list", "--instance", KEY]],
    [["users", "list", `--base-url=${KEY}`]],
    [["instances", "resolve", KEY]],
    [["tokens", "verify", KEY]],
    [[KEY]],
    [[`SVC_SECRET_KEY=${KEY}`, "users", "list"]],
    [["users", "list", `SVC_SECRET_KEY=${KEY}`]],
    [["users", "list", `-k${KEY}`]],
    [["users", "search", "--", KEY]],
  ])("are refused in arguments and not repeated: %j", async (argv) => {
    const service = await setup();
    for (const more of [[], ["--json"]]) {
      const { code, stdout, stderr, requests } = await runCli([...more, ...argv], { service });
      expect([code, stdout, requests]).toEqual([2, "", []]);
      expect(stderr).toContain("SVC_SECRET_KEY");
      expect(stderr).not.toContain(KEY);
    }
  });

  it("are not seen in a search for something like them", async () => {
    const service = await setup();
    expect((await runCli(["users", "search", "name:*task_force*"], { service })).code).toBe(0);
  });

  it("are in nothing that is printed", async () => {
    const service = await setup();
    for (const argv of [
      ["users", "list"],
      ["users", "get", NOBODY],
      ["sessions", "list", "--json"],
      ["nonsense"],
      ["--help"],
    ]) {
      const { stdout, stderr } = await runCli(argv, { service });
      expect(stdout + stderr).not.toContain(service.acme.secret_key);
    }
  });
});

describe("Names from strangers", () => {
  /** Where a line ends, and where a value does, is for us alone to say. */
  const HARMFUL = /[^\P{C}\n]|[\u2028\u2029]/u;

  const NAMES: [what: string, name: string][] = [
    ["a title for the window", `${ESCAPE}]0;owned\u0007`],
    ["a link", `${ESCAPE}]8;;https://evil.test${ESCAPE}\\click${ESCAPE}]8;;${ESCAPE}\\`],
    ["the clipboard", `${ESCAPE}]52;c;cm0gLXJm\u0007`],
    ["colour, by C0 and by C1", `${ESCAPE}[31mred\u009b32mgreen`],
    ["a lone carriage return and backspaces", "Mallory\rAda\b\b\b"],
    ["lines and columns", "a\nb\tc\u0085d\u2028e\u2029f"],
    ["another direction", "\u202egnp.exe\u202c \u2066x\u2069 \u200f\u200e"],
    ["an Arabic letter mark", "a\u061cb"],
    ["what can't be seen", "a\u200bb\u2060c\ufeffd"],
  ];

  it.each(NAMES)("can't bring %s into a table, a record, TSV or JSON", async (_, name) => {
    const service = await setup({ seed: seedWithName(name) });
    for (const argv of [
      ["users", "list"],
      ["users", "get", ADA],
    ]) {
      for (const tty of [true, false]) {
        for (const json of [[], ["--json"]]) {
          const { stdout } = await runCli([...argv, ...json], { service, tty, env: { NO_COLOR: "1" } });
          expect(tty || json.length > 0 ? stdout : stdout.replaceAll("\t", " ")).not.toMatch(HARMFUL);
          expect(stdout).toContain("m@acme.test");
        }
      }
    }
  });

  it.each(NAMES)("can't make a line or column of %s", async (_, name) => {
    const service = await setup({ seed: seedWithName(name) });
    const { stdout } = await runCli(["users", "list"], { service });
    expect(stdout.split("\n").map((line) => line.split("\t").length)).toEqual([6, 1]);
  });

  it.each(NAMES)("mean the same in JSON, %s included", async (_, name) => {
    const service = await setup({ seed: seedWithName(name) });
    const { stdout } = await runCli(["users", "get", ADA, "--json"], { service });
    expect(JSON.parse(stdout)).toMatchObject({ data: { name } });
  });

  it.each(NAMES)("can't bring %s into an error", async (_, name) => {
    const fetch = answering(400, JSON.stringify({ error: `Invalid query: ${name}` }));
    const service = await setup();
    for (const json of [[], ["--json"]]) {
      const { code, stderr } = await runCli(["users", "search", "name:x", ...json], { service, fetch });
      expect(code).toBe(2);
      expect(stderr).toContain("Invalid query");
      expect(stderr).not.toMatch(HARMFUL);
    }
  });

  it("can't begin a line of an error", async () => {
    const fetch = answering(400, JSON.stringify({ error: "Invalid query: \n✓ all is well" }));
    const { stderr } = await runCli(["users", "search", "name:x"], { service: await setup(), fetch });
    expect(stderr.trimEnd().split("\n")).toHaveLength(1);
  });

  it("can't bring anything into the question before a deletion", async () => {
    const [acme] = SEED.instances;
    const email = `${ESCAPE}[2Kada\u202e@acme.test`;
    const users = [{ id: ADA, email, name: "M" }];
    const service = await setup({ seed: { instances: [{ ...acme, users }] } });
    const asked: string[] = [];
    const confirm = (question: string): boolean => asked.push(question) === 0;
    await runCli(["users", "delete", ADA], { service, tty: true, confirm });
    expect(asked).toEqual([
      "Delete \\u{1b}[2Kada\\u{202e}@acme.test of http://acme.localhost:7820? This cannot be undone.",
    ]);
  });
});

describe("users delete", () => {
  it("asks at a terminal, and names the user", async () => {
    const service = await setup();
    const asked: string[] = [];
    const confirm = (question: string): boolean => asked.push(question) > 0;
    const { code, stdout } = await runCli(["users", "delete", ADA], { service, tty: true, confirm });
    expect([code, stdout, asked]).toEqual([
      0,
      `Deleted ${ADA}\n`,
      ["Delete ada@acme.test of http://acme.localhost:7820? This cannot be undone."],
    ]);
    expect(await service.client(service.acme).users.find(ADA)).toBeUndefined();
  });

  it.each<[what: string, options: CliOptions]>([
    ["the person says no", { tty: true, confirm: () => false }],
    ["standard input is a pipe", { tty: ["stdout", "stderr"] }],
    ["the question could not be seen", { tty: ["stdin", "stdout"] }],
    ["there is no terminal", { tty: false }],
    ["a yes comes by pipe", { stdin: "y\n" }],
    ["it runs in CI", { tty: true, env: { CI: "true" } }],
    ["input is switched off", { tty: true, env: { SVC_NO_INPUT: "1" } }],
  ])("deletes nothing when %s", async (_, options) => {
    const service = await setup();
    const { code, stdout, requests } = await runCli(["users", "delete", ADA], {
      service,
      confirm: () => true,
      ...options,
    });
    expect([code === 0, stdout, requests.filter(({ method }) => method === "DELETE")]).toEqual([false, "", []]);
    expect(await service.client(service.acme).users.find(ADA)).toBeDefined();
  });

  it.each(["--yes", "-y"])("does not ask with %s", async (flag) => {
    const service = await setup();
    expect(await runCli(["users", "delete", ADA, flag], { service, tty: true })).toMatchObject({
      code: 0,
      stdout: `Deleted ${ADA}\n`,
      stderr: "",
    });
    expect(await service.client(service.acme).users.find(ADA)).toBeUndefined();
  });
});

describe("tokens verify", () => {
  it.each<[argv: string[], viaStdin: boolean]>([
    [["tokens", "verify", "-"], true],
    [["tokens", "verify"], true],
    [["tokens", "verify", "TOKEN"], false],
  ])("%j says whose a valid token is", async (argv, viaStdin) => {
    const service = await setup();
    const token = await service.tokenFor("twitter", "ada");
    const args = argv.map((argument) => (argument === "TOKEN" ? token : argument));
    const { code, stdout, stderr } = await runCli(args, { service, stdin: viaStdin ? ` ${token}\n` : "" });
    expect([code, stderr]).toEqual([0, ""]);
    expect(stdout.split("\n")).toEqual([
      "valid\tyes",
      expect.stringMatching(/^user_id\t[0-9a-f-]{36}$/),
      "email\t3001@twitter.invalid",
      "name\tAda Lovelace",
      "provider\ttwitter",
      "avatar_url\thttp://localhost:7820/__svc/simulator/avatars/ada.svg",
      "expires_at\t2026-06-01T13:00:00.000Z",
      "",
    ]);
  });

  it("says nothing with -q", async () => {
    const service = await setup();
    const stdin = await service.tokenFor("google", "ada");
    const argv = ["tokens", "verify", "-q", "-"];
    expect(await runCli(argv, { service, stdin })).toMatchObject({ code: 0, stdout: "", stderr: "" });
  });
});

describe("instances resolve", () => {
  it("needs no secret key", async () => {
    const service = await setup();
    const env = { SVC_SECRET_KEY: undefined, SVC_BASE_URL: undefined, SVC_API_URL: service.addresses.api };
    const { code, stdout } = await runCli(["instances", "resolve", "pk_globex_0123456789"], { service, env });
    expect([code, stdout]).toEqual([
      0,
      `id\t${service.globex.id}\npublishable_key\tpk_globex_0123456789\nurl\thttp://globex.localhost:7820\nsubdomain\tglobex\n`,
    ]);
  });

  it("says which address is missing where only an instance's own is known", async () => {
    const service = await setup();
    const { stdout, stderr } = await runCli(["instances", "resolve", "pk_acme_0123456789"], { service });
    expect(stdout).toBe("");
    expect(stderr).toContain("SVC_API_URL");
  });
});

describe("sign-in", () => {
  it("prints the claims of the token, and needs no browser for a simulated account", async () => {
    const service = await setup();
    const argv = ["sign-in", "--provider", "github", "--as", "ada@acme.test", "--json"];
    const { code, stdout, stderr } = await runCli(argv, { service });
    expect([code, stderr]).toEqual([0, ""]);
    expect(JSON.parse(stdout)).toEqual({
      iss: "svc",
      sub: ADA,
      email: "ada@acme.test",
      name: "Ada Lovelace",
      avatar_url: "http://localhost:7820/__svc/simulator/avatars/ada.svg",
      provider: "github",
      instance_id: service.acme.id,
      app_id: service.acme.app_id,
      iat: service.clock.now().getTime() / 1000,
      exp: service.clock.now().getTime() / 1000 + 3600,
    });
  });

  it("prints with --token what can be piped on", async () => {
    const service = await setup();
    const { stdout } = await runCli(["sign-in", "--as", "ada", "--token"], { service });
    const { code } = await runCli(["tokens", "verify", "-"], { service, stdin: stdout });
    expect([stdout.split("\n").length, code]).toEqual([2, 0]);
  });

  it("tells times in words to a person", async () => {
    const service = await setup();
    const options = { service, tty: true, env: { NO_COLOR: "1" } };
    const { stdout } = await runCli(["sign-in", "--as", "ada"], options);
    expect(stdout).toContain("\nexp          1780318800 (in 1 hour)\n");
  });

  it("says what the application would be told when the sign-in fails", async () => {
    const service = await setup();
    const argv = ["sign-in", "--provider", "github", "--as", "alan"];
    const { code, stdout, stderr } = await runCli(argv, { service });
    expect([code, stdout]).toEqual([1, ""]);
    expect(stderr).toMatch(
      /^✗ Not signed in: email_not_verified\.\n {2}The provider has no verified e-mail address for this account\.\n$/,
    );
  });

  it("prints the link, and opens it in a browser", async () => {
    const service = await setup();
    const opened: string[] = [];
    const openBrowser = async (url: string): Promise<void> => {
      opened.push(url);
      await browserOf(service)(`${url}&login_hint=ada`);
    };
    const { code, stderr } = await runCli(["sign-in", "--provider", "github"], { service, openBrowser });
    expect([code, stderr]).toEqual([0, `Sign in at:\n  ${opened[0]}\nWaiting for it; Ctrl-C ends that.\n`]);
    expect(opened).toEqual([
      expect.stringMatching(
        /^http:\/\/acme\.localhost:7820\/oauth\/authorize\?provider=github&redirect_uri=http%3A%2F%2F127\.0\.0\.1%3A\d+%2F[0-9a-f]{32}$/,
      ),
    ]);
  });

  it("goes on without a browser that can be opened", async () => {
    const service = await setup();
    const { code, stderr } = await runCli(["sign-in"], { service, signal: "SIGINT" });
    expect([code, stderr]).toEqual([
      130,
      expect.stringContaining("No browser could be opened; follow the link by hand.\n"),
    ]);
  });

  it("opens no browser with --no-open", async () => {
    const service = await setup();
    const opened: string[] = [];
    const openBrowser = async (url: string): Promise<void> => void opened.push(url);
    await runCli(["sign-in", "--no-open"], { service, openBrowser, signal: "SIGTERM" });
    expect(opened).toEqual([]);
  });
});

describe("Colour", () => {
  it.each<[env: Record<string, string>, isTTY: boolean, level: number]>([
    [{}, true, 1],
    [{}, false, 0],
    [{ NO_COLOR: "1" }, true, 0],
    [{ NO_COLOR: "" }, true, 1],
    [{ SVC_NO_COLOR: "1" }, true, 0],
    [{ NO_COLOR: "", SVC_NO_COLOR: "1" }, true, 0],
    [{ TERM: "dumb" }, true, 0],
    [{ TERM: "xterm-256color" }, true, 1],
    [{ CLICOLOR: "0" }, true, 0],
    [{ CLICOLOR: "1" }, false, 0],
    [{ FORCE_COLOR: "1" }, false, 1],
    [{ FORCE_COLOR: "1", TERM: "dumb" }, false, 1],
    [{ FORCE_COLOR: "0" }, false, 0],
    [{ FORCE_COLOR: "0" }, true, 0],
    [{ CLICOLOR_FORCE: "1" }, false, 1],
    [{ CLICOLOR_FORCE: "0" }, false, 0],
    [{ FORCE_COLOR: "", CLICOLOR_FORCE: "1" }, false, 1],
  ])("%j at a terminal (%s) is of level %i", (env, isTTY, level) => {
    const context = createContext({ env });
    expect(colors({ write: () => {}, isTTY }, context).level).toBe(level);
  });

  it("is decided for each stream by itself", async () => {
    const service = await setup();
    const piped = await runCli(["users", "get", NOBODY], { service, tty: ["stderr"] });
    expect(piped.stderr).toContain(`${ESCAPE}[31m✗`);
    const listed = await runCli(["users", "list"], { service, tty: ["stdout"] });
    expect(listed.stdout).toContain(ESCAPE);
    const record = await runCli(["users", "get", ADA], { service, tty: ["stderr"] });
    expect(record.stdout).not.toContain(ESCAPE);
  });

  it("never comes into what a program reads", async () => {
    const service = await setup();
    for (const argv of [
      ["users", "list"],
      ["users", "get", ADA],
      ["users", "list", "--json"],
    ]) {
      const { stdout } = await runCli(argv, { service, env: { FORCE_COLOR: "1" } });
      expect(stdout).not.toContain(ESCAPE);
    }
  });
});

describe("Help", () => {
  it("is there for every command, on stdout", async () => {
    const commands = await everyCommand();
    const { stdout } = await runCli(["help", "--map", "paths"]);
    expect(commands.map(({ path }) => ["svc", ...path].join(" "))).toEqual(
      stdout.split("\n").filter((path) => path !== "" && path !== "svc help"),
    );
    expect(commands.length).toBeGreaterThan(35);
  });

  it.each(["serve", "sign-in", "users search", "sessions search", "tokens verify"])(
    "shows %s by examples",
    async (command) => {
      const { stdout } = await runCli([...command.split(" "), "--help"]);
      expect(stdout).toContain(`\nExamples:\n  `);
    },
  );

  it("has only examples of searches that work", async () => {
    const service = await setup();
    const commands = await everyCommand();
    const examples = commands.flatMap(
      ({ help }) => help.match(/(?<=^ {2}svc )(users|sessions) search .*?(?= {2}|$)/gm) ?? [],
    );
    expect(examples.length).toBeGreaterThanOrEqual(8);
    for (const example of examples) {
      const argv = (example.match(/'[^']*'|\S+/g) ?? []).map((word) => word.replaceAll("'", ""));
      expect([example, (await runCli(argv, { service })).code]).toEqual([example, 0]);
    }
  });

  it("lists the fields that can be searched, all of them", async () => {
    const service = await setup();
    for (const noun of ["users", "sessions"]) {
      const { stderr } = await runCli([noun, "search", "nonsense:x"], { service });
      const { stdout } = await runCli([noun, "search", "--help"]);
      const fields = /Fields: (.*)\n/.exec(stderr)?.[1];
      expect(/Fields: ([^.]*)\./.exec(stdout)?.[1]?.replaceAll("\n", " ")).toBe(fields);
    }
  });

  it("is for errors too, on stderr, where no command is named", async () => {
    const { code, stdout, stderr } = await runCli([]);
    expect([code, stdout]).toEqual([2, ""]);
    expect(stderr).toMatch(/^Usage: svc /);
  });

  it("says the version", async () => {
    expect(await runCli(["--version"])).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^\d+\.\d+\.\d+\n$/) as string,
    });
  });
});

interface CommandHelp {
  readonly path: readonly string[];
  readonly help: string;
  /** As they are shown, e.g. `-y, --yes`. */
  readonly options: readonly string[];
}

/** The whole tree, as its help shows it. */
async function everyCommand(path: readonly string[] = []): Promise<CommandHelp[]> {
  const { code, stdout, stderr } = await runCli([...path, "--help"]);
  expect([code, stderr, stdout.startsWith(`Usage: ${["svc", ...path].join(" ")}`)]).toEqual([0, "", true]);
  const section = (title: string): string[] =>
    new RegExp(`^${title}:\\n((?: {2}.*\\n)+)`, "m").exec(stdout)?.[1]?.match(/(?<=^ {2})\S.*?(?= {2}|$)/gm) ?? [];
  const own = { path, help: stdout, options: section("Options") };
  const children = section("Commands").flatMap((line) => /^[a-z-]+/.exec(line) ?? []);
  const below: CommandHelp[] = [];
  for (const child of children) if (child !== "help") below.push(...(await everyCommand([...path, child])));
  return [own, ...below];
}
