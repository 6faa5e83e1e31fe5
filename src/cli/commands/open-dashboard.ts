import { lstat, mkdtemp, readdir, rm, rmdir, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { openControl } from "../connection/control.ts";
import type { GlobalFlags } from "../command.ts";
import type { Context } from "../context.ts";
import { CliError, EXIT } from "../errors.ts";
import { hasDesktop } from "../output/prompts.ts";
import { harmless, printJson } from "../output/text.ts";

const PREFIX = "svc-dashboard-";
const FILE = "open.html";
/** Longer than a link can be used. */
const KEEP_MS = 10 * 60_000;

/**
 * Opens the dashboard, signed in. The browser is given a file that leads there: other users of this machine see the
 * arguments of a program, but not what is in the file.
 */
export async function openDashboard(context: Context, flags: GlobalFlags, isPrinted: boolean): Promise<void> {
  const control = await openControl(context, flags);
  const { url } = await control.request("POST /dashboard-links");
  const address = new URL("/__svc/", url).href;
  if (isPrinted) {
    if (flags.json) printJson(context, { url });
    else context.stdout.write(`${harmless(url)}\n`);
    return;
  }
  const isOpened =
    hasDesktop(context) &&
    (await context.openBrowser(await redirectFile(url)).then(
      () => true,
      () => false,
    ));
  if (!isOpened) return insteadOf(context, url);
  if (flags.json) printJson(context, { url: address });
  context.stderr.write(`Opened ${address}\n`);
}

/** Signs every browser out of the dashboard, and ends every link to it. */
export async function revokeDashboardKeys(context: Context, flags: GlobalFlags): Promise<void> {
  const control = await openControl(context, flags);
  const revoked = await control.request("DELETE /dashboard-keys");
  if (flags.json) printJson(context, revoked);
  else context.stdout.write("Revoked every key and link of the dashboard. Open dashboards are signed out.\n");
}

/** @returns its address. The link in it is good once, and for a minute */
async function redirectFile(url: string): Promise<string> {
  await removeOld().catch(() => undefined);
  // Created with mode 0700.
  const path = join(await mkdtemp(join(tmpdir(), PREFIX)), FILE);
  const target = url.replaceAll("&", "&amp;").replaceAll('"', "&quot;");
  const page = `<!doctype html><meta charset="utf-8"><meta name="referrer" content="no-referrer"><title>svc</title><meta http-equiv="refresh" content="0;url=${target}"><a href="${target}">Open the dashboard</a>\n`;
  await writeFile(path, page, { mode: 0o600, flag: "wx" });
  return pathToFileURL(path).href;
}

/** Removes the files of links that have ended: when a browser has read one, no process knows. */
async function removeOld(): Promise<void> {
  for (const name of (await readdir(tmpdir())).filter((each) => each.startsWith(PREFIX))) {
    const directory = join(tmpdir(), name);
    const found = await lstat(directory);
    if (found.uid !== (process.getuid?.() ?? 0) || Date.now() - found.mtimeMs < KEEP_MS) continue;
    await rm(join(directory, FILE), { force: true });
    await rmdir(directory).catch(() => undefined);
  }
}

/** Only a person is shown the link: it would stay in a log. */
function insteadOf({ stderr }: Context, url: string): void {
  if (!stderr.isTTY)
    throw new CliError(
      EXIT.failed,
      "No browser can be opened here.",
      "Open the link that this prints, within a minute: svc open dashboard --print",
    );
  stderr.write(`No browser can be opened here. Open this link within a minute; it works once:\n  ${harmless(url)}\n`);
}
