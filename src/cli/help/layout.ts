/** How help is laid out: as wide as the terminal within bounds, with no command broken in two. */
import { Help, type Command } from "commander";
import { TOPIC_NAMES } from "../command-names.ts";
import { helpOf } from "../command.ts";
import type { Stream } from "../context.ts";
import { commandPath } from "../command-names.ts";
import { subcommands } from "./tree.ts";

/** Without a terminal. */
export const STANDARD_WIDTH = 80;
const MIN_WIDTH = 60;
/** Longer lines are hard to read. */
const MAX_WIDTH = 100;

/** How wide help is on a stream. */
export function helpWidth({ isTTY, columns = STANDARD_WIDTH }: Stream): number {
  return isTTY ? Math.min(Math.max(columns, MIN_WIDTH), MAX_WIDTH) : STANDARD_WIDTH;
}

/** Commander's layout, led by examples and ended by notes. Subcommands inherit it. */
export const HELP_LAYOUT: Partial<Help> = {
  minWidthToWrap: 20,
  boxWrap: wrap,
  commandUsage: (command) => `${commandPath(command)} ${command.usage()}`,
  subcommandTerm: (command) =>
    [
      command.name(),
      ...command.registeredArguments.map((one) => (one.required ? `<${one.name()}>` : `[${one.name()}]`)),
    ].join(" "),
  commandDescription(command) {
    return [command.description(), examplesOf(command, this.helpWidth)].filter(Boolean).join("\n\n");
  },
  formatHelp(command, helper) {
    if (command.parent === null) return firstScreen(command, helper.helpWidth);
    const { notes } = helpOf(command) ?? {};
    return [
      Help.prototype.formatHelp.call(helper, command, helper),
      wrap("Global options: --json, --output, --profile, --instance. More: svc help options", helper.helpWidth),
      "",
      ...(notes === undefined ? [] : [`${wrap(notes, helper.helpWidth)}\n`]),
    ].join("\n");
  },
};

/** The options that the first screen explains. */
const SHOWN = ["json", "output", "profile", "instance", "baseUrl"];

/** What `svc` prints: it fits on a terminal of 80 columns and 30 lines. */
function firstScreen(program: Command, width: number | undefined): string {
  const examples = helpOf(program)?.examples ?? [];
  const commands = subcommands(program);
  const headings = [...new Set(commands.map((command) => command.helpGroup()))];
  const namesBelow = (heading: string): string =>
    commands.flatMap((command) => (command.helpGroup() === heading ? [command.name()] : [])).join("  ");
  const options = program.options.filter((option) => SHOWN.includes(option.attributeName()));
  const rows = (pairs: readonly (readonly [string, string])[], column: number): string =>
    pairs.map(([name, what]) => `  ${name.padEnd(column)}  ${what}`).join("\n");
  return wrap(
    `${program.description()}

Usage: svc <command> [options]

Start here
${rows(examples, 28)}

Commands
${rows(
  headings.map((heading) => [heading, namesBelow(heading)]),
  16,
)}

Every command takes
${rows(
  options.map(({ flags, description }) => [flags, description]),
  19,
)}
${rows([["and", "--timeout, --retries, --wait, --insecure, --utc, --no-color"]], 19)}

Read more: svc help <command>, or: svc help ${TOPIC_NAMES.join(", ")}
`,
    width,
  );
}

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
