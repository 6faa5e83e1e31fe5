import type { Command } from "commander";
import { helpOf } from "../command.ts";

/** A command and all below it, as data. */
export interface CommandMap {
  /** As it is typed, e.g. `svc users get`. */
  readonly command: string;
  readonly description: string;
  readonly usage: string;
  readonly arguments: readonly {
    readonly name: string;
    readonly description: string;
    readonly required: boolean;
    readonly variadic: boolean;
    readonly choices: readonly string[] | null;
  }[];
  readonly options: readonly {
    readonly flags: string;
    readonly description: string;
    readonly takes_value: boolean;
    readonly choices: readonly string[] | null;
    readonly default: unknown;
  }[];
  readonly examples: readonly { readonly command: string; readonly description: string }[];
  readonly exit_codes: readonly number[];
  readonly notes: string | null;
  readonly commands: readonly CommandMap[];
}

/** Without commands and options that are hidden. */
export function commandMap(command: Command): CommandMap {
  const help = command.createHelp();
  const path = commandPath(command);
  const told = helpOf(command);
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
    options: help.visibleOptions(command).map((option) => ({
      flags: option.flags,
      description: option.description,
      takes_value: option.required || option.optional,
      choices: option.argChoices ?? null,
      default: option.defaultValue ?? null,
    })),
    examples: (told?.examples ?? []).map(([example, description]) => ({ command: example, description })),
    exit_codes: told?.exits ?? [],
    notes: told?.notes ?? null,
    commands: subcommands(command).map(commandMap),
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
