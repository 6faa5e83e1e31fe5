// Below the faces: what the help must name is in tables, and every command is in a tree.
import { readdir, readFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import type { Command } from "commander";
import { helpOf } from "../../src/cli/command.ts";
import { createProgram } from "../../src/cli/create-program.ts";
import { EXIT } from "../../src/cli/errors.ts";
import { ENVIRONMENT } from "../../src/cli/help/environment.ts";
import { MISSING_COMMANDS } from "../../src/cli/help/guesses.ts";
import { asRun } from "../../src/cli/output/text.ts";
import { SESSION_COLUMNS, USER_COLUMNS } from "../../src/cli/list/columns.ts";
import { enumerated } from "../../src/text/suggestion.ts";
import { createContext, runCli } from "../_cli.ts";
import { commandPaths, everyCommand } from "../_every-command.ts";
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

  it("of every command that does something has examples", async () => {
    const without = (await everyCommand()).filter(({ help }) => !/^(?:Examples|Commands|Start here)/m.test(help));
    expect(without.map(({ path }) => path.join(" "))).toEqual([]);
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

  it("names every environment variable that svc reads", async () => {
    const read = new Set<string>();
    for (const file of await readdir(new URL("../../src/cli", import.meta.url), { recursive: true })) {
      if (!file.endsWith(".ts") || file === "help/topics.ts") continue;
      const source = await readFile(new URL(`../../src/cli/${file}`, import.meta.url), "utf8");
      for (const [, name] of source.matchAll(/(?:env\[|variable\(|checkPort\(env\[)"(SVC_\w+)"/g)) read.add(name!);
    }
    const { stdout } = await runCli(["help", "environment"]);
    expect([...read].filter((name) => !stdout.includes(name))).toEqual([]);
    expect(read.size).toBeGreaterThan(10);
    expect(Object.keys(ENVIRONMENT).every((name) => stdout.includes(name))).toBe(true);
  });
});

/** The help of every command on a terminal of that width, or in a pipe. */
async function everyHelp(columns: number, tty = true): Promise<{ command: Command; lines: string[] }[]> {
  const program = await createProgram({ ...createContext({ tty, columns }), env: {} }, "1.0.0", () => true);
  const all = (command: Command): Command[] => [command, ...command.commands.flatMap(all)];
  return all(program).map((command) => ({ command, lines: command.helpInformation().split("\n") }));
}

describe("Help", () => {
  it.each([
    [40, 60],
    [60, 60],
    [80, 80],
    [99, 99],
    [160, 100],
  ])("on a terminal of %i columns has at most %i, except in commands to copy", async (columns, widest) => {
    const helps = await everyHelp(columns);
    expect(helps.length).toBeGreaterThan(60);
    const long = helps.flatMap(({ lines }) => lines.filter((line) => line.length > widest));
    expect(long.filter((line) => !/^ {2}(?:\S+ .*\| )?svc /.test(line))).toEqual([]);
    const longest = Math.max(...helps.flatMap(({ lines }) => lines.map(({ length }) => length)));
    expect(longest).toBeGreaterThan(widest - 5);
  });

  it("in a pipe has the same 80 columns whatever the terminal is", async () => {
    const wide = await everyHelp(160, false);
    expect(wide.map(({ lines }) => lines)).toEqual((await everyHelp(80)).map(({ lines }) => lines));
  });

  it.each([60, 80, 100])("at %i columns breaks no example", async (columns) => {
    for (const { command, lines } of await everyHelp(columns))
      for (const [example, what] of helpOf(command)?.examples ?? []) {
        const at = lines.findIndex((line) => line === `  ${example}` || line.startsWith(`  ${example}  `));
        expect([example, at > 0]).toEqual([example, true]);
        const end = lines.findIndex((line, i) => i > at && !line.startsWith("      "));
        const shown = [lines[at]!.slice(example.length + 2), ...lines.slice(at + 1, end)].map((line) => line.trim());
        expect(shown.filter(Boolean).join(" ")).toBe(what);
      }
  });

  it.each(["query", "output", "environment", "exit-codes"])("about %s fits a terminal of 60 columns", async (topic) => {
    const { stdout } = await runCli(["help", topic], { tty: true, columns: 60 });
    const long = stdout.split("\n").filter((line) => line.length > 60);
    expect(long.filter((line) => !/^ {2}(?:svc |\{)/.test(line))).toEqual([]);
  });
});

it("Every guess is of a command that does not exist, and names commands that do", async () => {
  const paths = new Set(await commandPaths());
  const wrong = MISSING_COMMANDS.flatMap(([words, hint]) => {
    const [last = "", ...before] = words.split(" ").toReversed();
    const guessed = last.split("|").map((word) => ["svc", ...before, word].join(" "));
    const named = [...hint.matchAll(/\bsvc [a-z][a-z-]*(?: [a-z][a-z-]*(?=[ ,;.]|$))?/g)].map(([command]) => command);
    const unknown = named.filter((one) => !paths.has(one) && !paths.has(one.split(" ").slice(0, 2).join(" ")));
    return [...guessed.filter((one) => paths.has(one)), ...unknown];
  });
  expect(wrong).toEqual([]);
});

it("No help mentions `npx svc`, which is another package", async () => {
  for (const { help } of await everyCommand()) expect(help).not.toContain("npx svc ");
});

describe("In a shell of npx", () => {
  const NPX = { env: { npm_command: "exec" } };

  it("every command is named as npx runs it", async () => {
    const commands = (await commandPaths()).filter((path) => path.split(" ").length === 2);
    expect(commands.length).toBeGreaterThan(20);
    expect(commands.map((command) => asRun(`Run: ${command}`, NPX))).toEqual(
      commands.map((command) => `Run: ${command.replace("svc", "npx svc-identity")}`),
    );
  });

  it.each([
    "What svc acknowledges can be lost.",
    "/tmp/x is not an svc store.",
    "svc and browsers do.",
    "the schema svc contains x",
  ])("the name of the program is left alone: %s", (sentence) => expect(asRun(sentence, NPX)).toBe(sentence));
});
