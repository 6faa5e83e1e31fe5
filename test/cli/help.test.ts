// Below the faces: what the help must name is in tables.
import { describe, expect, it } from "vitest";
import { EXIT } from "../../src/cli/errors.ts";
import { SESSION_COLUMNS, USER_COLUMNS } from "../../src/cli/list/columns.ts";
import { enumerated } from "../../src/text/suggestion.ts";
import { commandPaths, everyCommand } from "../_every-command.ts";
import { runCli } from "../_cli.ts";
import { setup } from "../_setup.ts";

describe("svc help", () => {
  it("is printed on stdout for every command", async () => {
    const commands = await everyCommand();
    expect(commands.map(({ path }) => ["svc", ...path].join(" "))).toEqual(
      (await commandPaths()).filter((path) => path !== "svc help"),
    );
    expect(commands.length).toBeGreaterThan(35);
  });

  it("contains only search examples that work", async () => {
    const service = await setup();
    const commands = await everyCommand();
    const examples = commands.flatMap(
      ({ help }) => help.match(/(?<=^ {2}svc )(users|sessions) search .*?(?= {2}| \||$)/gm) ?? [],
    );
    expect(examples.length).toBeGreaterThanOrEqual(8);
    for (const example of examples) {
      const argv = (example.match(/'[^']*'|\S+/g) ?? []).map((word) => word.replaceAll("'", ""));
      expect([example, (await runCli(argv, { service })).code]).toEqual([example, 0]);
    }
  });

  it("lists every searchable field", async () => {
    const service = await setup();
    for (const noun of ["users", "sessions"]) {
      const { stderr } = await runCli([noun, "search", "nonsense:x"], { service });
      const { stdout } = await runCli([noun, "search", "--help"]);
      const fields = /Fields: (.*)$/m.exec(stderr)?.[1];
      expect(/Fields: ([^.]*)\./.exec(stdout)?.[1]?.replaceAll("\n", " ")).toBe(fields);
    }
  });

  it("says which fields are only shown, and which can only be searched for", async () => {
    const service = await setup();
    const { stdout } = await runCli(["help", "query"]);
    const lists = [USER_COLUMNS, SESSION_COLUMNS].map(({ noun, columns, searched }) => {
      const shown = columns.map(({ name }) => name);
      const fields = Object.keys(searched!);
      const without = (names: string[], others: string[]): string[] => names.filter((name) => !others.includes(name));
      return { noun, onlySearched: without(fields, shown), onlyShown: without(shown, fields) };
    });
    const told = (names: "onlySearched" | "onlyShown"): string =>
      lists.map((list) => `${enumerated(list[names], "and")} of ${list.noun},`).join(" and ");
    expect(stdout.replaceAll("\n", " ")).toContain(
      `${told("onlySearched")} are not shown. ${told("onlyShown")} can't be searched for.`,
    );
    for (const { noun, onlyShown } of lists)
      for (const name of onlyShown) {
        const { code, stderr } = await runCli([noun, "search", `${name}:x`], { service });
        expect([code, stderr]).toEqual([2, expect.stringContaining("It is shown, but can't be searched for. Use: ")]);
      }
  });

  it("of svc itself fits a terminal of 80 columns and 30 lines", async () => {
    const { stdout } = await runCli(["--help"], { tty: true, columns: 80 });
    const lines = stdout.trimEnd().split("\n");
    expect([lines.length <= 30, lines.filter((line) => line.length > 80)]).toEqual([true, []]);
  });

  it("of every command has at most 45 lines and four examples, and no exit codes", async () => {
    for (const { path, help } of await everyCommand()) {
      expect([path, help.trimEnd().split("\n").length <= 45, help.includes("Exit codes")]).toEqual([path, true, false]);
      expect([path, (help.match(/^ {2}svc /gm) ?? []).length <= 6]).toEqual([path, true]);
    }
  });

  it("of exit codes has all of them, and of options every global one", async () => {
    const codes = (await runCli(["help", "exit-codes"])).stdout;
    for (const code of Object.values(EXIT)) expect(codes).toMatch(new RegExp(`^  ${code} `, "m"));
    const options = (await runCli(["help", "options"])).stdout;
    for (const flag of ["--json", "--timeout", "--retries", "--wait", "--insecure", "--utc", "--bom"])
      expect(options).toContain(`  ${flag}`);
  });

  it("names every command and topic once where there is none of a name", async () => {
    const { code, stderr } = await runCli(["help", "nope"]);
    const names = /commands: (.*)\./.exec(stderr)![1]!.split(", ");
    expect([code, names.toSorted()]).toEqual([2, [...new Set(names)].toSorted()]);
    expect(names).toContain("query");
  });

  it.each([[[]], [["users"]], [["dev", "snapshot"]]])("is printed where no command is given: svc %j", async (argv) => {
    const help = await runCli([...argv, "--help"]);
    expect(await runCli(argv)).toMatchObject({ code: 0, stdout: help.stdout, stderr: "" });
  });
});
