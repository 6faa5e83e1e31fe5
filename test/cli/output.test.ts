// Below the faces: the rule of colours has ten rows.
import stringWidth from "string-width";
import { describe, expect, it } from "vitest";
import { colors } from "../../src/cli/output/text.ts";
import { answering } from "../_answering.ts";
import { createContext, runCli } from "../_cli.ts";
import { SEED, setup, ADA, NOBODY, SESSION } from "../_setup.ts";

const ESCAPE = "\u001b";

/** The instance acme with only a user of this name. */
function seedWithName(name: string): object {
  const [acme] = SEED.instances;
  const user = { id: ADA, email: "m@acme.test", name, created_at: "2026-01-05T09:00:00Z" };
  return { instances: [{ ...acme, users: [user] }], personas: [] };
}

describe("Output as JSON", () => {
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

  it.each(rows)("of %j is the API's body unchanged and nothing else in a pipe", async (argv, path) => {
    const service = await setup();
    const body = await (await service.as(service.acme, path)).text();
    const env = { SVC_API_URL: service.addresses.api };
    const { code, stdout, stderr } = await runCli([...argv, "--json"], { service, env });
    expect([code, stdout, stderr]).toEqual([0, `${body}\n`, ""]);
  });
});

describe("A table", () => {
  it.each([
    ["users", ADA],
    ["sessions", SESSION],
  ])("of one of the %s shows every value of the list in the same words", async (noun, id) => {
    const options = { service: await setup(), tty: true, columns: 400, env: { NO_COLOR: "1" } };
    const { stdout: table } = await runCli([noun, "list", "--output", "wide"], options);
    const { stdout: record } = await runCli([noun, "get", id], options);
    const cells = table.split("\n").find((line) => line.startsWith(id))!;
    for (const cell of cells.trim().split(/ {2,}/)) expect(record).toContain(cell);
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

  it("keeps every line within the terminal where a late row is wide", async () => {
    const [acme] = SEED.instances;
    const users = Array.from({ length: 700 }, (_, i) => ({
      email: `u${i}@acme.test`,
      name: i < 100 ? "ソフィア・コワレフスカヤ・ヴァシーリエヴナ" : "Ada",
      created_at: new Date(Date.UTC(2026, 0, 1) + i * 1000).toISOString(),
    }));
    const service = await setup({ seed: { instances: [{ ...acme, users }] } });
    const { stdout } = await runCli(["users", "list", "--limit", "1000"], {
      service,
      tty: true,
      columns: 90,
      env: { NO_COLOR: "1" },
    });
    expect(Math.max(...stdout.split("\n").map((line) => stringWidth(line)))).toBeLessThanOrEqual(90);
    expect(stdout.split("\n")).toHaveLength(702);
  });
});

describe("A hostile name", () => {
  /** Only svc itself may end a line or a value. */
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

  it.each(NAMES)("cannot put %s into a table, a record or TSV, and keeps its value in JSON", async (_, name) => {
    const service = await setup({ seed: seedWithName(name) });
    for (const argv of ["users list", `users get ${ADA}`, "users list --json", `users get ${ADA} --json`])
      for (const tty of [true, false]) {
        const { stdout } = await runCli(argv.split(" "), { service, tty, env: { NO_COLOR: "1" } });
        const isTabbed = !tty && !argv.includes("--json");
        expect(isTabbed ? stdout.replaceAll("\t", " ") : stdout).not.toMatch(HARMFUL);
        expect(stdout).toContain("m@acme.test");
        if (argv.endsWith(" --json")) expect([JSON.parse(stdout)].flat()).toMatchObject([{ data: { name } }]);
        else if (argv === "users list" && !tty)
          expect(stdout.split("\n").map((line) => line.split("\t").length)).toEqual([7, 1]);
      }
  });

  it.each(NAMES)("cannot put %s into an error", async (_, name) => {
    const fetch = answering(400, JSON.stringify({ error: `Invalid query: ${name}` }));
    const service = await setup();
    for (const json of [[], ["--json"]]) {
      const { code, stderr } = await runCli(["users", "search", "name:x", ...json], { service, fetch });
      expect(code).toBe(2);
      expect(stderr).toContain("Invalid query");
      expect(stderr).not.toMatch(HARMFUL);
    }
  });

  it("cannot start a line of an error", async () => {
    const fetch = answering(400, JSON.stringify({ error: "Invalid query: \n✓ all is well" }));
    const { stderr } = await runCli(["users", "search", "name:x"], { service: await setup(), fetch });
    expect(stderr.trimEnd().split("\n")).toHaveLength(1);
  });

  it("cannot change the question before a deletion", async () => {
    const service = await setup();
    const found = await service.as(service.acme, `/api/v1/users/${ADA}`);
    // Our own service takes no such address; another one may.
    const users = `[${await found.text()}]`.replace("ada@acme.test", "\\u001b[2Kada\\u202e@acme.test");
    const asked: string[] = [];
    const confirm = (question: string): boolean => asked.push(question) === 0;
    await runCli(["users", "delete", ADA], { service, tty: true, confirm, fetch: answering(200, users) });
    expect(asked).toEqual([
      "Delete Ada Lovelace (\\u{1b}[2Kada\\u{202e}@acme.test) from http://localhost:7820 (SVC_BASE_URL), which does not name the instance of this key? This cannot be undone.",
    ]);
  });
});

describe("Colour in output", () => {
  it.each<[env: Record<string, string>, isTTY: boolean, level: number]>([
    [{}, true, 1],
    [{}, false, 0],
    [{ NO_COLOR: "1" }, true, 0],
    [{ NO_COLOR: "" }, true, 1],
    [{ TERM: "dumb" }, true, 0],
    [{ TERM: "xterm-256color" }, true, 1],
    [{ FORCE_COLOR: "1" }, false, 1],
    [{ FORCE_COLOR: "1", TERM: "dumb" }, false, 1],
    [{ FORCE_COLOR: "0" }, false, 0],
    [{ FORCE_COLOR: "0" }, true, 0],
  ])("with %j on a terminal (%s) is of level %i", (env, isTTY, level) => {
    const context = createContext({ env });
    expect(colors({ write: () => {}, isTTY }, context).level).toBe(level);
  });

  it("is decided for each stream separately", async () => {
    const service = await setup();
    const piped = await runCli(["users", "get", NOBODY], { service, tty: ["stderr"] });
    expect(piped.stderr).toContain(`${ESCAPE}[31m✗`);
    const listed = await runCli(["users", "list"], { service, tty: ["stdout"] });
    expect(listed.stdout).toContain(ESCAPE);
    const record = await runCli(["users", "get", ADA], { service, tty: ["stderr"] });
    expect(record.stdout).not.toContain(ESCAPE);
  });

  it("is never in output that a program reads", async () => {
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
