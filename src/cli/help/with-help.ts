import type { Command } from "commander";
import { EXIT_MEANINGS, type ExitCode } from "../exit-codes.ts";

/** What a command's help says beside its arguments and options. */
export interface CommandHelp {
  /** Whole commands, quoted so that every shell passes them on as they stand, and what each does. */
  readonly examples: readonly (readonly [command: string, what: string])[];
  /** Those that the command itself can end with. 2 and, where it asks a service, 1, 4 and 7 have to be named as well. */
  readonly exits: readonly ExitCode[];
  readonly notes?: string;
}

/** As wide as commander's own text where there is no terminal. */
const WIDTH = 80;

const HELP = new WeakMap<Command, CommandHelp>();

/** Makes a command's help lead with examples and end with exit codes. @returns the command */
export function withHelp(command: Command, help: CommandHelp): Command {
  HELP.set(command, help);
  // Below the description, and above the lists of arguments and options. Subcommands inherit the setting.
  command.configureHelp({
    ...command.configureHelp(),
    showGlobalOptions: true,
    commandDescription: (shown) => [shown.description(), examplesOf(shown)].filter(Boolean).join("\n\n"),
  });
  return command.addHelpText("after", () => `\n${help.notes ? `${help.notes}\n\n` : ""}${exitsOf(help)}`);
}

/** What `withHelp` was told of a command. */
export function helpOf(command: Command): CommandHelp | undefined {
  return HELP.get(command);
}

function examplesOf(command: Command): string | undefined {
  const examples = HELP.get(command)?.examples ?? [];
  if (examples.length === 0) return undefined;
  // What does not fit beside its example goes below it.
  const isShort = ([line, what]: readonly [string, string]): boolean => line.length + what.length + 4 <= WIDTH;
  const width = Math.max(0, ...examples.filter(isShort).map(([line]) => line.length));
  const isBeside = ([line, what]: readonly [string, string]): boolean =>
    line.length <= width && width + what.length + 4 <= WIDTH;
  const lines = examples.map((example) => {
    const [line, what] = example;
    return isBeside(example) ? `  ${line.padEnd(width)}  ${what}` : `  ${line}\n      ${what}`;
  });
  return `Examples:\n${lines.join("\n")}`;
}

function exitsOf({ exits }: CommandHelp): string {
  return `Exit codes:\n${exits.map((code) => `  ${String(code).padEnd(3)}  ${EXIT_MEANINGS[code]}`).join("\n")}`;
}
