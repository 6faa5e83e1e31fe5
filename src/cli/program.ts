import { Command } from "commander";
import { EXIT } from "./errors.ts";

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
