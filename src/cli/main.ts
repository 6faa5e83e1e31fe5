import { readFileSync } from "node:fs";
import type { Context } from "./context.ts";

/** The `svc` command: runs it over this process, whose exit code it sets. */
export async function run(): Promise<void> {
  const argv = process.argv.slice(2);
  // A full disk or a closed pipe is not a bug; until commands handle it themselves.
  const giveUp = (): void => void (process.exitCode = 1);
  process.stdout.once("error", giveUp);
  // Nothing else is loaded to say this.
  if (argv.length === 1 && (argv[0] === "--version" || argv[0] === "-V"))
    return void process.stdout.write(`${version()}\n`);
  if (argv.length === 1 && (argv[0] === "--help" || argv[0] === "-h") && printBuiltHelp()) return;
  const { processContext, runProgram } = await import("./bundle-entry.ts");
  process.stdout.off("error", giveUp);
  // Never `process.exit`: it cuts off what a pipe has not taken yet.
  process.exitCode = await runProgram(argv, processContext(), version());
}

/** @returns the exit code */
export async function main(argv: readonly string[], context: Context): Promise<number> {
  const { runProgram } = await import("./bundle-entry.ts");
  return runProgram(argv, context, version());
}

/** The help of all commands was written down when this was built, as wide as it is without a terminal. */
function printBuiltHelp(): boolean {
  if ((process.stdout.columns || 80) !== 80) return false;
  try {
    process.stdout.write(readFileSync(new URL("help.txt", import.meta.url)));
    return true;
  } catch {
    return false;
  }
}

function version(): string {
  const source = readFileSync(new URL("../../package.json", import.meta.url), "utf8");
  return (JSON.parse(source) as { version: string }).version;
}
