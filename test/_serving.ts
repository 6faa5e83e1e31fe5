import { onTestFinished } from "vitest";
import { main } from "../src/cli/main.ts";
import type { Ready } from "./_bin.ts";
import { createContext, type CliResult } from "./_cli.ts";

/** `svc serve` in this process. */
export interface Serving {
  readonly ready: Ready;
  /** Every line of stdout and stderr so far. */
  output(): string[];
  /** Ends it as a SIGTERM does. */
  stop(): Promise<CliResult>;
}

/**
 * Starts `svc serve --json` in this process, on a free port, until the test ends: for what its flags, its files and its
 * directory decide.
 * @throws with the command's output if it does not start
 */
export async function serveHere(
  flags: readonly string[],
  { cwd, env = {} }: { cwd: string; env?: Record<string, string | undefined> },
): Promise<Serving> {
  let end!: (signal: "SIGTERM") => void;
  const signal = new Promise<"SIGTERM">((resolve) => (end = resolve));
  const context = createContext({ cwd, env, isOnline: true, signal });
  const { written, requests } = context;
  const output = (): string[] => (written.stdout + written.stderr).split("\n").filter(Boolean);
  let begin!: (ready: Ready) => void;
  const begun = new Promise<Ready>((resolve) => (begin = resolve));
  const write = (text: string): void => {
    context.stdout.write(text);
    if (text.startsWith('{"type":"ready"')) begin(JSON.parse(text) as Ready);
  };
  const world = { ...context, stdout: { ...context.stdout, write } };
  const ended = main(["serve", "--port", "0", "--json", ...flags], world);
  const stop = async (): Promise<CliResult> => {
    end("SIGTERM");
    return { code: await ended, ...written, requests };
  };
  onTestFinished(async () => void (await stop()));
  const ready = await Promise.race([begun, ended.then(() => undefined)]);
  if (ready === undefined) throw new Error(output().join("\n"));
  return { ready, output, stop };
}
