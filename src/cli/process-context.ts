import { spawn } from "node:child_process";
import type { Context, Stream } from "./context.ts";
import { EXIT } from "./exit-codes.ts";
import { openPager } from "./output/pager.ts";
import { readyWriter } from "./output/ready-writer.ts";

/** The real world. */
export function processContext(): Context {
  return {
    stdout: stream(process.stdout),
    stderr: stream(process.stderr),
    stdin: Object.assign(process.stdin, { isTTY: process.stdin.isTTY ?? false }),
    // eslint-disable-next-line node/no-process-env
    env: process.env,
    cwd: process.cwd(),
    now: () => new Date(),
    // eslint-disable-next-line node/no-process-env
    openBrowser: (url) => openBrowser(url, process.env["SVC_BROWSER"]),
    openPager,
    async confirm(message) {
      const { confirm } = await import("@inquirer/prompts");
      return confirm({ message, default: false }, { output: process.stderr });
    },
    async ask(message, standard) {
      const { input } = await import("@inquirer/prompts");
      return input({ message, ...(standard !== undefined && { default: standard }) }, { output: process.stderr });
    },
    async askSecret(message) {
      const { password } = await import("@inquirer/prompts");
      return password({ message, mask: false }, { output: process.stderr });
    },
    openKeyring: async () => (await import("./credentials/keyring.ts")).openKeyring(),
    untilSignal: () =>
      new Promise((resolve) => {
        for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => resolve(signal));
      }),
  };
}

function stream(target: NodeJS.WriteStream): Stream {
  return {
    ...readyWriter(target, (code) => giveUp(target, code)),
    isTTY: target.isTTY ?? false,
    // A terminal that does not know its size has none.
    get columns() {
      return target.columns || undefined;
    },
    get rows() {
      return target.rows || undefined;
    },
  };
}

/** What can't be written is lost, so it must not look as if it were done. */
function giveUp(target: NodeJS.WriteStream, code: string): void {
  if (target === process.stdout) process.stderr.write(`✗ Standard output cannot be written (${code}).\n`);
  process.exit(EXIT.failed);
}

/** By the program that is named, else the system's own opener; never through a shell. */
function openBrowser(url: string, named: string | undefined): Promise<void> {
  const [command, ...args] = named
    ? [named]
    : ({ darwin: ["open"], win32: ["rundll32", "url.dll,FileProtocolHandler"] }[process.platform as string] ?? [
        "xdg-open",
      ]);
  return new Promise((resolve, reject) => {
    const child = spawn(command!, [...args, url], { stdio: "ignore", detached: true });
    child.once("error", reject);
    child.once("spawn", () => {
      child.unref();
      resolve();
    });
  });
}
