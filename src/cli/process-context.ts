import { spawn } from "node:child_process";
import { once } from "node:events";
import { win32 } from "node:path";
import type { Writable } from "node:stream";
import { setTimeout as pause } from "node:timers/promises";
import { isatty } from "node:tty";
import type { Stream, World } from "./context.ts";
import { EXIT, type ExitCode } from "./errors.ts";
import { ask, askSecret, confirm } from "./output/prompts.ts";

// eslint-disable-next-line node/no-process-env
const { env } = process;

/** The real world. Node makes each of its streams, and what that takes, when it is first used. */
export function processContext(): World {
  let outlivesOutput = false;
  let isTold = false;
  let explainLoss = (_code: string): ExitCode => EXIT.failed;
  const stderr = stream("stderr", 2, () => outlivesOutput || process.exit(EXIT.failed));
  const stdout = stream("stdout", 1, (code) => {
    // What can't be written is lost, so it must not look as if it were printed.
    if (!outlivesOutput) process.exit(explainLoss(code));
    if (!isTold) stderr.write(`Standard output cannot be written (${code}). The server continues.\n`);
    return (isTold = true);
  });
  return {
    stdout,
    stderr,
    stdin: { isTTY: isatty(0), [Symbol.asyncIterator]: () => process.stdin[Symbol.asyncIterator]() },
    env,
    cwd: currentDirectory(),
    now: () => new Date(),
    openBrowser: (url) => openBrowser(url, env["SVC_BROWSER"]),
    confirm,
    ask,
    askSecret,
    openKeyring: async () => (await import("./credentials/keys.ts")).openKeyring(),
    untilSignal: () =>
      new Promise((resolve) => {
        for (const signal of ["SIGINT", "SIGTERM"] as const) {
          const first = (): void => {
            // Before this one goes: without any, a repeat would end the process at once.
            ignoreRepeatByNpm(signal);
            process.off(signal, first);
            resolve(signal);
          };
          process.on(signal, first);
        }
        // Of a closed terminal it can come twice: from the shell and from the system.
        process.on("SIGHUP", () => resolve("SIGTERM"));
        onParentGone(() => resolve("SIGTERM"));
      }),
    outliveOutput: () => void (outlivesOutput = true),
    onLostOutput: (explain) => void (explainLoss = explain),
    endSoon: (exitCode) => void setTimeout(() => process.exit(exitCode), END_MS).unref(),
  };
}

/** Or, if it was deleted, where it was: most commands need no files. */
function currentDirectory(): string {
  try {
    return process.cwd();
  } catch {
    return env["PWD"] ?? "/";
  }
}

const LOOK_EVERY_MS = 500;
const REPEAT_MS = 1000;
const END_MS = 2000;

/**
 * npm passes on a Ctrl-C that the terminal has already sent to all of its processes. Where its shell is replaced by the
 * command, that comes here, and would end it in the middle of its own end.
 */
function ignoreRepeatByNpm(signal: NodeJS.Signals): void {
  if (env["npm_lifecycle_event"] === undefined) return;
  const ignore = (): void => {};
  process.on(signal, ignore);
  setTimeout(() => process.off(signal, ignore), REPEAT_MS).unref();
}

/** npm and npx run a command in a shell, and pass a SIGTERM to that shell alone, which ends and leaves the command behind. */
function onParentGone(end: () => void): void {
  if (env["npm_lifecycle_event"] === undefined) return;
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    end();
  }, LOOK_EVERY_MS).unref();
}

function stream(name: "stdout" | "stderr", descriptor: number, onFailure: (code: string) => boolean): Stream {
  let made: ReadyWriter | undefined;
  const writer = (): ReadyWriter => (made ??= readyWriter(process[name], onFailure));
  return {
    write: (text) => writer().write(text),
    ready: () => writer().ready(),
    get unread() {
      return made ? process[name].writableLength : 0;
    },
    isTTY: isatty(descriptor),
    // A terminal that does not know its size has none.
    get columns() {
      return process[name].columns || undefined;
    },
  };
}

type ReadyWriter = Required<Pick<Stream, "write" | "ready">>;

/**
 * Writes no faster than it is read. A reader that has seen enough (`| head`) does not count as a failure: what is
 * still written is dropped.
 * @param onFailure told of every other error, such as a full disk; returns whether to try again with the next write
 */
function readyWriter(target: Writable, onFailure: (code: string) => boolean): ReadyWriter {
  let isRead = true;
  let isCut = false;
  let wake = (): void => undefined;
  target.on("error", ({ code }: NodeJS.ErrnoException) => {
    isRead &&= code !== "EPIPE" && onFailure(code ?? "unknown");
    isCut = true;
    wake();
  });
  return {
    write(text) {
      // A full disk may have taken a part of the last line.
      if (isRead) target.write(isCut ? `\n${text}` : text);
      isCut = false;
    },
    ready: () =>
      new Promise((resolve) => {
        wake = () => resolve(isRead);
        if (isRead && target.writableNeedDrain) target.once("drain", wake);
        // A closed pipe is told of in a later turn of the loop.
        else setImmediate(wake);
      }),
  };
}

/** An opener that finds no browser has ended by then. A browser itself may go on. */
const OPENER_MS = 2000;

/** Keeps no process waiting that has nothing else to do. */
function sleep(milliseconds: number): Promise<undefined> {
  return pause(milliseconds, undefined, { ref: false });
}

/** By the program that is named, else the system's own opener; never through a shell. */
async function openBrowser(url: string, named: string | undefined): Promise<void> {
  const [command, ...args] = named ? [named] : opener();
  const child = spawn(command!, [...args, url], { stdio: "ignore", detached: true });
  const ended = await Promise.race([once(child, "exit"), sleep(OPENER_MS)]);
  child.unref();
  if (ended && ended[0] !== 0) throw new Error(`${command} ended with ${ended[0]}`);
}

function opener(): readonly string[] {
  if (process.platform === "darwin") return ["open"];
  if (process.platform === "win32") return [systemProgram("rundll32.exe", env), "url.dll,FileProtocolHandler"];
  return ["xdg-open"];
}

/**
 * The path of one of the system's programs on Windows. By its name alone it would be looked for in the current directory first,
 * which may be a repository that somebody else wrote.
 */
export function systemProgram(name: string, variables: Readonly<Record<string, string | undefined>>): string {
  const root = variables["SystemRoot"] ?? "";
  return win32.join(/^[a-z]:\\/i.test(root) ? root : "C:\\Windows", "System32", name);
}
