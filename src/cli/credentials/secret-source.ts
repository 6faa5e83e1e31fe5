import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { systemReason } from "../../disk/system-reason.ts";
import type { Context } from "../context.ts";
import { CliError } from "../errors.ts";
import { EXIT } from "../exit-codes.ts";
import { systemProgram } from "../system-program.ts";

/** A value with its source in words. */
export interface Sourced<Value = string> {
  readonly value: Value;
  readonly source: string;
}

/** A secret key at hand, or how to get at it: a keyring may ask its owner, so it is opened only when a key is needed. */
export type SecretKey = string | (() => Promise<string>);

/** The key of the environment: itself, in a file, or what a command prints, such as a password manager's. */
export function environmentKey(context: Context): Sourced<SecretKey> | undefined {
  const { env, cwd } = context;
  const {
    SVC_SECRET_KEY: key,
    SVC_SECRET_KEY_FILE: file,
    SVC_SECRET_KEY_COMMAND: command,
  } = env as Record<string, string | undefined>;
  if (key) return { value: key.trim(), source: "SVC_SECRET_KEY" };
  if (file) return { value: () => fromFile(resolve(cwd, file)), source: "SVC_SECRET_KEY_FILE" };
  return command ? { value: () => fromCommand(command, context), source: "SVC_SECRET_KEY_COMMAND" } : undefined;
}

async function fromFile(path: string): Promise<string> {
  const text = await readFile(path, "utf8").catch((error: unknown) => {
    throw new CliError(EXIT.noKey, `SVC_SECRET_KEY_FILE: ${path} cannot be read: ${systemReason(error)}.`);
  });
  return checked(text, "SVC_SECRET_KEY_FILE", `${path} is empty.`);
}

function fromCommand(command: string, { env, stderr }: Context): Promise<string> {
  const [shell, flag] = process.platform === "win32" ? [systemProgram("cmd.exe", env), "/c"] : ["/bin/sh", "-c"];
  return new Promise((done, fail) => {
    const child = execFile(shell, [flag, command], { env: env as NodeJS.ProcessEnv }, (error, stdout) => {
      // Neither its output nor the command itself: both may hold a secret.
      const code = error?.code ?? error?.signal;
      if (error)
        return fail(
          new CliError(
            EXIT.noKey,
            `SVC_SECRET_KEY_COMMAND failed (${String(code)}).`,
            "Run it by hand to see why. It must print only the key.",
          ),
        );
      try {
        done(checked(stdout, "SVC_SECRET_KEY_COMMAND", "it printed nothing."));
      } catch (empty) {
        fail(empty as Error);
      }
    });
    // What it says of itself, such as a question for a password, is for the person.
    child.stderr?.on("data", (text: string) => stderr.write(text));
  });
}

function checked(text: string, variable: string, otherwise: string): string {
  const key = text.trim();
  if (key === "") throw new CliError(EXIT.noKey, `${variable}: ${otherwise}`);
  return key;
}
