import { existsSync } from "node:fs";
import { chromium, type Browser } from "playwright-core";

const CANDIDATES = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];
const FLAGS = [
  "--headless",
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

/** The path of Chromium, or undefined if it is not installed. */
export const CHROMIUM = [process.env["CHROMIUM"] ?? "", ...CANDIDATES].find((path) => path !== "" && existsSync(path));

/** @param flags further command-line switches */
export function launchChromium(flags: readonly string[] = []): Promise<Browser> {
  if (CHROMIUM === undefined) throw new Error("no Chromium was found: set CHROMIUM to the path of one");
  return chromium.launch({ executablePath: CHROMIUM, args: [...FLAGS, ...flags], headless: true });
}
