import { spawn } from "node:child_process";
import type { Context, Stream } from "./context.ts";

/** The real world. */
export function processContext(): Context {
  // A reader that has seen enough (`| head`) is no failure.
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE") throw error;
  });
  return {
    stdout: stream(process.stdout),
    stderr: stream(process.stderr),
    stdin: Object.assign(process.stdin, { isTTY: process.stdin.isTTY ?? false }),
    // eslint-disable-next-line node/no-process-env
    env: process.env,
    cwd: process.cwd(),
    now: () => new Date(),
    openBrowser,
    async confirm(message) {
      const { confirm } = await import("@inquirer/prompts");
      return confirm({ message, default: false }, { output: process.stderr });
    },
    untilSignal: () =>
      new Promise((resolve) => {
        for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => resolve(signal));
      }),
  };
}

function stream(target: NodeJS.WriteStream): Stream {
  return {
    write: (text) => target.write(text),
    drained: () => drained(target),
    isTTY: target.isTTY ?? false,
    get columns() {
      return target.columns;
    },
  };
}

function drained(target: NodeJS.WriteStream): Promise<void> {
  return new Promise((resolve, reject) => {
    const settle = (): void => {
      for (const event of ["drain", "error", "close"]) target.off(event, settle);
      if (target.errored || target.destroyed) reject(new Error("the reader has gone"));
      else resolve();
    };
    if (target.errored || target.destroyed || !target.writableNeedDrain) return settle();
    for (const event of ["drain", "error", "close"]) target.once(event, settle);
  });
}

/** By the system's own opener, never through a shell. */
function openBrowser(url: string): Promise<void> {
  const [command, ...args] = { darwin: ["open"], win32: ["rundll32", "url.dll,FileProtocolHandler"] }[
    process.platform as string
  ] ?? ["xdg-open"];
  return new Promise((resolve, reject) => {
    const child = spawn(command!, [...args, url], { stdio: "ignore", detached: true });
    child.once("error", reject);
    child.once("spawn", () => {
      child.unref();
      resolve();
    });
  });
}
