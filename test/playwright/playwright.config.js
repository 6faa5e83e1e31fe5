import { defineConfig } from "@playwright/test";
import { CHROMIUM } from "../_browser.ts";

// Run by test/browser/playwright.test.ts, against the server that it starts.
export default defineConfig({
  testMatch: "*.pw.js",
  fullyParallel: true,
  workers: 4,
  timeout: 240_000,
  reporter: "line",
  outputDir: "../../node_modules/.cache/playwright-workers",
  use: { launchOptions: { executablePath: CHROMIUM, args: ["--no-sandbox", "--disable-gpu"] } },
});
