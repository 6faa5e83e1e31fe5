import { afterAll, beforeAll } from "vitest";
import { serve, type RunningServer, type ServeOptions } from "../src/server/index.ts";
import type { Fetch } from "../src/http/fetch.ts";
import { runCli, type CliOptions, type CliResult } from "./_cli.ts";
import { followSignIn } from "./_control.ts";

export let server: RunningServer;

/** Gives a file its own server, with a store in memory. */
export function useDevServer(options: ServeOptions = {}): void {
  beforeAll(async () => {
    server = await serve({ port: 0, store: "memory", ...options });
  });
  afterAll(() => server.close());
}

/** The `svc` command in this process, over a real socket to that server. */
export function svc(line: string | readonly string[], options: CliOptions = {}): Promise<CliResult> {
  const argv = typeof line === "string" ? line.split(" ") : line;
  return runCli(argv, {
    fetch: globalThis.fetch as unknown as Fetch,
    ...options,
    env: { SVC_CONTROL_URL: server.url, SVC_CONTROL_KEY: server.control_key, ...options.env },
  });
}

/** The JSON that a command prints with `--json`. */
export async function answerOf<Answer = Record<string, unknown>>(line: string): Promise<Answer> {
  const { code, stdout, stderr } = await svc([...line.split(" "), "--json"]);
  if (code !== 0) throw new Error(`svc ${line} ended with ${code}: ${stderr}`);
  return JSON.parse(stdout) as Answer;
}

/** Signs in like a program. @returns the application's callback address */
export async function signIn(provider = "github"): Promise<URL> {
  const place = await followSignIn(
    `${server.url}/sign-in?provider=${provider}&redirect_uri=${server.url}/__svc/signed-in`,
  );
  if (typeof place === "number") throw new Error(`the sign-in was answered with ${place}`);
  return place;
}
