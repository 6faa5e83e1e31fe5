import { Argument } from "commander";
import { runs, type Flags, type GlobalFlags, type Program } from "../command.ts";
import { openControl, sayDone } from "../connection/control.ts";
import { resolveTarget } from "../connection/target.ts";
import type { Context, Surroundings } from "../context.ts";
import { UsageError, CliError, EXIT, type ExitCode } from "../errors.ts";
import { hasDesktop } from "../output/prompts.ts";
import { harmless, printJson } from "../output/text.ts";
import { openPrivately } from "./redirect-file.ts";

const PAGES = ["front", "dashboard"] as const;
type Page = (typeof PAGES)[number];

export type OpenOptions = Flags<never, "print" | "revoke">;

export function add(program: Program, context: Surroundings): void {
  const command = program
    .command("open")
    .addArgument(new Argument("[page]", "the front page or the dashboard").choices(PAGES).default("front"))
    .option("--print", "print the address instead of opening it")
    .option("--revoke", "for the dashboard: sign every browser out, and open nothing");
  runs(command, context, ({ revoke }) => (revoke ? { on: "server", changes: true } : { on: "instance" }), runOpen, {
    examples: [
      ["svc open", "the front page of the local server"],
      ["svc open dashboard", "the dashboard of the local server, signed in"],
      ["svc open dashboard --revoke", "signs every browser out of it"],
      ["svc open --print", "only the address"],
    ],
    notes: "SVC_BROWSER sets the program to open it with.",
  });
}

export async function runOpen(context: Context, options: OpenOptions, page: Page): Promise<ExitCode | void> {
  if (options.revoke) {
    if (page !== "dashboard" || options.print)
      throw new UsageError(
        page === "dashboard" ? "--revoke and --print are mutually exclusive." : `--revoke is not for ${page}.`,
        "To revoke the dashboard's keys: svc open dashboard --revoke",
      );
    return revokeDashboardKeys(context, options);
  }
  const url = await addressOf(page, context);
  if (options.print && !options.json) return void context.stdout.write(`${harmless(url)}\n`);
  if (options.print) return printJson(context, { url });
  if (page === "dashboard") return openDashboard(context, options, url);
  if (options.json) printJson(context, { url });
  try {
    await context.openBrowser(url);
  } catch {
    context.stderr.write(`Could not open a browser. Open this address:\n  ${harmless(url)}\n`);
    return EXIT.failed;
  }
  context.stderr.write(`Opened ${harmless(url)}\n`);
}

async function addressOf(page: Page, context: Context): Promise<string> {
  if (page === "dashboard") return (await (await openControl(context)).request("POST /dashboard-links")).url;
  const { server, base_url, api_url } = await resolveTarget(context);
  // A service that runs elsewhere has no front door but its instances'.
  return `${server?.url ?? (base_url ?? api_url)!.value}/`;
}

/**
 * Opens the dashboard, signed in.
 * @param url a link that works once, for a minute
 */
async function openDashboard(context: Context, flags: GlobalFlags, url: string): Promise<void> {
  const address = new URL("/__svc/", url).href;
  const isOpened =
    hasDesktop(context) &&
    (await openPrivately(context, url, "dashboard").then(
      () => true,
      () => false,
    ));
  if (isOpened) {
    if (flags.json) printJson(context, { url: address });
    context.stderr.write(`Opened ${address}\n`);
    return;
  }
  // Only a person is shown the link: it would stay in a log.
  if (!context.stderr.isTTY)
    throw new CliError(
      EXIT.failed,
      "No browser can be opened here.",
      "Open the link that this prints, within a minute: svc open dashboard --print",
    );
  context.stderr.write(
    `No browser can be opened here. Open this link within a minute; it works once:\n  ${harmless(url)}\n`,
  );
}

/** Signs every browser out of the dashboard, and ends every link to it. */
async function revokeDashboardKeys(context: Context, flags: GlobalFlags): Promise<void> {
  const control = await openControl(context);
  const revoked = await control.request("DELETE /dashboard-keys");
  if (flags.json) return printJson(context, revoked);
  await sayDone(
    context,
    flags,
    control,
    "Revoked every key and link of the dashboard, which signs its browsers out, of",
  );
}
