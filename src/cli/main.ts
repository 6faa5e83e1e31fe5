import { readFileSync } from "node:fs";
import type { World } from "./context.ts";

/** The `svc` command: runs it over this process, whose exit code it sets. */
export async function run(): Promise<void> {
  const argv = process.argv.slice(2);
  // Nothing else is loaded to say this.
  if (isVersionAsked(argv)) return printVersion(argv.includes("--json"));
  const { processContext } = await import("./process-context.ts");
  // Never `process.exit`: it cuts off what a pipe has not taken yet.
  process.exitCode = await main(argv, processContext());
}

/** @returns the exit code */
export async function main(argv: readonly string[], world: World): Promise<number> {
  const { runProgram } = await import("./run.ts");
  return runProgram(argv, world, version());
}

/** `svc --version`, with or without `--json`. */
function isVersionAsked(argv: readonly string[]): boolean {
  const others = argv.filter((argument) => argument !== "--json");
  return others.length === 1 && (others[0] === "--version" || others[0] === "-V");
}

function printVersion(asJson: boolean): void {
  // A full disk or a closed pipe is not a bug.
  process.stdout.once("error", () => (process.exitCode = 1));
  const facts = { version: version(), node: process.version, platform: `${process.platform}-${process.arch}` };
  process.stdout.write(`${asJson ? JSON.stringify(facts) : facts.version}\n`);
}

function version(): string {
  const source = readFileSync(new URL("../../package.json", import.meta.url), "utf8");
  return (JSON.parse(source) as { version: string }).version;
}
