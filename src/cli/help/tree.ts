import type { Command, Option } from "commander";
import { commandPath } from "../command-names.ts";
import { helpOf } from "../command.ts";

/** A command and all below it, as data. */
export interface CommandMap extends ReturnType<typeof described> {
  readonly commands: readonly CommandMap[];
}

/** Without commands and options that are hidden. */
export function commandMap(command: Command): CommandMap {
  return { ...described(command), commands: subcommands(command).map(commandMap) };
}

function described(command: Command) {
  const path = commandPath(command);
  const { examples = [], notes } = helpOf(command) ?? {};
  return {
    command: path,
    description: command.description(),
    usage: `${path} ${command.usage()}`,
    arguments: command.registeredArguments.map((argument) => ({
      name: argument.name(),
      description: argument.description,
      required: argument.required,
      variadic: argument.variadic,
      choices: argument.argChoices ?? null,
    })),
    options: command
      .createHelp()
      .visibleOptions(command)
      .map(({ flags, description, required, optional, argChoices, defaultValue }) => ({
        flags,
        description,
        takes_value: required || optional,
        choices: argChoices ?? null,
        default: (defaultValue as unknown) ?? null,
      })),
    examples: examples.map(([example, description]) => ({ command: example, description })),
    notes: notes ?? null,
  };
}

/** Those that help shows, without the `help` that every group has of itself. */
export function subcommands(command: Command): Command[] {
  const own = new Set(command.commands);
  return command
    .createHelp()
    .visibleCommands(command)
    .filter((child) => own.has(child));
}

/** Where the words of a line lead to in the tree of commands. */
export interface Place {
  readonly command: Command;
  /** Its arguments. */
  readonly operands: readonly string[];
  /** All words but those that name the command. */
  readonly rest: readonly string[];
  /** The last word, if it is an option whose value is missing. */
  readonly pending: Option | undefined;
}

export function walk(program: Command, words: readonly string[]): Place {
  let command = program;
  let pending: Option | undefined;
  const operands: string[] = [];
  const rest: string[] = [];
  for (const word of words) {
    const [, flag = word, value] = /^(--[\w-]+)=(.*)$/s.exec(word) ?? [];
    const option = optionsOf(command).find(({ long, short }) => long === flag || short === flag);
    const child = pending || word.startsWith("-") || operands.length > 0 ? undefined : childOf(command, word);
    if (child) {
      command = child;
      continue;
    }
    rest.push(word);
    if (pending) pending = undefined;
    else if (word.startsWith("-")) pending = value === undefined && option?.required ? option : undefined;
    else operands.push(word);
  }
  return { command, operands, rest, pending };
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
