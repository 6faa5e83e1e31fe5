import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Context } from "../context.ts";
import { writePrivateFile } from "../files.ts";
import { requireConfigDirectory } from "../places.ts";

/**
 * Opens a browser at an address that is for this user alone. The browser is given a private file that leads there: other
 * users of the machine see the arguments of a program, but not what is in the file. The next file of the name takes its place.
 * @throws if the file can't be written, or no browser can be opened
 */
export async function openPrivately(context: Context, url: string, name: "dashboard" | "sign-in"): Promise<void> {
  const path = join(requireConfigDirectory(context), `open-${name}.html`);
  const target = url.replaceAll("&", "&amp;").replaceAll('"', "&quot;");
  const page = `<!doctype html><meta charset="utf-8"><meta name="referrer" content="no-referrer"><title>svc</title><meta http-equiv="refresh" content="0;url=${target}"><a href="${target}">Continue</a>\n`;
  await writePrivateFile(path, page);
  await context.openBrowser(pathToFileURL(path).href);
}
