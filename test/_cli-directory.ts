import { beforeEach } from "vitest";
import { runCli, type CliOptions, type CliResult } from "./_cli.ts";
import { temporaryDirectory } from "./_files.ts";
import { setup, type Service } from "./_setup.ts";

export let cwd: string;

export let service: Service;

/** Gives each test of a file a directory and a service. */
export function useDirectory(): void {
  beforeEach(async () => {
    cwd = temporaryDirectory();
    service = await setup();
  });
}

export function run(argv: readonly string[], options: CliOptions = {}): Promise<CliResult> {
  return runCli(argv, { service, cwd, ...options, env: { HOME: cwd, NO_COLOR: "1", ...options.env } });
}

export const HERE = { SVC_SECRET_KEY: undefined, SVC_BASE_URL: undefined };
