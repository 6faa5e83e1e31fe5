import type { Command, Option } from "commander";

/** Where the words of a line lead to in the tree of commands. */
export interface Place {
  readonly command: Command;
  /** Its arguments. */
  readonly operands: readonly string[];
  /** The last word, if it is an option whose value is missing. */
  readonly pending: Option | undefined;
}

export function walk(program: Command, words: readonly string[]): Place {
  let command = program;
  let pending: Option | undefined;
  const operands: string[] = [];
  for (const word of words) {
    const [, flag = word, value] = /^(--[\w-]+)=(.*)$/s.exec(word) ?? [];
    const option = optionsOf(command).find(({ long, short }) => long === flag || short === flag);
    if (pending) {
      pending = undefined;
    } else if (word.startsWith("-")) {
      pending = value === undefined && option?.required ? option : undefined;
    } else {
      const child = operands.length === 0 ? childOf(command, word) : undefined;
      if (child) command = child;
      else operands.push(word);
    }
  }
  return { command, operands, pending };
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
