import { Command } from "commander";
import { EXIT } from "./errors.ts";

/** The root command, which also carries the exit code that a command leaves. */
export class Program extends Command {
  exitCode: number = EXIT.done;
  /** Only the commands that were asked for are loaded; this makes a program with all of them. */
  readonly whole: () => Promise<Program>;

  constructor(name: string, whole: () => Promise<Program>) {
    super(name);
    this.whole = whole;
  }
}
