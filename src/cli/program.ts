import { Command } from "commander";
import { EXIT } from "./errors.ts";

/** The root command, which also carries the exit code that a command leaves. */
export class Program extends Command {
  exitCode: number = EXIT.done;
}
