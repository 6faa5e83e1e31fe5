// Below the faces: every command of the tree, at five widths.
import { describe, expect, it } from "vitest";
import type { Command } from "commander";
import { createProgram } from "../../src/cli/create-program.ts";
import { helpOf } from "../../src/cli/command.ts";
import { wrap } from "../../src/cli/help/layout.ts";
import { createContext, runCli } from "../_cli.ts";

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

  it("keeps the descriptions of options below themselves on a narrow terminal", async () => {
    const { stdout } = await runCli(["users", "search", "--help"], { tty: true, columns: 60 });
    expect(stdout).toContain(
      ["  --until <time>           created until then, that day or", "                           month included"].join(
        "\n",
      ),
    );
  });

  it.each(["query", "output", "environment", "exit-codes"])("about %s fits a terminal of 60 columns", async (topic) => {
    const { stdout } = await runCli(["help", topic], { tty: true, columns: 60 });
    const long = stdout.split("\n").filter((line) => line.length > 60);
    expect(long.filter((line) => !/^ {2}(?:svc |\{)/.test(line))).toEqual([]);
  });
});

describe("wrap", () => {
  it("joins the lines of a paragraph, breaks it at spaces, and keeps paragraphs apart", () => {
    expect(wrap("one two\nthree four five\n\nsix", 13)).toBe("one two three\nfour five\n\nsix");
  });

  it("breaks the second column of a row, and no other indented line", () => {
    expect(wrap("See:\n  svc users list --all\nand\n  a  one two", 12)).toBe(
      "See:\n  svc users list --all\nand\n  a  one two",
    );
    expect(wrap("  name  one two three", 16)).toBe("  name  one two\n        three");
  });

  it("leaves a word whole that is longer than a line", () => {
    expect(wrap("a https://example.com/long b", 10)).toBe("a\nhttps://example.com/long\nb");
  });
});
