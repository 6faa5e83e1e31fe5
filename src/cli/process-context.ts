import { spawn } from "node:child_process";
import { isatty } from "node:tty";
import type { Context, Stream } from "./context.ts";
import { EXIT } from "./exit-codes.ts";
import { openPager } from "./output/pager.ts";
import { readyWriter, type ReadyWriter } from "./output/ready-writer.ts";

/** The real world. Node makes each of its streams, and what that takes, when it is first used. */
export function processContext(): Context {
  let outlivesOutput = false;
  const goesOn = (): boolean => outlivesOutput;
  return {
    stdout: stream("stdout", 1, goesOn),
    stderr: stream("stderr", 2, goesOn),
    stdin: { isTTY: isatty(0), [Symbol.asyncIterator]: () => process.stdin[Symbol.asyncIterator]() },
    // eslint-disable-next-line node/no-process-env
    env: process.env,
    cwd: currentDirectory(),
    now: () => new Date(),
    // eslint-disable-next-line node/no-process-env
    openBrowser: (url) => openBrowser(url, process.env["SVC_BROWSER"]),
    openPager,
    async confirm(message) {
      const { confirm } = await import("@inquirer/prompts");
      return confirm({ message, default: false }, { output: process.stderr });
    },
    async ask(message, standard, fault) {
      const { input } = await import("@inquirer/prompts");
      const validate = (answer: string): string | true => fault?.(answer) ?? true;
      return input(
        { message, validate, ...(standard !== undefined && { default: standard }) },
        { output: process.stderr },
      );
    },
    async askSecret(message) {
      const { password } = await import("@inquirer/prompts");
      // Ctrl-T would show what is typed.
      const hidden = { mask: false, toggleMask: false, theme: { style: { maskedText: "" } } };
      return password({ message, ...hidden }, { output: process.stderr });
    },
    openKeyring: async () => (await import("./credentials/keyring.ts")).openKeyring(),
    untilSignal: () =>
      new Promise((resolve) => {
        for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => resolve(signal));
        // Of a closed terminal it can come twice: from the shell and from the system.
        process.on("SIGHUP", () => resolve("SIGTERM"));
        onShellOfNpxGone(() => resolve("SIGTERM"));
      }),
    outliveOutput: () => void (outlivesOutput = true),
    endSoon: (exitCode) => void setTimeout(() => process.exit(exitCode), END_MS).unref(),
  };
}

/** Or, if it was deleted, where it was: most commands need no files. */
function currentDirectory(): string {
  try {
    return process.cwd();
  } catch {
    // eslint-disable-next-line node/no-process-env
    return process.env["PWD"] ?? "/";
  }
}

const LOOK_EVERY_MS = 500;
const END_MS = 2000;

/**
 * npx runs a command in a shell, and passes a SIGTERM to that shell. The shell ends, and the command would go on alone, on
 * its port. What a script of package.json leaves in the background is meant to go on.
 */
function onShellOfNpxGone(end: () => void): void {
  // eslint-disable-next-line node/no-process-env
  const { npm_lifecycle_event: event, npm_lifecycle_script: script = "" } = process.env;
  if (event !== "npx" || !/^['"]?svc(-identity)?\b/.test(script)) return;
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    end();
  }, LOOK_EVERY_MS).unref();
}

function stream(name: "stdout" | "stderr", descriptor: number, goesOn: () => boolean): Stream {
  let made: ReadyWriter | undefined;
  const writer = (): ReadyWriter => (made ??= readyWriter(process[name], (code) => goesOn() || giveUp(name, code)));
  return {
    write: (text, done) => writer().write(text, done),
    ready: () => writer().ready(),
    get unread() {
      return made ? process[name].writableLength : 0;
    },
    isTTY: isatty(descriptor),
    // A terminal that does not know its size has none.
    get columns() {
      return process[name].columns || undefined;
    },
    get rows() {
      return process[name].rows || undefined;
    },
  };
}

/** What can't be written is lost, so it must not look as if it were done. */
function giveUp(name: "stdout" | "stderr", code: string): never {
  if (name === "stdout") process.stderr.write(`✗ Standard output cannot be written (${code}).\n`);
  process.exit(EXIT.failed);
}

/** An opener that finds no browser has ended by then. A browser itself may go on. */
const OPENER_MS = 2000;

/** By the program that is named, else the system's own opener; never through a shell. */
function openBrowser(url: string, named: string | undefined): Promise<void> {
  const [command, ...args] = named
    ? [named]
    : ({ darwin: ["open"], win32: ["rundll32", "url.dll,FileProtocolHandler"] }[process.platform as string] ?? [
        "xdg-open",
      ]);
  return new Promise((resolve, reject) => {
    const child = spawn(command!, [...args, url], { stdio: "ignore", detached: true });
    const timer = setTimeout(() => {
      child.unref();
      resolve();
    }, OPENER_MS);
    const ended = (error?: Error): void => {
      clearTimeout(timer);
      if (error) reject(error);
      else resolve();
    };
    child.once("error", ended);
    child.once("exit", (code) => ended(code === 0 ? undefined : new Error(`${command} ended with ${code}`)));
  });
}
