import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { constants } from "node:os";

const FORWARDED = ["SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT"] as const;
/** A terminal sends these to every program that runs in it, to the command as well. */
const FROM_TERMINAL: ReadonlySet<NodeJS.Signals> = new Set(["SIGINT", "SIGHUP", "SIGQUIT"]);
const BY_SIGNAL = 128;

export interface Foreground {
  /**
   * Runs a command with this process's input and output.
   * @returns its exit code, or 128 and the number of the signal that ended it
   * @throws the system's error if it cannot be started
   */
  run(command: string, args: readonly string[], options: SpawnOptions): Promise<number>;
  /** Leaves signals to Node again. */
  release(): void;
}

interface SpawnOptions {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Takes the signals of this process, which from now on are the command's; one that comes before it keeps it from starting. */
export function inForeground(): Foreground {
  const isTerminal = [process.stdin, process.stdout, process.stderr].some(({ isTTY }) => isTTY);
  let child: ChildProcess | undefined;
  let early: NodeJS.Signals | undefined;
  const onSignal = (signal: NodeJS.Signals): void => {
    if (!child) early ??= signal;
    else if (!(isTerminal && FROM_TERMINAL.has(signal))) child.kill(signal);
  };
  for (const signal of FORWARDED) process.on(signal, onSignal);
  return {
    async run(command, args, { cwd, env }) {
      if (early) return BY_SIGNAL + constants.signals[early];
      child = spawn(command, args, { cwd, env: { ...env }, stdio: "inherit" });
      const [code, signal] = (await once(child, "exit")) as [number | null, NodeJS.Signals | null];
      return signal === null ? (code ?? 1) : BY_SIGNAL + constants.signals[signal];
    },
    release() {
      for (const signal of FORWARDED) process.off(signal, onSignal);
    },
  };
}
