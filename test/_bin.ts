import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { type Socket } from "node:net";
import { afterEach, beforeEach } from "vitest";
import { runCli, type CliResult } from "./_cli.ts";
import { temporaryDirectory } from "./_files.ts";
import { BIN } from "./_paths.ts";

export interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Running {
  readonly child: ChildProcess;
  readonly ended: Promise<Ended>;
  /** Resolves when the stream contains the given text. */
  until(stream: "stdout" | "stderr", pattern: RegExp): Promise<RegExpExecArray>;
}

export interface StartOptions {
  cwd?: string;
  env?: Record<string, string | undefined>;
  stdin?: string;
}

export interface Ready {
  url: string;
  pid: number;
  port: number;
  store: string;
  instances: { url: string; subdomain: string; publishable_key: string }[];
}

export let directory: string;

export const children: ChildProcess[] = [];

export const sockets: Socket[] = [];

/** Gives each test of a file a directory, and ends its processes and sockets. */
export function useProcesses(): void {
  beforeEach(async () => {
    directory = temporaryDirectory();
  });
  afterEach(async () => {
    for (const socket of sockets.splice(0)) socket.destroy();
    await endAll(children.splice(0));
  });
}

export async function endAll(all: ChildProcess[]): Promise<void> {
  for (const child of all) {
    if (child.exitCode === null && child.signalCode === null && child.kill("SIGKILL")) await once(child, "close");
  }
}

/** The command, with only PATH of this process's environment. */
export function start(args: readonly string[], options: StartOptions = {}, command = process.execPath): Running {
  const cwd = options.cwd ?? directory;
  // Its home is often the directory that the test inspects.
  const { PATH, SVC_DATA_DIR } = process.env;
  const env = { PATH, SVC_DATA_DIR, HOME: cwd, NODE_DISABLE_COMPILE_CACHE: "1", ...options.env };
  const child = spawn(command, command === process.execPath ? [BIN, ...args] : [...args], { cwd, env });
  children.push(child);
  const output = { stdout: "", stderr: "" };
  for (const name of ["stdout", "stderr"] as const) {
    child[name].setEncoding("utf8").on("data", (text: string) => (output[name] += text));
  }
  child.stdin.on("error", () => {}).end(options.stdin ?? "");
  const ended = once(child, "close").then(([code, signal]) => ({
    code: code as number | null,
    signal: signal as NodeJS.Signals | null,
    ...output,
  }));
  return {
    child,
    ended,
    async until(name, pattern) {
      for (;;) {
        const found = pattern.exec(output[name]);
        if (found) return found;
        const end = await Promise.race([once(child[name], "data").then(() => undefined), ended]);
        if (end) throw new Error(`ended with ${end.code} before ${String(pattern)}: ${end.stdout}${end.stderr}`);
      }
    },
  };
}

export function run(args: readonly string[], options: StartOptions = {}): Promise<Ended> {
  return start(args, options).ended;
}

/** The command in this process, asking servers that run: for what its output and its exit code show. */
export function inProcess(
  args: readonly string[],
  { cwd = directory, env = {}, stdin = "" }: StartOptions = {},
): Promise<CliResult> {
  return runCli(args, { cwd, env: { HOME: cwd, ...env }, stdin, isOnline: true });
}

/** A server on a free port. */
export async function serve(
  args: readonly string[] = ["--store", "memory"],
  options: StartOptions = {},
): Promise<Running & { ready: Ready }> {
  const running = start(["serve", "--port", "0", "--json", ...args], options);
  const [, line = ""] = await running.until("stdout", /^(.*)\n/);
  return { ...running, ready: JSON.parse(line) as Ready };
}
