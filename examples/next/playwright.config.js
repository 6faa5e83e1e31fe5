import { existsSync } from "node:fs";
import { defineConfig } from "@playwright/test";

const { PORT = "3000", CHROMIUM, CI } = process.env;
const origin = `http://localhost:${PORT}`;
// The system's browser if there is one, else the one that `npx playwright install chromium` downloads.
const executablePath = [CHROMIUM, "/usr/bin/chromium"].find((path) => path && existsSync(path));

// `svc exec -- playwright test`: the application and the tests find the service in their environment.
export default defineConfig({
  testDir: "test",
  // The tests share one service, and with it one clock.
  workers: 1,
  retries: CI ? 1 : 0,
  reporter: "line",
  webServer: {
    command: `next start --port ${PORT}`,
    url: origin,
    reuseExistingServer: !CI,
    env: { APP_ORIGIN: origin },
  },
  use: { baseURL: origin, launchOptions: { executablePath, args: ["--no-sandbox"] } },
});
