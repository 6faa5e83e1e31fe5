import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";

/** A command in a terminal of its own, as `script` of every Linux makes one. */
export interface Terminal {
  /** All that the terminal has shown. */
  readonly shown: () => string;
  type(text: string): void;
  /** Resolves when it has shown what is looked for, after `from`. */
  until(pattern: RegExp, from?: number): Promise<void>;
  readonly code: Promise<number | null>;
  end(): void;
}

/** @param env all that the command sees of an environment, besides PATH */
export function openTerminal(command: string, cwd: string, env: Record<string, string>): Terminal {
  const child = spawn("script", ["-qfec", command, "/dev/null"], {
    cwd,
    env: { PATH: process.env["PATH"], TERM: "xterm", SHELL: "/bin/sh", ...env },
  });
  let text = "";
  child.stdout.setEncoding("utf8").on("data", (piece: string) => (text += piece));
  const code = once(child, "close").then(([exit]) => exit as number | null);
  return {
    shown: () => text,
    type: (typed) => void child.stdin.write(typed),
    async until(pattern, from = 0) {
      while (!pattern.test(text.slice(from))) {
        const end = await Promise.race([once(child.stdout, "data").then(() => undefined), code]);
        if (end !== undefined && !pattern.test(text.slice(from)))
          throw new Error(`ended with ${end} before ${String(pattern)}: ${text}`);
      }
    },
    code,
    end: () => void child.kill("SIGKILL"),
  };
}

/** Whether a program that a test needs can be run. In CI everything is asked for, so that nothing is left out unseen. */
export function isThere(program: string): boolean {
  return Boolean(process.env["CI"]) || spawnSync(program, ["--version"]).status === 0;
}
