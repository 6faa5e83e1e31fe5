/** What a command is made of: its flags, its help, and what it does. */
import { type TargetFlags, choicesOf } from "./choices.ts";
import { Command } from "commander";
import type { Context, Surroundings } from "./context.ts";
import { EXIT } from "./errors.ts";
import { declareNeeds, needsOf, type Declared } from "./needs.ts";
import type { OutputFlags } from "./output/flags.ts";

/** The flags that every command takes. */
export interface GlobalFlags extends TargetFlags, OutputFlags {
  /** Seconds, as a number. Commands have it in their environment, as `SVC_TIMEOUT`. */
  readonly timeout?: string;
}

/** Those and the flags of one command, in camel case: what takes a value, and switches. */
export type Flags<Value extends string, Switch extends string = never> = GlobalFlags &
  Readonly<Partial<Record<Value, string> & Record<Switch, boolean>>>;

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

export function programOf(command: Command): Command {
  return command.parent ? programOf(command.parent) : command;
}

/** What a command's help says beside its arguments and options. */
export interface CommandHelp {
  /** Whole commands, quoted so that every shell passes them on as they stand, and what each does. */
  readonly examples?: readonly (readonly [command: string, what: string])[];
  /** Paragraphs. They are wrapped; an indented line, such as a command, stays whole. */
  readonly notes?: string;
}

const HELP = new WeakMap<Command, CommandHelp>();

/** Says what a command's help has. @returns the command */
export function withHelp(command: Command, help: CommandHelp): Command {
  HELP.set(command, help);
  return command;
}

export function helpOf(command: Command): CommandHelp | undefined {
  return HELP.get(command);
}

/**
 * Says what a command acts on, what it does, and what its help has.
 * @param run is given all flags, the program's among them, and the arguments; what it returns is the exit code
 */
export function runs(
  command: Command,
  context: Surroundings,
  needs: Declared,
  run: (context: Context, options: never, ...given: never[]) => Promise<number | void> | void,
  help?: CommandHelp,
): void {
  if (help) withHelp(command, help);
  declareNeeds(command, needs);
  command.action(async (...given: unknown[]) => {
    const options = command.optsWithGlobals();
    const exitCode = await run(
      { ...context, needs: needsOf(command)!, choices: choicesOf(context, options) },
      options as never,
      ...(given.slice(0, -2) as never[]),
    );
    const program = programOf(command);
    if (typeof exitCode === "number" && program instanceof Program) program.exitCode = exitCode;
  });
}
