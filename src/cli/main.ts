import { createRequire } from "node:module";
import type { Context } from "./context.ts";

/** The `svc` command: runs it over this process, whose exit code it sets. */
export async function run(): Promise<void> {
  const argv = process.argv.slice(2);
  // Nothing else is loaded to say this.
  if (argv.length === 1 && (argv[0] === "--version" || argv[0] === "-V"))
    return void process.stdout.write(`${version()}\n`);
  const [{ processContext }, { runProgram }] = await Promise.all([import("./process-context.ts"), import("./run.ts")]);
  // Never `process.exit`: it cuts off what a pipe has not taken yet.
  process.exitCode = await runProgram(argv, processContext(), version());
}

/** @returns the exit code */
export async function main(argv: readonly string[], context: Context): Promise<number> {
  const { runProgram } = await import("./run.ts");
  return runProgram(argv, context, version());
}

function version(): string {
  return (createRequire(import.meta.url)("svc-identity/package.json") as { version: string }).version;
}
