import { existsSync } from "node:fs";
import { defineConfig } from "@playwright/test";

const { CHROMIUM, CI } = process.env;
// The system's browser if there is one, else the one that `npx playwright install chromium` downloads.
const executablePath = [CHROMIUM, "/usr/bin/chromium"].find((path) => path && existsSync(path));

export default defineConfig({
  testDir: "test",
  fullyParallel: true,
  workers: 4,
  timeout: 60_000,
  // A shared machine can be slow for a moment.
  expect: { timeout: 15_000 },
  retries: CI ? 1 : 0,
  reporter: "line",
  use: {
    // An application and a service for each worker: a test that moves the clock disturbs no other.
    application: { command: "npx next start" },
    launchOptions: { executablePath, args: ["--no-sandbox"] },
  },
});
