import { mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { main } from "../../src/cli/main.ts";
import type { Fetch } from "../../src/wire/fetch.ts";
import { createContext, runCli, type CliOptions, type CliResult } from "../_cli.ts";
import { ADA, NOBODY, SEED, setup, type Service } from "../_setup.ts";

const CHARLES = "00000000-0000-4000-8000-0000000000a2";
const GRACE = "00000000-0000-4000-8000-0000000000a3";
const FOREIGN = "00000000-0000-4000-8000-0000000000b1";
const AT_ACME = "email:*@acme.test";

let service: Service;
let cwd: string;
beforeEach(async () => {
  service = await setup();
  cwd = await mkdtemp(join(tmpdir(), "svc-delete-"));
});
afterEach(() => rm(cwd, { recursive: true, force: true }));

function remove(args: readonly string[], options: CliOptions = {}): Promise<CliResult> {
  return runCli(["users", "delete", ...args], { service, cwd, ...options });
}

async function left(): Promise<string[]> {
  return (await service.client(service.acme).users.list()).map(({ id }) => id).toSorted();
}

function idOf(i: number): string {
  return `00000000-0000-4000-8000-${String(i).padStart(12, "0")}`;
}

async function many(count: number): Promise<void> {
  const [acme] = SEED.instances;
  const users = Array.from({ length: count }, (_, i) => ({ id: idOf(i), email: `u${i}@acme.test`, name: `User ${i}` }));
  service = await setup({ seed: { instances: [{ ...acme, users }] } });
}

/** The service, but for what happens to some deletions. */
function withFaults(fault: (id: string, count: number) => Response | Error | undefined): Fetch {
  let count = 0;
  return async (url, init) => {
    if (init.method === "DELETE") {
      const answer = fault(url.split("/").at(-1)!, count++);
      if (answer instanceof Error) throw answer;
      if (answer) return answer as unknown as Awaited<ReturnType<Fetch>>;
    }
    return (await service.fetch(url, init as RequestInit)) as Awaited<ReturnType<Fetch>>;
  };
}

const broken = (): Response => new Response('{"error":"Internal error"}', { status: 500 });

describe("Whom", () => {
  it.each<[args: string[], options: CliOptions, message: string]>([
    [[], {}, "No user ids given."],
    [[""], {}, '"" is not a user id. No users were deleted.'],
    [["--query", ""], {}, "No search terms."],
    [["--query", "   "], {}, "No search terms."],
    [["--query-file", "-"], { stdin: "\n" }, '--query-file: no terms in "-".'],
    [["--query", "email:*"], {}, "would match everyone, or no one. Was a variable empty?"],
    [["--query", "email.starts="], {}, '"email.starts=" has no value.'],
    [["--query", "email=*"], {}, "would match everyone, or no one."],
    [["--query", "email:* name:**"], {}, "would match everyone, or no one."],
    [["--query", "email:* email:ada@acme.test"], {}, "would match everyone, or no one."],
    [["--query", "nickname:x"], {}, 'No users were deleted: unknown field "nickname".'],
    [["--query", "provider:github"], {}, "Use: svc sessions search 'provider:github'"],
    [["--query", AT_ACME, ADA], {}, "Use ids or --query, not both."],
    [[AT_ACME], {}, "To delete what a search matches: --query 'email:*@acme.com'"],
    [[ADA, "ada"], {}, '"ada" is not a user id. No users were deleted.'],
    [[ADA.toUpperCase()], {}, "is not a user id"],
    [[`../sessions/${ADA}`], {}, "is not a user id"],
    [["-"], { stdin: `${ADA}\n\nada@acme.test\n` }, 'Line 3 of standard input: "ada@acme.test" is not a user id.'],
    [["-"], { stdin: `${ADA}\t${CHARLES}\n` }, "Line 1 of standard input"],
    [[ADA, "--expect", "many"], {}, '--expect: "many" is not a number from 0 to 999999999.'],
    [[ADA, "--max", "0"], {}, '--max: "0" is not a number from 1 to 999999999.'],
    [[ADA, "--concurrency", "33"], {}, '--concurrency: "33" is not a number from 1 to 32.'],
    [[ADA, "-name:bob"], {}, "Unknown option"],
  ])("is not known from %j %j, so it is nobody, even with --yes", async (args, options, message) => {
    const before = await left();
    const result = await remove([...args, "--yes"], options);
    expect([result.code, result.stdout, result.requests]).toEqual([2, "", []]);
    expect(result.stderr).toContain(message);
    expect(await left()).toEqual(before);
  });

  it("is each id once", async () => {
    const { code, stdout, requests } = await remove([ADA, CHARLES, ADA, "-", "--yes"], {
      stdin: `${CHARLES}\r\n${GRACE}`,
    });
    expect([code, stdout.slice(0, -1).split("\n").toSorted()]).toEqual([
      0,
      [ADA, CHARLES, GRACE].map((id) => `${id}\tdeleted\t`),
    ]);
    expect(requests.map(({ method }) => method)).toEqual(["DELETE", "DELETE", "DELETE"]);
    expect(await left()).toEqual([]);
  });

  it("is whoever a query finds, in each spelling", async () => {
    const { code, stdout } = await remove(["--query", "email.ends=@acme.test -name:Ada*", "--yes", "--expect", "1"]);
    expect([code, stdout, await left()]).toEqual([0, `${CHARLES}\tdeleted\t\n`, [ADA, GRACE]]);
  });

  it("is never somebody of another instance", async () => {
    const { code, stdout } = await remove([FOREIGN, NOBODY, "--yes"]);
    expect([code, stdout.slice(0, -1).split("\n").toSorted()]).toEqual([
      0,
      [`${FOREIGN}\tgone\t`, `${NOBODY}\tgone\t`],
    ]);
    expect(await service.client(service.globex).users.find(FOREIGN)).toBeDefined();
  });

  it("can be nobody, which is no failure", async () => {
    const piped = await remove(["-", "--yes"], { stdin: "\n" });
    expect(piped).toMatchObject({ code: 0, stdout: "", stderr: "No ids on standard input.\n" });
    const searched = await remove(["--query", "name:nobody", "--yes", "--json"]);
    const why = '"name:nobody" matches the whole name. To find a part of it: name:*nobody*';
    expect(searched).toMatchObject({ code: 0, stderr: `No users match. ${why}\n` });
    expect(JSON.parse(searched.stdout)).toEqual({ deleted: [], gone: [], failed: [], unknown: [], not_attempted: [] });
    for (const more of [["--yes"], ["--dry-run"]]) {
      const shown = await remove(["--query", "name:nobody", ...more], { tty: true });
      expect(shown).toMatchObject({ code: 0, stdout: "", stderr: `No users match. ${why}\n` });
    }
  });
});

describe("How many", () => {
  it.each<[args: string[], code: number, message: string]>([
    [[ADA, CHARLES, "--expect", "3"], 8, "Expected 3, but there are 2. No users were deleted."],
    [["--query", AT_ACME, "--expect", "1"], 8, "Expected 1, but the query matches 2. No users were deleted."],
    [["--query", "name:nobody", "--expect", "1"], 8, "Expected 1, but the query matches 0."],
    [["--query", AT_ACME, "--expect", "2", "--max", "1"], 8, "2 users are more than 1. No users were deleted."],
    [[ADA, CHARLES, "--max", "1"], 8, "2 users are more than 1. No users were deleted."],
    [["--query", AT_ACME], 2, "If that is what you expect, add: --expect 2\n"],
  ])("%j --yes is not allowed", async (args, code, message) => {
    for (const more of [[], ["--dry-run"]]) {
      const result = await remove([...args, ...more, "--yes"]);
      // A dry run shows whom it would be, however many.
      if ((code === 2 || args.includes("--max")) && more.length > 0) continue;
      expect([result.code, result.stdout]).toEqual([code, ""]);
      expect(result.stderr).toContain(message);
    }
    expect(await left()).toEqual([ADA, CHARLES, GRACE]);
  });

  it("more than a hundred are only deleted where that is asked for", async () => {
    await many(101);
    const refused = await remove(["--query", AT_ACME, "--yes", "--expect", "101"]);
    expect([refused.code, refused.stderr]).toEqual([8, expect.stringContaining("--max 101")]);
    const done = await remove(["--query", AT_ACME, "--yes", "--expect", "101", "--max", "101"]);
    expect([done.code, done.stdout.split("\n").length, await left()]).toEqual([0, 102, []]);
  });
});

describe("--dry-run", () => {
  it.each(["--dry-run", "-n"])("%s prints whom it would be, in every format, and deletes nobody", async (flag) => {
    for (const yes of [[], ["--yes"]]) {
      const piped = await remove(["--query", AT_ACME, flag, "--output", "ids", ...yes]);
      expect(piped).toMatchObject({ code: 0, stdout: `${ADA}\n${CHARLES}\n`, stderr: "" });
    }
    const named = await remove([GRACE, NOBODY, flag, "--json"]);
    expect([named.code, JSON.parse(named.stdout), named.stderr]).toEqual([
      0,
      [expect.objectContaining({ id: GRACE })],
      "1 of 2 ids was not found.\n",
    ]);
    expect(named.requests.every(({ method }) => method === "GET")).toBe(true);
    expect(await left()).toEqual([ADA, CHARLES, GRACE]);
  });
});

describe("Confirmation", () => {
  const atTerminal = { tty: true, env: { NO_COLOR: "1" } };

  it("of several is their number, typed below a list of them", async () => {
    const asked: string[] = [];
    const ask = (question: string): string => `${asked.push(question) + 1} `;
    const { code, stdout, stderr } = await remove(["--query", AT_ACME], { ...atTerminal, ask });
    expect(asked).toEqual(["This cannot be undone. Type 2 to delete all of them:"]);
    expect(stderr.split("\r")[0]!.split("\n")).toEqual([
      "Deleting from http://acme.localhost:7820 (SVC_BASE_URL)",
      `2 users of http://acme.localhost:7820 (SVC_BASE_URL), which match ${AT_ACME}:`,
      `ID${" ".repeat(36)}EMAIL              NAME             CREATED`,
      `${ADA}  ada@acme.test      Ada Lovelace     4 months ago`,
      `${CHARLES}  charles@acme.test  Charles Babbage  5 months ago`,
      "",
    ]);
    expect([code, stdout, stderr.endsWith("2 of 2 deleted.\n"), await left()]).toEqual([0, "", true, [GRACE]]);
  });

  it("shows ten, and how many there are besides", async () => {
    await many(30);
    const { stderr } = await remove(["--query", AT_ACME], { ...atTerminal, ask: () => "" });
    expect([stderr.match(/@acme\.test {2}/g)?.length, stderr.includes("and 20 more.\n")]).toEqual([10, true]);
  });

  it.each(["", "y", "yes", "1", "3", "2 users", "two", "02"])("of two is not %j", async (answer) => {
    for (const args of [
      [ADA, CHARLES],
      ["--query", AT_ACME],
    ]) {
      const { code, stdout, stderr } = await remove(args, { ...atTerminal, ask: () => answer });
      expect([code, stdout, stderr.endsWith("✗ Declined. No users were deleted.\n")]).toEqual([1, "", true]);
    }
    expect(await left()).toEqual([ADA, CHARLES, GRACE]);
  });

  it("of the one that a query finds is yes or no, with who it is", async () => {
    const asked: string[] = [];
    await remove(["--query", "name:Ada*"], { ...atTerminal, confirm: (question) => asked.push(question) > 0 });
    expect([asked, await left()]).toEqual([
      ["Delete ada@acme.test from http://acme.localhost:7820 (SVC_BASE_URL)? This cannot be undone."],
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
  it.each(REFUSED)("is not there when %s, and the command says what to add", async (_, options) => {
    const answers = { confirm: () => true, ask: () => "2" };
    const ids = await remove([ADA, CHARLES], { ...answers, ...options });
    expect([ids.code, ids.stdout, ids.stderr]).toEqual([2, "", expect.stringContaining("Add --yes to delete")]);
    const query = await remove(["--query", AT_ACME], { ...answers, ...options });
    expect([query.code, query.stderr]).toEqual([2, expect.stringContaining("Add --yes --expect 2 to delete")]);
    expect(await left()).toEqual([ADA, CHARLES, GRACE]);
  });

  it.each<[args: string[], stdin: string, flags: string]>([
    [["-"], `${ADA}\n`, "--yes"],
    [["--query-file", "-"], AT_ACME, "--yes --expect 2"],
  ])("can't come from the standard input that %j has read", async (args, stdin, flags) => {
    const answers = { confirm: () => true, ask: () => "2" };
    const { code, stderr } = await remove(args, { tty: true, stdin, ...answers });
    expect([code, stderr]).toEqual([2, expect.stringContaining(`then add ${flags}.`)]);
    expect(await left()).toEqual([ADA, CHARLES, GRACE]);
  });
});

describe("What became of them", () => {
  it("is told one by one, and exit code 6 says that some failed", async () => {
    const fetch = withFaults((id) => (id === CHARLES ? broken() : undefined));
    const run = (...more: string[]): Promise<CliResult> => remove([ADA, CHARLES, NOBODY, "--yes", ...more], { fetch });
    const { code, stdout, stderr } = await run("--output", "ndjson");
    expect([code, stderr]).toEqual([
      6,
      "Deleting from http://acme.localhost:7820 (SVC_BASE_URL)\n✗ 1 of 3 deleted, 1 was already deleted, 1 failed.\n",
    ]);
    const lines = stdout
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as { id: string });
    expect(lines.toSorted((a, b) => (a.id < b.id ? -1 : 1))).toEqual([
      { id: ADA, outcome: "deleted" },
      { id: CHARLES, outcome: "failed", code: "internal", error: "Internal error" },
      { id: NOBODY, outcome: "gone" },
    ]);
    const again = await run("--json");
    expect([again.code, JSON.parse(again.stdout)]).toEqual([
      6,
      {
        deleted: [],
        gone: expect.arrayContaining([ADA, NOBODY]) as string[],
        failed: [{ id: CHARLES, code: "internal", error: "Internal error" }],
        unknown: [],
        not_attempted: [],
      },
    ]);
  });

  it("is a table of those that need another look, to a person", async () => {
    const fetch = withFaults((id) => (id === CHARLES ? broken() : undefined));
    const options = { fetch, tty: true, env: { NO_COLOR: "1" } };
    const { stdout } = await remove([ADA, CHARLES, "--yes"], options);
    expect(stdout.split("\n")).toEqual([`ID${" ".repeat(36)}OUTCOME  WHY`, `${CHARLES}  failed   Internal error`, ""]);
  });

  it.each<[what: string, fault: () => Response | Error, exit: number, outcome: string]>([
    ["the key is refused", () => new Response('{"error":"Unauthorized"}', { status: 401 }), 4, "failed"],
    ["the connection breaks", () => Object.assign(new Error("x"), { code: "ECONNRESET" }), 7, "unknown"],
  ])("is not tried any further where %s", async (_, fault, exit, outcome) => {
    await many(20);
    const fetch = withFaults((_id, count) => (count < 5 ? undefined : fault()));
    const args = ["--query", AT_ACME, "--yes", "--expect", "20", "--concurrency", "1", "--output", "ndjson"];
    const { code, stdout, stderr } = await remove(args, { fetch });
    const outcomes = stdout
      .trimEnd()
      .split("\n")
      .map((line) => (JSON.parse(line) as { outcome: string }).outcome);
    expect([code, outcomes]).toEqual([
      exit,
      [...Array<string>(5).fill("deleted"), outcome, ...Array<string>(14).fill("not_attempted")],
    ]);
    expect(stderr).toContain("5 of 20 deleted");
    expect(await left()).toHaveLength(15);
  });

  it.each<[signal: "SIGINT" | "SIGTERM", exit: number]>([
    ["SIGINT", 130],
    ["SIGTERM", 143],
  ])("is complete after %s: what was begun is waited for, what was not is named", async (signal, exit) => {
    await many(20);
    let interrupt!: () => void;
    const untilSignal = new Promise<typeof signal>((resolve) => (interrupt = () => resolve(signal)));
    const fetch = withFaults((_, count) => {
      if (count === 5) interrupt();
      return undefined;
    });
    const context = { ...createContext({ service, fetch, cwd }), untilSignal: () => untilSignal };
    const argv = ["users", "delete", "--query", AT_ACME, "--yes", "--expect", "20", "--json", "--receipt", "r"];
    expect(await main(argv, context)).toBe(exit);
    const { deleted, not_attempted, unknown } = JSON.parse(context.written.stdout) as Record<string, string[]>;
    expect([deleted!.length + not_attempted!.length, unknown]).toEqual([20, []]);
    expect(not_attempted!.length).toBeGreaterThan(0);
    expect(await left()).toEqual(not_attempted!.toSorted());
    expect(JSON.parse(context.written.stderr.trimEnd().split("\n").at(-1)!)).toMatchObject({
      error: {
        exitCode: exit,
        message: expect.stringMatching(/^Interrupted\. \d+ of 20 deleted, \d+ were not attempted\.$/) as string,
      },
    });
    const recorded = (await readFile(join(cwd, "r"), "utf8")).trimEnd().split("\n");
    expect(recorded.filter((line) => !line.includes('"deleting"'))).toHaveLength(20);
  });

  it.each([1, 4, 32])("never takes more than --concurrency %i at the same time", async (concurrency) => {
    await many(40);
    let running = 0;
    let most = 0;
    const fetch: Fetch = async (url, init) => {
      most = Math.max(most, ++running);
      await new Promise((resolve) => setImmediate(resolve));
      running--;
      return (await service.fetch(url, init as RequestInit)) as Awaited<ReturnType<Fetch>>;
    };
    const args = ["--query", AT_ACME, "--yes", "--expect", "40", "--concurrency", String(concurrency)];
    expect((await remove(args, { fetch })).code).toBe(0);
    expect(most).toBe(concurrency);
  });

  it.each<[tty: CliOptions["tty"], env: Record<string, string>, isShown: boolean]>([
    [["stderr"], {}, true],
    [["stdout"], {}, false],
    [["stderr"], { CI: "1" }, false],
    [["stderr"], { TERM: "dumb" }, false],
  ])("is shown by a bar with %j and %j: %s", async (tty, env, isShown) => {
    await many(3);
    const { stderr } = await remove([idOf(0), idOf(1), idOf(2), "--yes"], { tty: tty!, env });
    expect(stderr.includes("] 3 of 3")).toBe(isShown);
  });
});

describe("--receipt", () => {
  it("is a line of JSON for each, in a file that only its owner reads", async () => {
    const { code } = await remove([ADA, NOBODY, "--yes", "--receipt", "done.ndjson", "--concurrency", "1"]);
    const path = join(cwd, "done.ndjson");
    const line = (rest: object): object => ({
      time: "2026-06-01T12:00:00.000Z",
      service: "http://acme.localhost:7820",
      ...rest,
    });
    const ada = { id: ADA, email: "ada@acme.test" };
    const lines = (await readFile(path, "utf8")).trimEnd().split("\n");
    expect([code, lines.map((text) => JSON.parse(text) as object)]).toEqual([
      0,
      [
        line({ ...ada, outcome: "deleting" }),
        line({ ...ada, outcome: "deleted" }),
        line({ id: NOBODY, outcome: "deleting" }),
        line({ id: NOBODY, outcome: "gone" }),
      ],
    ]);
    if (process.platform !== "win32") expect((await stat(path)).mode & 0o777).toBe(0o600);
  });

  it("is written for one, too, whatever became of it", async () => {
    expect((await remove([NOBODY, "--yes", "--receipt", "one"])).code).toBe(3);
    expect(await readFile(join(cwd, "one"), "utf8")).toMatch(/"outcome":"deleting"\}\n.*"outcome":"gone"\}\n$/);
  });

  it("never takes the place of another file, and nobody is deleted without it", async () => {
    await writeFile(join(cwd, "done"), "old");
    for (const path of ["done", "no/such/directory"]) {
      const { code, stderr } = await remove([ADA, CHARLES, "--yes", "--receipt", path]);
      expect([code, stderr]).toEqual([8, expect.stringContaining("No users were deleted.")]);
    }
    expect([await readFile(join(cwd, "done"), "utf8"), await left()]).toEqual(["old", [ADA, CHARLES, GRACE]]);
  });
});

describe("A pipe from a search", () => {
  it("deletes whom the search has found", async () => {
    const found = await runCli(["users", "search", AT_ACME, "--output", "ids"], { service });
    const { code } = await remove(["-", "--yes", "--expect", "2"], { stdin: found.stdout });
    expect([code, await left()]).toEqual([0, [GRACE]]);
  });
});
