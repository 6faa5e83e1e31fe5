import { setTimeout as delay } from "node:timers/promises";
import type { RunningServer, ServeOptions } from "../../../server/index.ts";
import { DEFAULT_PORT, LOG_LEVELS } from "../../../wire/serve.ts";
import type { GlobalFlags } from "../../command.ts";
import { requireYes } from "../../connection/consent.ts";
import { findServerOn } from "../../connection/running-server.ts";
import type { Context } from "../../context.ts";
import { counted } from "../../output/text.ts";
import { durationFrom } from "../../quantities.ts";
import { announce } from "./announce.ts";
import { isPath, serveOptions, type ServeFlags } from "./options.ts";
import { inWorkTree, makePlace, storeOf } from "./place.ts";
import { jsonReport, textReport, type Report } from "./report.ts";

/** Until a balancer that asks every few seconds has seen that the server is not ready. */
const BEYOND_LOOPBACK_DRAIN_MS = 5_000;
const MOST_DRAIN_MS = 3_600_000;
/** For a pipe that was named, and to which nothing has been written when a signal comes. */
const PIPE_MS = 500;
const PASSWORD_IN_URL = /^[a-z]+:\/\/[^/?#]*:[^/?#]*@/i;

/** Serves until a signal comes, or another process takes the store. */
export async function serveUntilSignal(context: Context, flags: ServeFlags & GlobalFlags): Promise<void> {
  const started = performance.now();
  // From the start: a server may be stopped before it is ready.
  const stopped = context.untilSignal();
  context.outliveOutput();
  const drainMs =
    flags.drain === undefined ? undefined : durationFrom("--drain", flags.drain, { mostMs: MOST_DRAIN_MS });
  const report = flags.json ? jsonReport(context) : textReport(context);
  if (PASSWORD_IN_URL.test(flags.store ?? ""))
    report.warn(
      "Other users of this machine can see the password in --store. Set PGPASSWORD, or put the whole address into SVC_STORE.",
    );
  const changes = { announced: (): void => undefined };
  const givenUp = stopped.then(async () => delay(PIPE_MS, undefined, { ref: false }));
  const options = await Promise.race([serveOptions(context, flags), givenUp]);
  if (options === undefined) return context.endSoon();
  const server = await start(context, flags, options, report, () => changes.announced());
  const announcement = await announce(context, server, report.warn);
  changes.announced = announcement.onChange;
  // A program waits for the line with --json, quiet or not.
  if (flags.json || !flags.quiet) {
    // Only on a terminal: the link gives control of the server, so it must not get into a file.
    const dashboard = !flags.json && context.stdout.isTTY ? await server.dashboardLink() : undefined;
    report.ready(server, announcement.path, performance.now() - started, dashboard);
  }
  if (flags.open) await context.openBrowser(server.url).catch(() => report.warn("Could not open a browser."));
  const end = async (draining: number): Promise<void> => {
    await announcement.withdraw();
    await server.close({ drainMs: draining });
    context.endSoon();
  };
  const signal = await Promise.race([stopped, server.taken]).catch(async (error: unknown) => {
    await end(0);
    throw error;
  });
  // Ctrl-C waits only for the requests that run.
  await end(signal === "SIGTERM" ? (drainMs ?? (server.isLocal ? 0 : BEYOND_LOOPBACK_DRAIN_MS)) : 0);
}

/** @param onChange told when what commands know of the server may have changed */
async function start(
  context: Context,
  flags: ServeFlags & GlobalFlags,
  { store: named, ...options }: ServeOptions,
  report: Report,
  onChange: () => void,
): Promise<RunningServer> {
  const { checkPort, serve } = await import("../../../server/index.ts");
  const level = LOG_LEVELS.indexOf(flags.logLevel ?? (flags.quiet ? "warn" : "info"));
  const namingOwner = async (error: unknown): Promise<never> => {
    throw await withOwner(context, options.port ?? DEFAULT_PORT, error);
  };
  // Before anything is created.
  await checkPort(options).catch(namingOwner);
  const store = named ?? storeOf(await makePlace(context));
  const server = await serve({
    ...options,
    store,
    metrics: flags.metrics,
    onInstances: onChange,
    onRequest(entry) {
      if (LOG_LEVELS.indexOf(entry.level) >= level) report.request(entry);
    },
    onAudit(entry) {
      // A person reads what happens, a program keeps what happened.
      if (flags.json || level <= LOG_LEVELS.indexOf("info")) report.audit(entry);
    },
    async onReset(location, users) {
      // In a unit, a flag would empty the store at each restart.
      const what = `Delete all records of ${location}, with ${counted(users, "user")}`;
      if (!flags.yes) await requireYes(context, what, "--yes");
    },
    warn: report.warn,
  }).catch(namingOwner);
  // Its directory is there now.
  const exposed = isPath(named) ? await inWorkTree(context, named) : undefined;
  if (exposed !== undefined) report.warn(exposed);
  return server;
}

/** An error about a port that another server has, naming that server. */
async function withOwner(context: Context, port: number, error: unknown): Promise<unknown> {
  const { PortUnavailable } = await import("../../../server/index.ts");
  const other = error instanceof PortUnavailable ? await findServerOn(context, port).catch(() => undefined) : undefined;
  if (!other) return error;
  return new PortUnavailable(
    `Port ${port} is in use by the svc server of ${other.directory}, pid ${other.pid}. Use it or stop it, or choose another port: --port 0 takes any that is free.`,
  );
}
