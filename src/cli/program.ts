import { Command } from "commander";
import { EXIT } from "./exit-codes.ts";

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
