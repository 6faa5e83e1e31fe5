import { beforeEach } from "vitest";
import type { Fetch } from "../src/wire/fetch.ts";
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

export function answering(status: number, body: string, headers: Record<string, string> = {}): Fetch {
  return async () => new Response(body, { status, headers }) as unknown as Awaited<ReturnType<Fetch>>;
}

export const HERE = { SVC_SECRET_KEY: undefined, SVC_BASE_URL: undefined };
