import { Argument } from "commander";
import { tryTarget } from "../../wire/redirect-uri.ts";
import { checkUrl, optionsOf } from "../connection/client.ts";
import { runs, withHelp, type GlobalFlags, type Program } from "../command.ts";
import { controlTarget } from "../connection/control.ts";
import type { Context } from "../context.ts";
import { EXIT, type ExitCode, UsageError } from "../errors.ts";
import { harmless, printJson } from "../output/text.ts";
import { openDashboard, revokeDashboardKeys } from "./open-dashboard.ts";
import { resolveTarget } from "../connection/target.ts";
import type { Target } from "../connection/sources.ts";
import { trimSlash } from "../../wire/http/request.ts";

const PAGES = ["front", "sign-in", "discovery", "dashboard", "reference"] as const;
type Page = (typeof PAGES)[number];
type ServicePage = Exclude<Page, "dashboard" | "reference">;

export interface OpenOptions extends GlobalFlags {
  readonly print?: boolean;
  readonly redirectUri?: string;
  readonly revoke?: boolean;
}

export function addOpen(program: Program, context: Context): void {
  const command = program
    .command("open")
    .addArgument(
      new Argument("[page]", "front door, sign-in page, discovery document, dashboard or API reference")
        .choices(PAGES)
        .default("front"),
    )
    .option("--print", "print the address instead of opening it")
    .option(
      "--redirect-uri <url>",
      "where the sign-in returns to; default, on a local server: the first of the instance's redirect_uris, else a page that shows the token",
    )
    .option("--revoke", "for the dashboard: sign every browser out, and open nothing");
  withHelp(command, {
    examples: [
      ["svc open", "the front page of the local server"],
      ["svc open sign-in", "its sign-in, with the default provider"],
      ["svc open dashboard", "the dashboard of the local server, signed in"],
      ["svc open dashboard --revoke", "signs every browser out of it"],
      ["svc open reference", "the reference of its control API"],
      ["svc open --print", "only the address"],
    ],
    exits: [EXIT.done, EXIT.failed, EXIT.usage, EXIT.noKey, EXIT.unreachable, EXIT.precondition],
    notes: "SVC_BROWSER sets the program to open it with.",
  });
  runs(command, (options: OpenOptions, page: Page) => runOpen(context, options, page));
}

/** Opens a page of the service in a browser, or prints its address. @returns the exit code if it is not 0 */
export async function runOpen(context: Context, options: OpenOptions, page: Page): Promise<ExitCode | void> {
  if (options.revoke) {
    if (page !== "dashboard" || options.print)
      throw new UsageError(
        page === "dashboard" ? "--revoke and --print are mutually exclusive." : `--revoke is not for ${page}.`,
        "To revoke the dashboard's keys: svc open dashboard --revoke",
      );
    return revokeDashboardKeys(context, options);
  }
  if (page === "dashboard") return openDashboard(context, options, options.print === true);
  const url =
    page === "reference"
      ? `${(await controlTarget(context, options)).url}/__svc/docs`
      : addressOf(page, await resolveTarget(context, options), context, options);
  if (options.json) printJson(context, { url });
  else if (options.print) context.stdout.write(`${url}\n`);
  if (options.print) return;
  try {
    await context.openBrowser(url);
  } catch {
    context.stderr.write(`Could not open a browser. Open this address:\n  ${harmless(url)}\n`);
    return EXIT.failed;
  }
  context.stderr.write(`Opened ${harmless(url)}\n`);
}

function addressOf(page: ServicePage, target: Target, context: Context, { redirectUri }: OpenOptions): string {
  const { baseUrl, apiUrl } = optionsOf(context, target);
  const { server } = target;
  // A service that runs elsewhere has no front door but its instances'.
  const front = (server && checkUrl(server.url, "the local server")) ?? baseUrl ?? apiUrl!;
  if (page === "front") return `${front}/`;
  const own = trimSlash(baseUrl ?? apiUrl!);
  if (page === "discovery") return `${own}/.well-known/openid-configuration`;
  const landing = redirectUri ?? (server && tryTarget(target.redirect_uris ?? [], server.url));
  if (landing === undefined)
    throw new UsageError(
      "No redirect URI.",
      "Use --redirect-uri with one that the instance allows. To complete a sign-in here: svc sign-in",
    );
  const url = new URL(`${own}/sign-in`);
  url.searchParams.set("redirect_uri", landing);
  return url.href;
}
