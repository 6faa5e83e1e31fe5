// Below the faces: a profile is there before the command that reads it.
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach } from "vitest";
import { writeProfile, type Profile } from "../src/cli/credentials/profiles.ts";
import { storeKey } from "../src/cli/credentials/keys.ts";
import { createContext, runCli, type CliOptions, type CliResult, type TestContext } from "./_cli.ts";
import { temporaryDirectory } from "./_files.ts";

export let home: string;

export let cwd: string;

/** Gives each test of a file a home directory with a working directory in it. */
export function useHome(): void {
  beforeEach(async () => {
    home = temporaryDirectory();
    cwd = join(home, "work");
    await mkdir(cwd);
  });
}

export function keyOf(name: string): string {
  return `sk_${name}_0123456789abcdefghijklmnopqrstuvwxyz`;
}

export function contextOf(options: CliOptions = {}): TestContext {
  return createContext({ cwd, ...options, env: { HOME: home, ...options.env } });
}

export function run(argv: readonly string[], options: CliOptions = {}): Promise<CliResult> {
  return runCli(argv, { cwd, ...options, env: { HOME: home, ...options.env } });
}

/** A profile with its key in the file. */
export async function addProfile(name: string, base_url: string, more: Partial<Profile> = {}): Promise<void> {
  const secret_key = await storeKey(contextOf(), name, new URL(base_url).origin, keyOf(name), true);
  await writeProfile(contextOf(), name, { base_url, secret_key, ...more });
}
