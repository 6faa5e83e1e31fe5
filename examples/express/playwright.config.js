import { existsSync } from "node:fs";
import { defineConfig } from "@playwright/test";

// The system's browser if there is one, else the one that `npx playwright install chromium` downloads.
const executablePath = [process.env.CHROMIUM, "/usr/bin/chromium"].find((path) => path && existsSync(path));

export default defineConfig({
  testDir: "test",
  fullyParallel: true,
  workers: 2,
  timeout: 60_000,
  // A shared machine can be slow for a moment.
  expect: { timeout: 15_000 },
  retries: process.env.CI ? 1 : 0,
  reporter: "line",
  outputDir: "../../node_modules/.cache/playwright",
  use: { launchOptions: { executablePath, args: ["--no-sandbox"] } },
});
