/** How help is laid out: as wide as the terminal within bounds, with no command broken in two. */
import { Help, type Command } from "commander";
import { helpOf, programOf } from "../command.ts";
import type { Stream } from "../context.ts";
import { EXIT_MEANINGS } from "../errors.ts";

/** Without a terminal. */
export const STANDARD_WIDTH = 80;
const MIN_WIDTH = 60;
/** Longer lines are hard to read. */
const MAX_WIDTH = 100;

/** How wide help is on a stream. */
export function helpWidth({ isTTY, columns = STANDARD_WIDTH }: Stream): number {
  return isTTY ? Math.min(Math.max(columns, MIN_WIDTH), MAX_WIDTH) : STANDARD_WIDTH;
}

/** Commander's layout, led by examples and ended by notes and exit codes. Subcommands inherit it. */
export const HELP_LAYOUT: Partial<Help> = {
  minWidthToWrap: 20,
  boxWrap: wrap,
  commandDescription(command) {
    return [command.description(), examplesOf(command, this.helpWidth)].filter(Boolean).join("\n\n");
  },
  formatHelp(command, helper) {
    const { notes, exits = [] } = helpOf(command) ?? {};
    const codes = exits.map((code) => hanging(`  ${String(code).padEnd(3)}  `, EXIT_MEANINGS[code], helper.helpWidth));
    return [
      Help.prototype.formatHelp.call(helper, command, helper),
      ...(command.parent === null ? [] : [`${globalOptions(command, helper.helpWidth)}\n`]),
      ...(notes === undefined ? [] : [`${wrap(notes, helper.helpWidth)}\n`]),
      ...(codes.length === 0 ? [] : ["Exit codes:", ...codes, ""]),
    ].join("\n");
  },
};

/**
 * Breaks paragraphs at spaces. In a row of two columns the second one is broken, and stays below itself; any other indented
 * line is left whole, because it may be a command to copy.
 */
export function wrap(text: string, width = STANDARD_WIDTH): string {
  const paragraphs = text.replace(/^(\S.*)\n(?=\S)/gm, "$1 ").split("\n");
  const broken = paragraphs.map((line) => {
    const first = /^(?: +\S.*? {2,}(?=\S))?/.exec(line)![0];
    return first === "" && line.startsWith(" ") ? line : hanging(first, line.slice(first.length), width);
  });
  return broken.join("\n");
}

/** A text with something before it, below which its other lines leave room. */
function hanging(first: string, text: string, width = STANDARD_WIDTH): string {
  const lines = [first];
  for (const word of text.split(" ")) {
    const line = lines.at(-1)!;
    const longer = line.length === first.length ? line + word : `${line} ${word}`;
    if (longer.length <= width || line.length === first.length) lines[lines.length - 1] = longer;
    else lines.push(" ".repeat(first.length) + word);
  }
  return lines.join("\n");
}

/** The global options, by name only: their descriptions would hide the command's own options. */
function globalOptions(command: Command, width = STANDARD_WIDTH): string {
  const flags = programOf(command)
    .options.filter(({ long }) => long !== "--version" && long !== "--help")
    .map((option) => option.flags.replace(" ", "\u00a0"));
  const text = wrap(`Global options: ${flags.join(", ")}. See svc\u00a0--help.`, width);
  return text.replaceAll("\u00a0", " ");
}

function examplesOf(command: Command, width = STANDARD_WIDTH): string | undefined {
  const examples = helpOf(command)?.examples ?? [];
  if (examples.length === 0) return undefined;
  // What does not fit beside its example goes below it.
  const fits = (line: string, what: string): boolean => line.length + what.length + 4 <= width;
  const longest = Math.max(0, ...examples.map(([line, what]) => (fits(line, what) ? line.length : 0)));
  const lines = examples.map(([line, what]) => {
    const padded = line.padEnd(longest);
    return fits(padded, what) ? `  ${padded}  ${what}` : `  ${line}\n${hanging("      ", what, width)}`;
  });
  return `Examples:\n${lines.join("\n")}`;
}
