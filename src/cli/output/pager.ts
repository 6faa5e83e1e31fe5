import { spawn } from "node:child_process";
import { once } from "node:events";
import type { Writable } from "node:stream";
import type { Context, Pager, Stream } from "../context.ts";
import { systemProgram } from "../system-program.ts";

const IS_WINDOWS = process.platform === "win32";
/** `less` that ends by itself if everything fits, keeps colours, and leaves the text on the screen. Windows has none. */
// eslint-disable-next-line node/no-process-env
const DEFAULT = IS_WINDOWS ? systemProgram("more.com", process.env) : "less";
const LESS = "FRX";
/** What commands print, whatever the locale says: containers often have none. */
const LESSCHARSET = "utf-8";
/** If a shell can't run a pager, all of the text is still in the pipe. */
const ELSE_CAT = "\ncode=$?; case $code in 126|127) cat ;; esac; exit $code";

/** The program to page with: `SVC_PAGER`, `PAGER`, or less. Undefined if it is switched off. */
export function pagerOf({ env, stdout, stdin }: Context): string | undefined {
  if (!stdout.isTTY || !stdin.isTTY || env["CI"] || env["TERM"] === "dumb") return undefined;
  const command = (env["SVC_PAGER"] ?? env["PAGER"] ?? DEFAULT).trim();
  return command === "" || command === "cat" ? undefined : command;
}

/** Starts it by the shell, as git does: the variable may hold arguments, and it is the person's own. */
export async function openPager(command: string): Promise<Pager | undefined> {
  // eslint-disable-next-line node/no-process-env
  const env = { LESS, LESSCHARSET, LV: "-c", ...process.env };
  const shell = command !== DEFAULT && (IS_WINDOWS ? systemProgram("cmd.exe", env) : true);
  const child = spawn(shell === true ? command + ELSE_CAT : command, {
    shell,
    stdio: ["pipe", "inherit", "inherit"],
    env,
  });
  const closed = once(child, "close").then(([exitCode]) => (exitCode as number | null) ?? 0);
  closed.catch(() => undefined);
  const isStarted = await once(child, "spawn").then(
    () => true,
    () => false,
  );
  if (!isStarted) return undefined;
  // Ctrl-C is the pager's while it runs: it would be left behind on a terminal that is ours again.
  const ignore = (): void => undefined;
  process.on("SIGINT", ignore);
  return {
    ...readyWriter(child.stdin, () => false),
    async close() {
      child.stdin.end();
      return closed.finally(() => process.off("SIGINT", ignore));
    },
  };
}

export type ReadyWriter = Required<Pick<Stream, "write" | "ready">>;

/**
 * Writes no faster than it is read. A reader that has seen enough (`| head`, or `q` in a pager) does not count as a failure: what is
 * still written is dropped.
 * @param onFailure told of every other error, such as a full disk; returns whether to try again with the next write
 */
export function readyWriter(target: Writable, onFailure: (code: string) => boolean): ReadyWriter {
  let isRead = true;
  let wake = (): void => undefined;
  target.on("error", ({ code }: NodeJS.ErrnoException) => {
    isRead &&= code !== "EPIPE" && onFailure(code ?? "unknown");
    wake();
  });
  return {
    write: (text, done) =>
      isRead &&
      target.write(text, (error?: NodeJS.ErrnoException | null) => {
        if (error?.code !== "EPIPE") done?.(error ? (error.code ?? "unknown") : undefined);
      }),
    ready: () =>
      new Promise((resolve) => {
        wake = () => resolve(isRead);
        if (isRead && target.writableNeedDrain) target.once("drain", wake);
        // A closed pipe is told of in a later turn of the loop.
        else setImmediate(wake);
      }),
  };
}
