import { describe, expect, it } from "vitest";
import { runCli, type CliOptions, type CliResult } from "../_cli.ts";
import { ADA, ADA_OF_GLOBEX, NOBODY } from "../_setup.ts";
import {
  AT_ACME,
  atAcme,
  CHARLES,
  GRACE,
  left,
  many,
  noOutcomes,
  remove,
  service,
  useDeletions,
} from "./_deletions.ts";

useDeletions();

describe("The users that svc users delete deletes", () => {
  it.each<[args: string[], options: CliOptions, message: string]>([
    [[], {}, "No users given."],
    [[""], {}, '"" is not a user id or e-mail address. No users were deleted.'],
    [["--query", ""], {}, "No search terms."],
    [["--query", "   "], {}, "No search terms."],
    [["--query", "email:*"], {}, "would match everyone, or no one. Was a variable empty?"],
    [["--query", "email:* name:**"], {}, "would match everyone, or no one."],
    [["--query", "email:* email:ada@acme.test"], {}, "would match everyone, or no one."],
    [["--query", "nickname:x"], {}, 'No users were deleted: unknown field "nickname".'],
    [["--query", "ip_address:192.0.2.1"], {}, "Use: svc sessions search 'ip_address:192.0.2.1'"],
    [["--query", AT_ACME, ADA], {}, "Use ids or --query, not both."],
    [["--query", AT_ACME, "name:Bob"], {}, "--query takes one argument. Quote all of it"],
    [["--query", AT_ACME, "-email:b*"], {}, "Use a query, in one argument"],
    [["*@acme.test"], {}, "To find or delete what a search matches: svc users search, svc users delete --query"],
    [["ada@acme.test", "ada"], {}, '"ada" is not a user id or e-mail address. No users were deleted.'],
    [[AT_ACME], {}, "To find or delete what a search matches: svc users search, svc users delete --query"],
    [[ADA, "ada"], {}, "Find the user with: svc users search --name ada"],
    [[`../sessions/${ADA}`], {}, "is not a user id"],
    [["-"], { stdin: `${ADA}\n\nada\n` }, 'Line 3 of standard input: "ada" is not a user id or e-mail address.'],
    [["-"], { stdin: "a\0b" }, 'Line 1 of standard input: "a\\u{0}b" is not a user id or e-mail address.'],
    [
      ["-"],
      { stdin: 'email\n"ada@acme.test"\n' },
      "Write one id or address a line. Of a spreadsheet, name the column: --column email",
    ],
    [
      ["-"],
      { stdin: '"ada@acme.test"' },
      'Line 1 of standard input: ""ada@acme.test"" is not a user id or e-mail address.',
    ],
    [["-"], { stdin: "ada@acme.test,Ada" }, 'Line 1 of standard input: "ada@acme.test,Ada" is not a user id'],
    [["-"], { stdin: "Ada;ada@acme.test" }, 'Line 1 of standard input: "Ada;ada@acme.test" is not a user id'],
    [["-"], { stdin: "" }, "No users on standard input."],
    [["-", "--dry-run"], { stdin: " \n\n" }, "No users on standard input."],
    [["--file", "missing.txt"], {}, '--file: "missing.txt" cannot be read: no such file or directory (ENOENT).'],
    [["--file", "x", "--query", AT_ACME], {}, "Use ids or --query, not both."],
    [["-"], { stdin: `${ADA}\t${CHARLES}\n` }, "Line 1 of standard input"],
    [[ADA, "--expect", "many"], {}, '--expect: "many" is not a number from 0 to 999999999.'],
    [[ADA, "--max", "0"], {}, '--max: "0" is not a number from 1 to 999999999.'],
    [[ADA, "-name:bob"], {}, "Use a query, in one argument"],
  ])("cannot be told from %j %j, so it deletes none, even with --yes", async (args, options, message) => {
    const before = await left();
    const result = await remove([...args, "--yes"], options);
    expect([result.code, result.stdout, result.requests]).toEqual([2, "", []]);
    expect(result.stderr).toContain(message);
    expect(await left()).toEqual(before);
  });

  it("include each id once", async () => {
    const { code, stdout, requests } = await remove([ADA, CHARLES, ADA, "-", "--yes"], {
      stdin: `${CHARLES}\r\n${GRACE}`,
    });
    expect([code, stdout.slice(0, -1).split("\n").toSorted()]).toEqual([
      0,
      [ADA, CHARLES, GRACE].map((id) => `${id}\tdeleted\t`),
    ]);
    expect(requests.map(({ method }) => method)).toEqual(["GET", "DELETE", "DELETE", "DELETE"]);
    expect(await left()).toEqual([]);
  });

  it("are those that a query finds, in each spelling", async () => {
    const { code, stdout } = await remove(["--query", "email:*@acme.test -name:Ada*", "--yes", "--expect", "1"]);
    expect([code, stdout, await left()]).toEqual([0, `${CHARLES}\tdeleted\t\n`, [ADA, GRACE]]);
  });

  it("may be named by their e-mail addresses, in any case, together with ids", async () => {
    const { code, stdout } = await remove(["Charles@ACME.test", GRACE, CHARLES, "--yes", "--expect", "2"]);
    expect([code, stdout.slice(0, -1).split("\n").toSorted(), await left()]).toEqual([
      0,
      [`${CHARLES}\tdeleted\t`, `${GRACE}\tdeleted\t`],
      [ADA],
    ]);
  });

  it("are none at all if an e-mail address is no one's", async () => {
    const { code, stdout, stderr, requests } = await remove([ADA, "stranger@acme.test", "--yes"]);
    expect([code, stdout, await left()]).toEqual([3, "", [ADA, CHARLES, GRACE]]);
    expect(stderr).toContain(
      "✗ No user has the e-mail address stranger@acme.test (acme.localhost:7820, instance acme). No users were deleted.\n",
    );
    expect(requests.map(({ method }) => method)).not.toContain("DELETE");
  });

  it("never belong to another instance", async () => {
    const { code, stdout } = await remove([ADA_OF_GLOBEX, NOBODY, "--yes"]);
    expect([code, stdout.slice(0, -1).split("\n").toSorted()]).toEqual([
      3,
      [`${ADA_OF_GLOBEX}\tgone\t`, `${NOBODY}\tgone\t`],
    ]);
    expect(await service.client(service.globex).users.find(ADA_OF_GLOBEX)).toBeDefined();
  });

  it("may be none, which is not an error", async () => {
    const searched = await remove(["--query", "name:nobody", "--yes", "--json"]);
    expect(searched).toMatchObject({ code: 0, stderr: "No users match.\n" });
    expect(JSON.parse(searched.stdout)).toEqual(noOutcomes());
    for (const more of [["--yes"], ["--dry-run"]]) {
      const shown = await remove(["--query", "name:nobody", ...more], { tty: true });
      expect(shown).toMatchObject({ code: 0, stdout: "", stderr: "No users match.\n" });
    }
  });
});

describe("The number of users that svc users delete deletes", () => {
  it.each<[args: string[], code: number, message: string]>([
    [[ADA, CHARLES, "--expect", "3"], 8, "Expected 3, but there are 2. No users were deleted."],
    [["--query", AT_ACME, "--expect", "1"], 8, "Expected 1, but the query matches 2. No users were deleted."],
    [["--query", "name:nobody", "--expect", "1"], 8, "Expected 1, but the query matches 0."],
    [["--query", AT_ACME, "--expect", "2", "--max", "1"], 8, "2 users are more than 1. No users were deleted."],
    [[ADA, CHARLES, "--max", "1"], 8, "2 users are more than 1. No users were deleted."],
    [["--query", AT_ACME], 2, "If that is what you expect, add: --expect 2\n"],
  ])("is checked: %j --yes is refused", async (args, code, message) => {
    for (const more of [[], ["--dry-run"]]) {
      const result = await remove([...args, ...more, "--yes"]);
      // A dry run is no deletion that needs consent. It shows the users, and ends as the deletion would.
      if (code === 2 && more.length > 0) continue;
      expect(result.code).toBe(code);
      if (more.length === 0) expect(result.stdout).toBe("");
      expect(result.stderr).toContain(message);
    }
    expect(await left()).toEqual([ADA, CHARLES, GRACE]);
  });

  it("may exceed a hundred only if the command allows it", async () => {
    await many(101);
    const refused = await remove(["--query", AT_ACME, "--yes", "--expect", "101"]);
    expect([refused.code, refused.stderr]).toEqual([8, expect.stringContaining("--max 101")]);
    const done = await remove(["--query", AT_ACME, "--yes", "--expect", "101", "--max", "101"]);
    expect([done.code, done.stdout.split("\n").length, await left()]).toEqual([0, 102, []]);
  });
});

const idsOf = ({ stdout }: CliResult): string[] =>
  stdout
    .trimEnd()
    .split("\n")
    .map((line) => (JSON.parse(line) as { id: string }).id);

describe("svc users delete --dry-run", () => {
  it.each(["--dry-run", "-n"])("as %s prints the users in every format and deletes none", async (flag) => {
    for (const yes of [[], ["--yes"]]) {
      const piped = await remove(["--query", AT_ACME, flag, "--output", "ndjson", ...yes]);
      const stderr = "Dry run: 2 users of acme (http://acme.localhost:7820, SVC_BASE_URL) would be deleted.\n";
      expect([piped.code, idsOf(piped), piped.stderr]).toEqual([0, [ADA, CHARLES], stderr]);
    }
    const named = await remove([GRACE, NOBODY, flag, "--output", "ndjson"]);
    expect([named.code, idsOf(named), named.stderr]).toEqual([
      0,
      [GRACE],
      `1 of 2 not found: ${NOBODY}.\nDry run: 1 user of acme (http://acme.localhost:7820, SVC_BASE_URL) would be deleted.\n`,
    ]);
    expect(named.requests.every(({ method }) => method === "GET")).toBe(true);
    const address = await remove(["grace@navy.test", flag, "--output", "ndjson"]);
    expect([address.code, idsOf(address), address.stderr]).toEqual([
      0,
      [GRACE],
      "Dry run: 1 user of acme (http://acme.localhost:7820, SVC_BASE_URL) would be deleted.\n",
    ]);
    expect(await left()).toEqual([ADA, CHARLES, GRACE]);
  });
});

describe("The confirmation of svc users delete", () => {
  const atTerminal = { tty: true, env: { NO_COLOR: "1" } };

  it("asks for the number of users below a list of them", async () => {
    const asked: string[] = [];
    const ask = (question: string): string => `${asked.push(question) + 1} `;
    const { code, stdout, stderr } = await remove(["--query", AT_ACME], { ...atTerminal, ask });
    expect(asked).toEqual(["This cannot be undone. Type 2 to delete all of them:"]);
    expect(stderr.split("\r")[0]!.split("\n")).toEqual([
      `2 users whose email ends with "@acme.test", of ${atAcme()}:`,
      `ID${" ".repeat(36)}EMAIL              NAME             CREATED`,
      `${ADA}  ada@acme.test      Ada Lovelace     4 months ago`,
      `${CHARLES}  charles@acme.test  Charles Babbage  5 months ago`,
      "",
    ]);
    expect([
      code,
      stdout,
      stderr.endsWith("Deleted 2 users of acme (http://acme.localhost:7820, SVC_BASE_URL).\n"),
      await left(),
    ]).toEqual([0, "", true, [GRACE]]);
  });

  it("lists ten users and the number of others", async () => {
    await many(30);
    const { stderr } = await remove(["--query", AT_ACME], { ...atTerminal, ask: () => "" });
    expect([
      stderr.match(/@acme\.test {2}/g)?.length,
      stderr.includes("and 20 more. To see all of them: --dry-run\n"),
    ]).toEqual([10, true]);
  });

  it.each(["", "y", "yes", "1", "3", "2 users", "two", "02"])("for two users rejects the answer %j", async (answer) => {
    for (const args of [
      [ADA, CHARLES],
      ["--query", AT_ACME],
    ]) {
      const { code, stdout, stderr } = await remove(args, { ...atTerminal, ask: () => answer });
      expect([code, stdout, stderr.endsWith("✗ Declined. No users were deleted.\n")]).toEqual([1, "", true]);
    }
    expect(await left()).toEqual([ADA, CHARLES, GRACE]);
  });

  it("is yes or no for one user found by a query, who is named", async () => {
    const asked: string[] = [];
    await remove(["--query", "name:Ada*"], { ...atTerminal, confirm: (question) => asked.push(question) > 0 });
    expect([asked, await left()]).toEqual([
      [`Delete Ada Lovelace (ada@acme.test) from ${atAcme()}? This cannot be undone.`],
      [CHARLES, GRACE],
    ]);
  });

  it("names the user and the service for an e-mail address", async () => {
    const asked: string[] = [];
    const confirm = (question: string): boolean => asked.push(question) > 1;
    const declined = await remove(["ADA@acme.test"], { ...atTerminal, confirm });
    expect(declined).toMatchObject({ code: 1, stdout: "", stderr: "✗ Declined. No users were deleted.\n" });
    expect(await remove(["ADA@acme.test"], { ...atTerminal, confirm })).toMatchObject({
      code: 0,
      stdout: `Deleted ${ADA}\n`,
    });
    const question = `Delete Ada Lovelace (ada@acme.test) from ${atAcme()}? This cannot be undone.`;
    expect([asked, await left()]).toEqual([
      [question, question],
      [CHARLES, GRACE],
    ]);
  });

  const REFUSED: [what: string, options: CliOptions][] = [
    ["there is no terminal", { tty: false }],
    ["a yes comes by pipe", { stdin: "y\n2\n" }],
    ["it runs in CI", { tty: true, env: { CI: "true" } }],
    ["input is switched off", { tty: true, env: { SVC_NO_INPUT: "1" } }],
    ["the question could not be seen", { tty: ["stdin", "stdout"] }],
  ];
  it.each(REFUSED)("is impossible when %s, and the command says what to add", async (_, options) => {
    const answers = { confirm: () => true, ask: () => "2" };
    const ids = await remove([ADA, CHARLES], { ...answers, ...options });
    expect([ids.code, ids.stdout, ids.stderr]).toEqual([2, "", expect.stringContaining("Add --yes to delete")]);
    const query = await remove(["--query", AT_ACME], { ...answers, ...options });
    expect([query.code, query.stderr]).toEqual([2, expect.stringContaining("Add --yes --expect 2 to delete")]);
    expect(await left()).toEqual([ADA, CHARLES, GRACE]);
  });

  it("cannot be read from the standard input that had the ids", async () => {
    const answers = { confirm: () => true, ask: () => "2" };
    const { code, stderr } = await remove(["-"], { tty: true, stdin: `${ADA}\n`, ...answers });
    expect([code, stderr]).toEqual([
      2,
      expect.stringContaining(`then add --yes. Or read them from a file, with --file <file>.`),
    ]);
    expect(await left()).toEqual([ADA, CHARLES, GRACE]);
  });
});

describe("svc users search in a pipe to svc users delete", () => {
  it("deletes the users that the search found", async () => {
    const found = await runCli(["users", "search", AT_ACME, "--fields", "id"], { service });
    const { code } = await remove(["-", "--yes", "--expect", "2"], { stdin: found.stdout });
    expect([code, await left()]).toEqual([0, [GRACE]]);
  });
});
