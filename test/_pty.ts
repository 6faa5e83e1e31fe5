import { spawn } from "node:child_process";
import { once } from "node:events";

/** A command on a pseudo-terminal, made by `script` of util-linux. */
export interface Terminal {
  /** Everything the terminal has shown. */
  readonly shown: () => string;
  type(text: string): void;
  /** Resolves when it has shown the given text after `from`. */
  until(pattern: RegExp, from?: number): Promise<void>;
  readonly code: Promise<number | null>;
  end(): void;
}

/** @param env the command's whole environment besides PATH */
export function openTerminal(command: string, cwd: string, env: Record<string, string>): Terminal {
  const child = spawn("script", ["-qfec", command, "/dev/null"], {
    cwd,
    env: {
      PATH: process.env["PATH"],
      SVC_DATA_DIR: process.env["SVC_DATA_DIR"],
      TERM: "xterm",
      SHELL: "/bin/sh",
      ...env,
    },
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
