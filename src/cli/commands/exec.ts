import { spawn, type ChildProcess, type SpawnOptions } from "node:child_process";
import { once } from "node:events";
import { constants } from "node:os";
import type { SeedInput } from "../../server/index.ts";
import { variablesOf, withoutVariables } from "../../wire/variables.ts";
import { runs, type Flags, type Program } from "../command.ts";
import type { Context, Surroundings } from "../context.ts";
import { UsageError, CliError, EXIT } from "../errors.ts";
import { seedInput } from "../files.ts";
import { harmless } from "../output/text.ts";

export function add(program: Program, context: Surroundings): void {
  const command = program
    .command("exec")
    .argument("<command...>", "the command; what follows is its own")
    .option("--seed <file>", "the records to begin with; default: the demo");
  runs(command, context, { on: "own" }, runExec, {
    examples: [
      ["svc exec -- npm test", "tests, with a server of their own"],
      ["svc exec --seed seed.json -- pytest", "with your own records"],
      ["svc exec -- sh -c 'curl $SVC_BASE_URL/__svc/health/live'", "what the command sees"],
    ],
    notes:
      "The exit code is the command's own; 128 and its number if a signal ended it. The server listens on a free\n" +
      "port and keeps its records in memory; providers are simulated, and nothing is written to the disk.\n" +
      "The command sees SVC_BASE_URL, SVC_API_URL, SVC_PUBLISHABLE_KEY, SVC_SECRET_KEY, SVC_CONTROL_URL and\n" +
      "SVC_CONTROL_KEY. Other SVC_* variables and svc.config.json are ignored, and not passed on.",
  });
}

export async function runExec(context: Context, flags: Flags<"seed">, words: readonly string[]): Promise<number> {
  const [command = "", ...args] = words;
  // While signals still end this process: a pipe may have no writer.
  const seed = flags.seed === undefined ? undefined : await seedInput<SeedInput>(context, flags.seed);
  const foreground = inForeground();
  try {
    const { serve } = await import("../../server/index.ts");
    const tell = (message: string): void => void context.stderr.write(`svc: ${harmless(message)}\n`);
    const server = await serve({
      port: 0,
      store: "memory",
      seed,
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
      const env = { ...withoutVariables(context.env), ...variablesOf(server, first, true) };
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

const FORWARDED = ["SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT"] as const;
/** A terminal sends these to every program that runs in it, to the command as well. */
const FROM_TERMINAL: ReadonlySet<NodeJS.Signals> = new Set(["SIGINT", "SIGHUP", "SIGQUIT"]);
const BY_SIGNAL = 128;

/** Takes the signals of this process, which from now on are the command's; one that comes before it keeps it from starting. */
function inForeground() {
  const isTerminal = [process.stdin, process.stdout, process.stderr].some(({ isTTY }) => isTTY);
  let child: ChildProcess | undefined;
  let early: NodeJS.Signals | undefined;
  const onSignal = (signal: NodeJS.Signals): void => {
    if (!child) early ??= signal;
    else if (!(isTerminal && FROM_TERMINAL.has(signal))) child.kill(signal);
  };
  for (const signal of FORWARDED) process.on(signal, onSignal);
  return {
    /**
     * Runs a command with this process's input and output.
     * @returns its exit code, or 128 and the number of the signal that ended it
     * @throws the system's error if it cannot be started
     */
    async run(command: string, args: readonly string[], options: SpawnOptions): Promise<number> {
      if (early) return BY_SIGNAL + constants.signals[early];
      child = spawn(command, args, { ...options, stdio: "inherit" });
      const [code, signal] = (await once(child, "exit")) as [number | null, NodeJS.Signals | null];
      return signal === null ? (code ?? 1) : BY_SIGNAL + constants.signals[signal];
    },
    /** Leaves signals to Node again. */
    release(): void {
      for (const signal of FORWARDED) process.off(signal, onSignal);
    },
  };
}
