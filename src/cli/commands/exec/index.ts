import { resolve } from "node:path";
import { variablesOf } from "../../connection/target.ts";
import { runs, withHelp, type Program } from "../../command.ts";
import type { Context } from "../../context.ts";
import { CliError, EXIT, UsageError } from "../../errors.ts";
import { harmless } from "../../output/text.ts";
import { inForeground } from "./foreground.ts";

export interface ExecOptions {
  readonly seed?: string;
}

export function addExec(program: Program, context: Context): void {
  const command = program
    .command("exec")
    .argument("<command...>", "the command and its arguments, after --")
    .option("--seed <file>", "the records to begin with; default: the demo");
  withHelp(command, {
    examples: [
      ["svc exec -- npm test", "tests, with a server of their own"],
      ["svc exec --seed seed.json -- pytest", "with your own records"],
      ["svc exec -- sh -c 'curl $SVC_BASE_URL/__svc/health/live'", "what the command sees"],
    ],
    exits: [EXIT.done, EXIT.usage, EXIT.notExecutable, EXIT.commandNotFound],
    notes:
      "The exit code is the command's own; 128 and its number if a signal ended it. The server listens on a free\n" +
      "port and keeps its records in memory; providers are simulated, and nothing is written into .svc/.\n" +
      "The command sees SVC_BASE_URL, SVC_PROGRAM_URL, SVC_API_URL, SVC_PUBLISHABLE_KEY, SVC_SECRET_KEY, SVC_CONTROL_URL and\n" +
      "SVC_CONTROL_KEY. Other SVC_* variables and svc.config.json are ignored, and not passed on.",
  });
  runs(command, (options: ExecOptions, words: string[]) => runExec(context, options, words));
}

/** Runs a command beside a server that lives as long as it. @returns the command's exit code, as a shell has it */
export async function runExec(context: Context, { seed }: ExecOptions, words: readonly string[]): Promise<number> {
  const [command = "", ...args] = words;
  const foreground = inForeground();
  try {
    const { serve } = await import("../../../server/index.ts");
    const tell = (message: string): void => void context.stderr.write(`svc: ${harmless(message)}\n`);
    const server = await serve({
      port: 0,
      store: "memory",
      ...(seed !== undefined && { seed: resolve(context.cwd, seed) }),
      providers: "simulated",
      now: context.now,
      onRequest({ sign_in, reason }) {
        if (sign_in && reason !== null) tell(`sign-in with ${sign_in.provider} failed: ${reason}`);
      },
      warn: tell,
    });
    try {
      const [first] = server.instances;
      if (!first) throw new UsageError("The seed has no instance.", "Add one to it, or omit --seed.");
      const env = { ...withoutOwn(context.env), ...variablesOf(server, first, true) };
      return await foreground.run(command, args, { cwd: context.cwd, env });
    } finally {
      await server.close();
    }
  } catch (error) {
    throw startFailure(error, command);
  } finally {
    foreground.release();
  }
}

/** What is meant for another service is not passed on. */
function withoutOwn(env: Context["env"]): Record<string, string | undefined> {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !name.toUpperCase().startsWith("SVC_")));
}

/** What a shell says of a command that cannot be started; any other error as it is. */
function startFailure(error: unknown, command: string): unknown {
  const { code, syscall = "" } = error as NodeJS.ErrnoException;
  if (!syscall.startsWith("spawn")) return error;
  if (code === "ENOENT")
    return new CliError(
      EXIT.commandNotFound,
      `${command}: command not found.`,
      "Check its name, and that it is in a directory of PATH.",
    );
  return new CliError(EXIT.notExecutable, `${command}: cannot be executed (${code}).`, "Check its permissions.");
}
