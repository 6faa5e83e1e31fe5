/** An application for each Playwright worker, beside the worker's own service: its clock, scenarios and users are its own. */
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { createServer, type AddressInfo } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { ServeError } from "../server/errors.ts";
import type { TestService } from "./index.ts";
import { variablesOf, withoutVariables } from "../wire/variables.ts";
import { checkKitOptions } from "./options.ts";

export interface WorkerApplication {
  /**
   * Starts the application, in the words of a shell: `npx next start`. Its environment has `PORT`, a free one, and by
   * `SVC_BASE_URL`, `SVC_SECRET_KEY` and the rest of `svc env` the worker's service.
   */
  readonly command: string;
  /** The directory in which it starts. Default: the current one. */
  readonly cwd?: string | undefined;
  /** More variables for it. */
  readonly env?: Readonly<Record<string, string>> | undefined;
  /** The path that answers when the application is ready. Default `/`. */
  readonly ready?: string | undefined;
  /** How long the start may take, in milliseconds. Default 60,000. */
  readonly timeoutMs?: number | undefined;
}

export interface RunningApplication {
  /** Such as `http://localhost:40123`. */
  readonly origin: string;
  stop(): Promise<void>;
}

const OPTIONS = ["command", "cwd", "env", "ready", "timeoutMs"] satisfies (keyof WorkerApplication)[];
const ASK_EVERY_MS = 100;
/** As much of what the application printed as an error shows. */
const SHOWN_CHARACTERS = 2000;

/** @throws {ServeError} if it ends, or does not answer in time, with the end of what it printed */
export async function startApplication(
  application: WorkerApplication,
  service: TestService,
  environment: NodeJS.ProcessEnv,
): Promise<RunningApplication> {
  checkKitOptions("application", application, OPTIONS, 'application: { command: "npx next start" }');
  const { command, cwd, env = {}, ready = "/", timeoutMs = 60_000 } = application;
  const server = { url: service.url, control_key: service.controlKey };
  const port = await freePort();
  const origin = `http://localhost:${port}`;
  const child = spawn(command, {
    shell: true,
    cwd,
    env: {
      ...withoutVariables(environment),
      ...variablesOf(server, service.instances[0], true),
      PORT: String(port),
      ...env,
    },
    stdio: ["ignore", "pipe", "pipe"],
    // A group of its own, because a shell does not pass a signal on to what it started.
    detached: process.platform !== "win32",
  });
  let printed = "";
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (text: string) => (printed = (printed + text).slice(-SHOWN_CHARACTERS)));
  const stop = (): Promise<void> => stopped(child);
  for (const until = performance.now() + timeoutMs; !(await answers(origin + ready)); await delay(ASK_EVERY_MS)) {
    const hasEnded = child.exitCode !== null || child.signalCode !== null;
    if (!hasEnded && performance.now() < until) continue;
    await stop();
    const what = hasEnded
      ? "ended before it was ready"
      : `did not answer at ${origin}${ready} in ${timeoutMs / 1000} s`;
    throw new ServeError(`The application \`${command}\` ${what}. It printed:\n${printed.trim()}`);
  }
  return { origin, stop };
}

async function answers(url: string): Promise<boolean> {
  try {
    const { body } = await fetch(url, { redirect: "manual" });
    await body?.cancel();
    return true;
  } catch {
    return false;
  }
}

/** A port that is free at this moment. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0);
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

async function stopped(child: ChildProcess): Promise<void> {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  const closed = once(child, "close");
  if (process.platform === "win32") child.kill();
  else process.kill(-child.pid, "SIGTERM");
  await closed;
}
