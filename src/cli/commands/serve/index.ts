import type { RunningServer } from "../../../server/index.ts";
import type { GlobalFlags } from "../../connection/client-options.ts";
import type { Context } from "../../context.ts";
import { EXIT } from "../../errors.ts";
import { withHelp } from "../../help/with-help.ts";
import type { Program } from "../../program.ts";
import { writeRunningServer } from "../../connection/running-server.ts";
import { checkDrain, checkLogLevel, CONFIG_FILE, serveOptions, type ServeFlags } from "./options.ts";
import { jsonReport, textReport } from "./report.ts";

/** Until a balancer that asks every few seconds has seen that the server is not ready. */
const BEYOND_LOOPBACK_DRAIN_MS = 5_000;
const PASSWORD_IN_URL = /^[a-z]+:\/\/[^/?#]*:[^/?#]*@/i;

export function addServe(program: Program, context: Context): void {
  const command = program
    .command("serve")
    .option("--port <number>", "default 7820; 0 takes any that is free")
    .option("--host <address>", "default: loopback alone")
    .option("--store <path>", "a db.json, postgres://user@host/database, or memory; default .svc/db.json")
    .option("--seed <file>", "what an empty store begins with; default: a demo")
    .option("--reset", "throw away what the store holds, and begin anew")
    .option("--config <file>", `default: ${CONFIG_FILE}, where there is one`)
    .option("--public-url <url>", "the front door's address, where it is not http://localhost:<port>")
    .option("--allowed-host <name>", "answer for this host name too; can be repeated", collect)
    .option("--providers <mode>", "auto, real or simulated; default auto: real where there are credentials")
    .option("--trust-proxy <address>", "believe X-Forwarded-For from this address or network; can be repeated", collect)
    .option("--geoip <file>", "a MaxMind DB file that fills the sessions' geo_data")
    .option("--https", "with a certificate made for the occasion")
    .option("--metrics", "count requests, sign-ins and writes for Prometheus at /__svc/metrics")
    .option("--log-level <level>", "debug, info, warn or error: the least that is printed; default info")
    .option("--drain <seconds>", "on SIGTERM, keep accepting requests for this long; default 0, or 5 beyond loopback")
    .option("--open", "open the front door in a browser")
    .option("-q, --quiet", "print only what fails: --log-level warn")
    .action((flags: ServeFlags) => runServe(context, flags, program.opts<GlobalFlags>().json === true));
  withHelp(command, {
    examples: [
      ["svc serve", "a demo, on port 7820"],
      ["svc serve --seed seed.json --reset", "begin anew from your own seed"],
      ["svc serve --port 0 --store memory --json", "in a test"],
      ["svc serve --store postgres://ada@db.example/svc", "several of these on one database are one service"],
    ],
    exits: [EXIT.done, EXIT.failed, EXIT.usage, EXIT.precondition],
    notes:
      "With --json the first line is printed when the port answers, and says where.\n" +
      "Environment: SVC_PORT, SVC_HOST, SVC_STORE, SVC_GOOGLE_CLIENT_ID, SVC_GOOGLE_CLIENT_SECRET\n" +
      "(the same for GITHUB and TWITTER); PGPASSWORD.",
  });
}

async function runServe(context: Context, flags: ServeFlags, json: boolean): Promise<void> {
  const started = performance.now();
  // From the first moment: whoever starts a server may stop it before it has said that it is ready.
  const stopped = context.untilSignal();
  if (PASSWORD_IN_URL.test(flags.store ?? ""))
    context.stderr.write(
      "The password in --store can be seen by other users of this machine. Put it in PGPASSWORD, or the whole address in SVC_STORE.\n",
    );
  const drainMs = checkDrain(flags.drain);
  const { serve, LOG_LEVELS } = await import("../../../server/index.ts");
  const level = checkLogLevel(flags.logLevel ?? (flags.quiet ? "warn" : "info"), LOG_LEVELS);
  const report = json ? jsonReport(context) : textReport(context);
  const server = await serve({
    ...(await serveOptions(context, flags)),
    metrics: flags.metrics,
    onRequest: (entry) => {
      if (LOG_LEVELS.indexOf(entry.level) >= LOG_LEVELS.indexOf(level)) report.request(entry);
    },
    warn: report.warn,
  });
  const removeFile = await writeRunningServer(context.cwd, fileOf(server)).catch(async (error: unknown) => {
    await server.close();
    throw error;
  });
  if (typeof removeFile === "number")
    context.stderr.write(`The commands in this directory go on asking the server of process ${removeFile}.\n`);
  report.ready(server, performance.now() - started);
  if (flags.open)
    await context.openBrowser(server.url).catch(() => context.stderr.write("No browser could be opened.\n"));
  const signal = await stopped;
  if (typeof removeFile === "function") await removeFile();
  // Whoever presses Ctrl-C waits for nothing but the requests that run.
  await server.close({
    drainMs: signal === "SIGTERM" ? (drainMs ?? (server.isLocal ? 0 : BEYOND_LOOPBACK_DRAIN_MS)) : 0,
  });
}

function fileOf({ url, api_url, certificate, instances }: RunningServer): Parameters<typeof writeRunningServer>[1] {
  const own = instances.map(({ id, name, subdomain, url: instanceUrl, publishable_key, secret_key }) => ({
    id,
    name,
    subdomain,
    url: instanceUrl,
    publishable_key,
    secret_key,
  }));
  return { pid: process.pid, url, api_url, certificate, instances: own };
}

function collect(value: string, before: readonly string[] = []): string[] {
  return [...before, value];
}
