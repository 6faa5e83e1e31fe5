import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { runCli, type CliOptions, type CliResult } from "../_cli.ts";
import { svc, server, useDevServer } from "../_dev-server.ts";
import { temporaryDirectory } from "../_files.ts";
import { ADA, NOBODY, setup, type Service } from "../_setup.ts";

const CHARLES = "00000000-0000-4000-8000-0000000000a2";
let service: Service;

beforeEach(async () => {
  service = await setup();
});

function get(args: readonly string[], options: CliOptions = {}): Promise<CliResult> {
  return runCli(["users", "get", ...args], { service, ...options });
}

const idsOf = ({ stdout }: CliResult): string[] =>
  stdout.split("\n").flatMap((line) => (line === "" ? [] : [line.split("\t")[0]!]));

describe("svc users get of a list", () => {
  const LIST = `\ufeff ADA@acme.test \r\n\r\n${CHARLES.toUpperCase()}\ngone@acme.test\nada@acme.test\n`;

  it.each<[what: string, args: string[], options: CliOptions]>([
    ["standard input", ["-"], { stdin: LIST }],
    ["a file", ["--file", "list.txt"], {}],
    ["arguments", ["mailto:ada@acme.test", CHARLES, "gone@acme.test"], {}],
  ])("from %s prints one row each, and names those that were not found", async (_, args, options) => {
    const cwd = temporaryDirectory();
    await writeFile(join(cwd, "list.txt"), LIST);
    const found = await get(args, { ...options, cwd });
    expect([found.code, idsOf(found)]).toEqual([0, [ADA, CHARLES]]);
    expect(found.stderr).toBe("1 of 3 not found: gone@acme.test.\n");
    const json = await get([...args, "--json"], { ...options, cwd });
    expect(JSON.parse(json.stdout)).toMatchObject([{ id: ADA }, { id: CHARLES }]);
  });

  it("reads a column of a spreadsheet", async () => {
    const stdin = 'name;E-Mail\n"Lovelace; Ada";ada@acme.test\n';
    expect(idsOf(await get(["-", "--column", "e-mail"], { stdin }))).toEqual([ADA]);
  });

  it("ends with 3 only if none is found", async () => {
    const { code, stdout, stderr } = await get([NOBODY, "gone@acme.test"]);
    expect([code, stdout, stderr]).toEqual([3, "", `2 of 2 not found: ${NOBODY}, gone@acme.test.\n`]);
  });

  it("is looked up a hundred at a time", async () => {
    const stdin = Array.from({ length: 250 }, (_, i) => `u${i}@acme.test`).join("\n");
    expect((await get(["-"], { stdin })).requests).toHaveLength(3);
  });

  it.each<[args: string[], options: CliOptions, message: string]>([
    [[], {}, "No users given."],
    [["-"], { stdin: "\n" }, "No users on standard input."],
    [["-"], { stdin: "ada@acme.test,Ada\n" }, 'Line 1 of standard input: "ada@acme.test,Ada" is not a user id'],
    [["Ada"], {}, "svc users search --name Ada"],
    [["--column", "email"], {}, "--column needs a spreadsheet."],
  ])("%j %j is refused", async (args, options, message) => {
    const { code, stdout, stderr, requests } = await get(args, options);
    expect([code, stdout, requests]).toEqual([2, "", []]);
    expect(stderr).toContain(message);
  });
});

it.each([" Ada <ADA@Acme.test> ", "mailto:ada@acme.test?subject=Hello", "<ada@acme.test>"])(
  "A pasted %j is the address",
  async (pasted) => {
    expect((await get([pasted, "--fields", "id"])).stdout).toContain(ADA);
    const found = await runCli(["users", "search", "--email", pasted], { service });
    expect(idsOf(found)).toEqual([ADA]);
  },
);

describe("On a terminal, svc users get", () => {
  useDevServer();

  it("shows the accounts at providers where the control API is known", async () => {
    const env = { SVC_BASE_URL: server.url, SVC_SECRET_KEY: server.instances[0]!.secret_key, NO_COLOR: "1" };
    const { code, stdout } = await svc("users get ada@acme.test", { env, tty: true });
    expect([code, stdout]).toEqual([0, expect.stringMatching(/^accounts +google \S+ \(ada@acme\.test\)/m)]);
  });

  it("says that the key alone can't see them", async () => {
    const { code, stdout, stderr } = await get(["ada@acme.test"], { tty: true });
    expect([code, stderr]).toEqual([0, ""]);
    expect(stdout).toContain("(only the control API shows them)\n");
  });
});
