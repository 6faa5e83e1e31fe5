import type { AuditEntry, RequestEntry, RunningServer } from "../../../server/index.ts";
import { isProbe, isWatching } from "../../../wire/control/paths.ts";
import { isLoopbackUrl } from "../../../http/address.ts";
import { PROVIDERS } from "../../../wire/providers.ts";
import { tryTarget } from "../../../wire/redirect-uri.ts";
import type { Context, Stream } from "../../context.ts";
import { asRun, counted, mask, colors, harmless, harmlessJson, say } from "../../output/text.ts";

/** A longer name pushes its own values to the right, and no others. */
const MAX_NAME_WIDTH = 24;

/** Reports a server while it runs. */
export type Report = ReturnType<typeof textReport>;

/** NDJSON, for programs. */
export function jsonReport({ stdout, stderr, now }: Context): Report {
  const warning = (message: string): string =>
    `${JSON.stringify({ type: "log", time: now().toISOString(), level: "warn", message })}\n`;
  const warn = (message: string): void => void stderr.write(warning(harmless(message)));
  const log = lineLog(stdout, warning);
  const write = (line: object): void => log(`${harmlessJson(line)}\n`);
  return {
    ready({ url, api_url, callback_url, port, store, providers, instances }, file) {
      const { pid } = process;
      const shown = instances.map(({ id, name, subdomain, url: own, publishable_key }) => ({
        id,
        name,
        subdomain,
        url: own,
        program_url: url,
        publishable_key,
      }));
      write({
        type: "ready",
        url,
        api_url,
        callback_url,
        pid,
        port,
        store,
        file: file ?? null,
        providers,
        instances: shown,
      });
    },
    request: (entry) => {
      if (!isProbe(entry.route ?? ""))
        write({ type: "request", time: now().toISOString(), ...entry, ms: round(entry.ms) });
    },
    audit: (entry) => write({ type: "audit", time: now().toISOString(), ...entry }),
    warn,
  };
}

/** For a person at a terminal. */
export function textReport(context: Context) {
  const { stdout, now } = context;
  const chalk = colors(stdout, context);
  /** Says what went wrong without ending anything. */
  const warn = (message: string): void => say(context, message.replaceAll("\n", " ↵ "));
  const log = lineLog(stdout, (message) => `${message}\n`);
  let width = 10;
  const row = (name: string, ...values: string[]): string =>
    values.map((value, i) => `  ${chalk.dim((i === 0 ? name : "").padEnd(width))}  ${value}\n`).join("");
  /** A link that a terminal breaks in two can't be clicked: it has a line of its own, or is left out. */
  const dashboardRows = (link: string): string => {
    const command = asRun("svc open dashboard", context);
    if (link.length > (stdout.columns || Infinity)) return row("Dashboard", command);
    return `${row("Dashboard", chalk.dim(`opens once; then: ${command}`))}${chalk.cyan(link)}\n`;
  };
  return {
    /**
     * @param file the file with its keys. Undefined if there is none
     * @param dashboard a link that opens the dashboard once; for a terminal alone
     */
    ready(server: RunningServer, file: string | undefined, ms: number, dashboard: string | undefined): void {
      const { url, api_url, store, found, bound, providers, hostsInstead, proxies, instances, isLocal } = server;
      const [first] = instances;
      width = Math.max(width, ...instances.map(({ name }) => Math.min(harmless(name).length, MAX_NAME_WIDTH)));
      const landing = first?.active && isLocal ? tryTarget(first.redirect_uris, url) : undefined;
      const kinds = PROVIDERS.map((name) => {
        const instead = hostsInstead[name]?.map((host) => ` at ${harmless(host)}`) ?? [];
        return `${name} ${chalk.dim(providers[name])}${instead.join()}`;
      });
      const signIn = `svc sign-in${providers.github === "off" ? "" : " --provider github"}`;
      const commands = ["svc users list", ...(landing && isLoopbackUrl(landing) ? [signIn] : [])];
      const blocks = [
        [`  ${chalk.bold("svc")} is ready ${chalk.dim(`in ${Math.round(ms)} ms`)}\n`],
        [
          row("Front door", chalk.cyan(url)),
          dashboard === undefined ? "" : dashboardRows(dashboard),
          row("API", api_url),
          row("Listening", bound.join(" and ")),
          row(
            "Store",
            harmless(store),
            ...(found ? [chalk.dim(`since ${found.since.slice(0, 10)}, ${counted(found.users, "user")}`)] : []),
          ),
          file === undefined ? "" : row("Keys", harmless(file)),
          row("Providers", kinds.join("  ")),
          row("Proxy", ...proxies.map(harmless)),
        ],
        ...instances.map(({ name, url: own, publishable_key, secret_key, active }) => [
          row(
            harmless(name),
            `${harmless(own)}${active ? "" : "  (not active)"}`,
            harmless(publishable_key),
            harmless(mask(secret_key)),
          ),
        ]),
        [
          landing && row("Sign in at", chalk.cyan(`${url}/sign-in?redirect_uri=${encodeURIComponent(landing)}`)),
          // Without the file no command has its key.
          file === undefined ? "" : row("Then try", ...commands.map((command) => asRun(command, context))),
        ],
      ];
      stdout.write(`\n${blocks.map((lines) => `${lines.join("")}\n`).join("")}`);
    },
    warn,
    audit({ action, instance, id, count, address, key }: AuditEntry): void {
      const time = now().toISOString().slice(11, 19);
      const what = [action, instance, id, count === 1 ? null : String(count)].filter((part) => part !== null);
      const who = [key, address].filter((part) => part !== null).join(" at ");
      log(`${chalk.dim(time)}  audit  ${harmless(what.join(" "))}  ${chalk.dim(`by ${who}`)}\n`);
    },
    request({ method, route, path, status, ms, instance, reason }: RequestEntry): void {
      // What the dashboard and commands read, svc logs shows with --all. What failed or changed something is shown.
      if (method === "GET" && status < 400 && isWatching(route ?? path ?? "")) return;
      const paint = status >= 500 ? chalk.red : status >= 400 ? chalk.yellow : chalk.green;
      const time = now().toISOString().slice(11, 19);
      log(
        `${chalk.dim(time)}  ${paint(status)}  ${method.padEnd(6)} ${route ?? path}  ${chalk.dim(`${harmless(instance ?? "-")}  ${round(ms)} ms`)}\n${reason === null ? "" : `          ${harmless(reason)}\n`}`,
      );
    },
  };
}

function round(ms: number): number {
  return Math.round(ms * 10) / 10;
}

const MAX_UNREAD_BYTES = 1 << 20;

/**
 * Writes lines while they are read. A program that reads only the first line must not fill the memory of the server: what
 * it leaves unread is limited, and further lines are left out.
 * @param inLine a message as a line of the log: how many lines were left out, as soon as lines are written again
 */
export function lineLog(stream: Stream, inLine: (message: string) => string): (line: string) => void {
  let skipped = 0;
  return (line) => {
    if ((stream.unread ?? 0) > MAX_UNREAD_BYTES) return void skipped++;
    if (skipped > 0) stream.write(inLine(`${counted(skipped, "line")} left out: standard output was not read.`));
    skipped = 0;
    stream.write(line);
  };
}
