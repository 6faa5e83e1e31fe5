import { Option } from "commander";
import { isControlApi } from "../../../wire/control/paths.ts";
import { DEFAULT_PORT, LOG_LEVELS, PROVIDERS_MODES } from "../../../wire/serve.ts";
import { collect, runs, type GlobalFlags, type Program } from "../../command.ts";
import { findServerOn } from "../../connection/running-server.ts";
import type { Context } from "../../context.ts";
import { EXIT } from "../../errors.ts";
import { durationFrom } from "../../quantities.ts";
import { announce } from "./announce.ts";
import { CONFIG_OPTION, serveOptions, type ServeFlags } from "./options.ts";
import { inWorkTree, makePlace, storeOf } from "./place.ts";
import { jsonReport, textReport } from "./report.ts";

/** Until a balancer that asks every few seconds has seen that the server is not ready. */
const BEYOND_LOOPBACK_DRAIN_MS = 5_000;
const MOST_DRAIN_MS = 3_600_000;
const PASSWORD_IN_URL = /^[a-z]+:\/\/[^/?#]*:[^/?#]*@/i;

export function add(program: Program, context: Context): void {
  const command = program
    .command("serve")
    .option("--port <number>", "the port to listen on; default 7820, 0 takes a free one (SVC_PORT)")
    .option("--host <address>", "the address to listen on; default: loopback only (SVC_HOST)")
    .option("--store <path>", "a file, postgres://… or memory; default: one for this directory (SVC_STORE)")
    .option("--seed <file>", "the records of an empty store; default: a demo")
    .option("--reset", "delete all records and seed again")
    .option(...CONFIG_OPTION)
    .option("--strict", "send users to registered redirect_uris only")
    .option("--control", "have a control API although others reach the server")
    .option("--public-url <url>", "the address that users see; default http://localhost:<port>")
    .option("--allowed-host <name>", "answer for this name too; can be repeated", collect)
    .addOption(
      new Option(
        "--providers <mode>",
        "default auto: real are those with credentials, others simulated on loopback",
      ).choices(PROVIDERS_MODES),
    )
    .option("--trust-proxy <address>", "trust X-Forwarded-For from here; can be repeated", collect)
    .option("--geoip <file>", "a MaxMind DB file that fills the sessions' geo_data")
    .option("--https", "use HTTPS, with a self-signed certificate")
    .option("--metrics", "serve Prometheus metrics at /__svc/metrics")
    .addOption(new Option("--log-level <level>", "lowest level to print; default info").choices(LOG_LEVELS))
    .option("--drain <duration>", "on SIGTERM, keep accepting for this long; default 0s, 5s beyond loopback")
    .option("--open", "open the front door in a browser")
    .option("-q, --quiet", "print only what fails");
  runs(command, context, runServe, {
    examples: [
      ["svc serve", "a demo, on port 7820"],
      ["svc serve --seed seed.json --reset", "start over from your own seed"],
      ["svc serve --port 0 --store memory --json", "in a test"],
      ["svc serve --store postgres://ada@db.example/svc", "several of these on one database are one service"],
    ],
    exits: [EXIT.done, EXIT.failed, EXIT.usage, EXIT.precondition, EXIT.storeUnusable],
    notes: "Fails if the port is in use. The providers' credentials and PGPASSWORD: svc help environment",
  });
}

export async function runServe(context: Context, flags: ServeFlags & GlobalFlags): Promise<void> {
  const started = performance.now();
  // From the start: a server may be stopped before it is ready.
  const stopped = context.untilSignal();
  context.outliveOutput();
  if (PASSWORD_IN_URL.test(flags.store ?? ""))
    context.stderr.write(
      "Other users of this machine can see the password in --store. Set PGPASSWORD, or put the whole address into SVC_STORE.\n",
    );
  const drainMs =
    flags.drain === undefined ? undefined : durationFrom("--drain", flags.drain, { mostMs: MOST_DRAIN_MS });
  const { serve, PortUnavailable, StoreRefused } = await import("../../../server/index.ts");
  const level = LOG_LEVELS.indexOf(flags.logLevel ?? (flags.quiet ? "warn" : "info"));
  const report = flags.json ? jsonReport(context) : textReport(context);
  let onChange = (): void => undefined;
  const options = await serveOptions(context, flags);
  const store = options.store ?? storeOf(await makePlace(context));
  const server = await serve({
    ...options,
    store,
    metrics: flags.metrics,
    onRequest: (entry) => {
      if (entry.method !== "GET" && isControlApi(entry.route ?? "")) onChange();
      if (LOG_LEVELS.indexOf(entry.level) >= level) report.request(entry);
    },
    warn: report.warn,
  }).catch(async (error: unknown) => {
    const { port = DEFAULT_PORT } = options;
    const isLocked = error instanceof StoreRefused && error.reason === "locked";
    const other = isLocked || error instanceof PortUnavailable ? await findServerOn(context, port) : undefined;
    if (!other) throw error;
    if (isLocked)
      throw new StoreRefused(
        "locked",
        `${error.message} Port ${port} is in use as well, by pid ${other.pid}: this one needs another --port too.`,
      );
    throw new PortUnavailable(
      `Port ${port} is in use by the svc server of ${other.directory}, pid ${other.pid}. Use it or stop it, or choose another port: --port 0 takes any that is free.`,
    );
  });
  const announcement = await announce(context, server, report.warn);
  ({ onChange } = announcement);
  const ms = performance.now() - started;
  const isShown = flags.json || !flags.quiet;
  // A program reads it from the instances' addresses.
  const resolvesSubdomains = !isShown || flags.json || (await context.resolves("svc.localhost"));
  // Only on a terminal: the link gives control of the server, so it must not get into a file.
  const terminal =
    isShown && !flags.json && context.stdout.isTTY ? { dashboard: await server.dashboardLink() } : undefined;
  // A program waits for the line with --json, quiet or not.
  if (isShown) report.ready(server, announcement.path, ms, { ...terminal, resolvesSubdomains });
  const open =
    options.store === undefined || store === "memory" || store.includes("://")
      ? undefined
      : await inWorkTree(context, store);
  if (open !== undefined) report.warn(open);
  if (flags.open)
    await context.openBrowser(server.url).catch(() => context.stderr.write("Could not open a browser.\n"));
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
