import type { Command, Option } from "commander";
import type { TargetFlags } from "../command.ts";

/** Where the words of a line lead to in the tree of commands. */
export interface Place {
  readonly command: Command;
  /** Its arguments. */
  readonly operands: readonly string[];
  /** The last word, if it is an option whose value is missing. */
  readonly pending: Option | undefined;
  /** The values of options. */
  readonly given: Readonly<Record<string, string>> & TargetFlags;
}

export function walk(program: Command, words: readonly string[]): Place {
  let command = program;
  let pending: Option | undefined;
  const operands: string[] = [];
  const given: Record<string, string> = {};
  for (const word of words) {
    const [, flag = word, value] = /^(--[\w-]+)=(.*)$/s.exec(word) ?? [];
    const option = optionsOf(command).find(({ long, short }) => long === flag || short === flag);
    if (pending) {
      given[pending.attributeName()] = word;
      pending = undefined;
    } else if (word.startsWith("-")) {
      if (value === undefined) pending = option?.required ? option : undefined;
      else if (option) given[option.attributeName()] = value;
    } else {
      const child = operands.length === 0 ? childOf(command, word) : undefined;
      if (child) command = child;
      else operands.push(word);
    }
  }
  return { command, operands, pending, given };
}

/** The subcommand with a name or an alias. */
export function childOf(command: Command, word: string): Command | undefined {
  return command.commands.find((one) => one.name() === word || one.aliases().includes(word));
}

/** A command's own options, and those that it has of the commands above it. */
export function optionsOf(command: Command): Option[] {
  const own = command.createHelp().visibleOptions(command);
  return command.parent ? [...own, ...optionsOf(command.parent).filter(({ long }) => long !== "--version")] : own;
}
