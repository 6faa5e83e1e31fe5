import type { Command } from "commander";
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

/** As it is typed, e.g. `svc users get`. */
export function commandPath(command: Command): string {
  return command.parent ? `${commandPath(command.parent)} ${command.name()}` : command.name();
}

/** Those that help shows, without the `help` that every group has of itself. */
export function subcommands(command: Command): Command[] {
  const own = new Set(command.commands);
  return command
    .createHelp()
    .visibleCommands(command)
    .filter((child) => own.has(child));
}

/** A command and all below it that help shows. */
export function everyCommand(command: Command): Command[] {
  return [command, ...subcommands(command).flatMap(everyCommand)];
}
