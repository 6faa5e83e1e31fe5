import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { onTestFinished } from "vitest";
import { BIN, ROOT } from "../_paths.ts";

const UNIT = readFileSync(join(ROOT, "docs/svc.service"), "utf8");
const setting = (name: string): string => new RegExp(`^${name}=(.*)$`, "m").exec(UNIT)![1]!;
const PREVENTED = setting("RestartPreventExitStatus").split(" ").map(Number);
const RESTART_MS = Number(setting("RestartSec")) * 1000;

interface Process {
  readonly child: ChildProcess;
  /** Resolves when it is ready, or has ended. */
  readonly begun: Promise<boolean>;
  readonly ended: Promise<number | null>;
}

/** `svc serve` under a supervisor that does what docs/svc.service tells systemd. */
export interface Unit {
  readonly port: number;
  /** Where commands find the server. */
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The lines of its log, of all of its processes. */
  readonly log: readonly Readonly<Record<string, unknown>>[];
  /** How its processes ended by themselves, and why the supervisor has given up, if it has. */
  readonly ends: readonly string[];
  /** Ends the process in the middle of what it does. Resolves when it has ended. */
  kill(): Promise<void>;
  /** As `systemctl restart`. @returns the exit code of the one that was stopped */
  restart(): Promise<number | null>;
  /** Resolves when a process is ready. @throws if the supervisor gives up before */
  ready(): Promise<void>;
  stop(): Promise<number | null>;
}

export function startUnit(port: number, cwd: string, env: Unit["env"], flags: readonly string[]): Unit {
  const log: Record<string, unknown>[] = [];
  const ends: string[] = [];
  let isStopped = false;
  let hasGivenUp = false;
  let current = begin();

  function begin(): Process {
    const args = [BIN, "serve", "--json", "--port", String(port), ...flags];
    const child = spawn(process.execPath, args, { cwd, env, stdio: ["ignore", "pipe", "pipe"] });
    const ended = once(child, "close").then(([code]) => code as number | null);
    const lines = createInterface({ input: child.stdout });
    const begun = Promise.race([once(lines, "line").then(() => true), ended.then(() => false)]);
    const note = (line: string): void => void log.push(JSON.parse(line) as Record<string, unknown>);
    lines.on("line", note);
    createInterface({ input: child.stderr }).on("line", note);
    const one = { child, begun, ended };
    void supervise(one);
    return one;
  }

  async function supervise({ child, ended }: Process): Promise<void> {
    const code = await ended;
    if (isStopped) return;
    ends.push(`ended with ${code ?? child.signalCode}`);
    hasGivenUp = code === 0 || (code !== null && PREVENTED.includes(code));
    if (hasGivenUp) return;
    await sleep(RESTART_MS);
    if (!isStopped) current = begin();
  }

  async function stop(): Promise<number | null> {
    isStopped = true;
    current.child.kill("SIGTERM");
    return current.ended;
  }

  onTestFinished(async () => {
    isStopped = true;
    current.child.kill("SIGKILL");
    await current.ended;
  });

  return {
    port,
    cwd,
    env,
    log,
    ends,
    async kill() {
      const { child, ended } = current;
      child.kill("SIGKILL");
      await ended;
    },
    stop,
    async restart() {
      const code = await stop();
      isStopped = false;
      current = begin();
      return code;
    },
    async ready() {
      for (;;) {
        const { begun, child, ended } = current;
        if ((await begun) && child.exitCode === null && child.signalCode === null) return;
        await ended;
        if (hasGivenUp) throw new Error(`The supervisor gave up: ${ends.join(", ")}; ${JSON.stringify(log.slice(-3))}`);
        await sleep(100);
      }
    },
  };
}
