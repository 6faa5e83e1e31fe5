import { beforeEach, describe, expect, it } from "vitest";
import { writeRunning } from "../_server-file.ts";
import { home, run as runAtHome, useHome } from "../_cli-home.ts";
import { runCli, type CliResult } from "../_cli.ts";
import { ADA, FRONT, setup, START, type Service } from "../_setup.ts";
import { SESSION_PROVIDERS } from "../../src/wire/providers.ts";

useHome();
let service: Service;

beforeEach(async () => {
  service = await setup();
});

const run = (line: string, ...more: string[]): Promise<CliResult> => runCli([...line.split(" "), ...more], { service });
const queryOf = ({ requests }: CliResult): string | null => new URL(requests[0]!.url).searchParams.get("query");

describe("A flag with a value that cannot be meant is refused, in a pipe as well:", () => {
  it.each([
    ["--user 00000000", '--user: "00000000" is not a user id or e-mail address.', "svc users search"],
    ["--provider gitub", '--provider: unknown provider "gitub".', `Use one of ${SESSION_PROVIDERS.join(", ")}.`],
    ["--since 7d --until 30d", "--since 7d beside --until 30d would find", "--since 30d --until 7d"],
    ["--since 2026-02-02 --until 2026-02-01", "--since 2026-02-02 beside --until 2026-02-01", "For a period"],
    ["--since 2026-05-01 --until 2026-03-01 --since 2026-04-01", "beside --until 2026-03-01", "For a period"],
  ])("%s", async (flags, message, hint) => {
    const { code, stdout, stderr, requests } = await run(`sessions search ${flags} --count`);
    expect([code, stdout, requests]).toEqual([2, "", []]);
    expect(stderr).toContain(message);
    expect(stderr).toContain(hint);
  });

  it.each([
    [`--user ${ADA}`, `user_id:${ADA}`],
    ["--provider password", "provider:password"],
    ["--since 2026-01-01 --until 2026-01-01", "last_signin_at>=2026-01-01 last_signin_at<2026-01-02"],
    [
      "--since 2026-04-01 --until 2026-03-01 --since 2026-01-01",
      "last_signin_at>=2026-01-01 last_signin_at<2026-03-02",
    ],
  ])("but not %s", async (flags, query) => {
    const result = await run(`sessions search ${flags}`);
    expect([result.code, queryOf(result)]).toEqual([0, query]);
  });
});

describe("--since", () => {
  it("takes the durations of svc dev clock advance, and weeks", async () => {
    for (const [text, minutes] of [
      ["1h30m", 90],
      ["2w", 20_160],
      ["1d12h", 2160],
    ] as const) {
      const since = new Date(START.getTime() - minutes * 60_000).toISOString();
      expect(queryOf(await run(`users search --since ${text}`))).toBe(`created_at>=${since}`);
    }
  });

  it.each(["1 week", "last week", "2026-01-31 12:00"])("says what a time looks like for %j", async (text) => {
    const { code, stderr } = await run("users search", "--since", text);
    expect([code, stderr]).toEqual([
      2,
      expect.stringContaining(`--since: "${text}" is not a time.\n  Write 2026-01-31`),
    ]);
  });
});

describe("A word after svc users list", () => {
  it.each([
    ["ada", "svc users search --name ada"],
    ["ada@acme.test", "svc users search --email ada@acme.test"],
    ["email:*@acme.test", "svc users search 'email:*@acme.test'"],
  ])("%s is refused with a search for it that works", async (word, search) => {
    const { code, stderr } = await run(`users list ${word} --json`);
    expect([code, stderr]).toEqual([2, expect.stringContaining(`To search: ${search}`)]);
    const [, ...argv] = search.replaceAll("'", "").split(" ");
    expect((await run(argv.join(" "), "--count")).stdout).not.toBe("0\n");
  });
});

describe("--instance", () => {
  it("that is empty is refused as every empty flag is", async () => {
    const instances = [{ ...service.acme, url: "http://acme.localhost:7820" }];
    await writeRunning(home, { url: FRONT, api_url: FRONT, instances });
    for (const argv of [["users", "list"], ["env"]]) {
      const { code, stderr } = await runAtHome([...argv, "--instance", ""]);
      expect([code, stderr]).toEqual([2, "✗ --instance is empty.\n  Check that the variable is set.\n"]);
    }
  });
});
