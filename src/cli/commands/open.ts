import { Argument } from "commander";
import { checkUrl, optionsOf, type GlobalFlags } from "../connection/client-options.ts";
import type { Context } from "../context.ts";
import { CliError, EXIT } from "../errors.ts";
import { withHelp } from "../help/with-help.ts";
import { harmless, printJson } from "../output/text.ts";
import type { Program } from "../program.ts";
import { resolveTarget, type Target } from "../connection/target.ts";

const PAGES = ["front", "sign-in", "discovery"] as const;
type Page = (typeof PAGES)[number];

interface OpenFlags {
  readonly print?: boolean;
  readonly redirectUri?: string;
}

export function addOpen(program: Program, context: Context): void {
  const open = program
    .command("open")
    .addArgument(new Argument("[page]", "front door, sign-in or discovery document").choices(PAGES).default("front"))
    .option("--print", "print the address, and open nothing")
    .option("--redirect-uri <url>", "where the sign-in leads; on a local server, a page that shows the token")
    .action(async (page: Page, own: OpenFlags) => {
      const flags = program.opts<GlobalFlags>();
      const url = addressOf(page, await resolveTarget(context, flags), context, own);
      if (flags.json) printJson(context, { url });
      else if (own.print) context.stdout.write(`${url}\n`);
      if (own.print) return;
      await context.openBrowser(url).then(
        () => context.stderr.write(`Opened ${harmless(url)}\n`),
        () => context.stderr.write(`No browser could be opened. Open this by hand:\n  ${harmless(url)}\n`),
      );
    });
  withHelp(open, {
    examples: [
      ["svc open", "the front door of the server that runs here"],
      ["svc open sign-in", "its sign-in, with the default provider"],
      ["svc open --print", "the address alone, for where there is no browser"],
    ],
    exits: [EXIT.done, EXIT.usage, EXIT.notFound, EXIT.noKey],
    notes: "SVC_BROWSER names another program than the system's.",
  });
}

function addressOf(page: Page, target: Target, context: Context, { redirectUri }: OpenFlags): string {
  const { baseUrl, apiUrl } = optionsOf(context, target);
  const { server } = target;
  // A service that runs elsewhere has no front door but its instances'.
  const front = (server && checkUrl(server.url, "the server that runs here")) ?? baseUrl ?? apiUrl!;
  if (page === "front") return `${front}/`;
  const own = (baseUrl ?? apiUrl!).replace(/\/+$/, "");
  if (page === "discovery") return `${own}/.well-known/openid-configuration`;
  const landing = redirectUri ?? (server && `${server.url}/__svc/signed-in`);
  if (landing === undefined)
    throw new CliError(
      EXIT.usage,
      "Where is the sign-in to lead?",
      "Name an address that the instance lists, with --redirect-uri. A whole sign-in is done by: svc sign-in",
    );
  const url = new URL(`${own}/sign-in`);
  url.searchParams.set("redirect_uri", landing);
  return url.href;
}
