/** What a command is made of: its flags, its help, and what it does. */
import { Command } from "commander";
import { EXIT, EXIT_MEANINGS, type ExitCode } from "./exit-codes.ts";
import type { OutputFlags } from "./output/flags.ts";

/** The flags that choose a service. */
export interface TargetFlags {
  readonly profile?: string;
  readonly instance?: string;
  readonly baseUrl?: string;
  readonly apiUrl?: string;
}

/** The flags that every command takes. */
export interface GlobalFlags extends TargetFlags, OutputFlags {
  /** Seconds. Commands have it in their environment, as `SVC_TIMEOUT`. */
  readonly timeout?: string;
}

/** The root command, which also carries the exit code that a command leaves. */
export class Program extends Command {
  exitCode: number = EXIT.done;
  /** Only the commands that were asked for are loaded; this makes a program with others, by their names. */
  readonly having: (isWanted: (name: string) => boolean) => Promise<Program>;

  constructor(name: string, having: Program["having"]) {
    super(name);
    this.having = having;
  }
}

/** Lets an option be given several times. */
export function collect(value: string, before: readonly string[] = []): string[] {
  return [...before, value];
}

/**
 * Says what a command does.
 * @param run is given all flags, the program's among them, and the arguments; what it returns is the exit code
 */
export function runs(command: Command, run: (options: never, ...given: never[]) => Promise<number | void>): void {
  command.action(async (...given: unknown[]) => {
    const exitCode = await run(command.optsWithGlobals() as never, ...(given.slice(0, -2) as never[]));
    let program: Command = command;
    while (program.parent) program = program.parent;
    if (typeof exitCode === "number" && program instanceof Program) program.exitCode = exitCode;
  });
}

/** What a command's help says beside its arguments and options. */
export interface CommandHelp {
  /** Whole commands, quoted so that every shell passes them on as they stand, and what each does. */
  readonly examples: readonly (readonly [command: string, what: string])[];
  /** Every exit code of the command, including 2 and, if it asks a service, 1, 4 and 7. */
  readonly exits: readonly ExitCode[];
  readonly notes?: string;
}

/** As wide as commander's own text when the output is not a terminal. */
const WIDTH = 80;

const HELP = new WeakMap<Command, CommandHelp>();

/** Makes a command's help lead with examples and end with exit codes. @returns the command */
export function withHelp(command: Command, help: CommandHelp): Command {
  HELP.set(command, { ...help, exits: help.exits.toSorted((a, b) => a - b) });
  // Below the description, and above the lists of arguments and options. Subcommands inherit the setting.
  command.configureHelp({
    ...command.configureHelp(),
    showGlobalOptions: true,
    commandDescription: (shown) => [shown.description(), examplesOf(shown)].filter(Boolean).join("\n\n"),
  });
  return command.addHelpText("after", () => `\n${help.notes ? `${help.notes}\n\n` : ""}${exitsOf(HELP.get(command)!)}`);
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
