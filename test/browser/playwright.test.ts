import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { connect } from "../../src/testing/index.ts";
import { CHROMIUM } from "../_browser.ts";
import { startServer } from "../_control.ts";
import { ROOT } from "../_paths.ts";

it.skipIf(CHROMIUM === undefined && !process.env["CI"])(
  "Four Playwright workers make 160 sign-ins on one server, each with its own scenario only",
  { timeout: 400_000 },
  async () => {
    const server = await startServer();
    const { code, output } = await playwright({ SVC_CONTROL_URL: server.url, SVC_CONTROL_KEY: server.control_key! });
    expect({ code, output }).toMatchObject({ code: 0, output: expect.stringContaining("18 passed") as string });
    const svc = await connect({ url: server.url, controlKey: server.control_key! });
    const { results, outcomes } = await svc.flows.summary();
    expect(outcomes).toEqual({
      success: 32,
      access_denied: 33,
      rate_limited: 32,
      code_rejected: 32,
      email_not_verified: 32,
    });
    expect(results).toEqual({ token: 32, error: 129, asked_for: 129, canceled: 0, abandoned: 0, open: 0 });
    // A test's leftovers are gone, although the server is not reset.
    expect(await svc.control.request("GET /scenarios")).toEqual([]);
  },
);

async function playwright(env: Record<string, string>): Promise<{ code: number | null; output: string }> {
  const cli = join(ROOT, "node_modules/@playwright/test/cli.js");
  const child = spawn(process.execPath, [cli, "test", "-c", "test/playwright"], {
    cwd: ROOT,
    env: { PATH: process.env["PATH"], HOME: process.env["HOME"], ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  onTestFinished(() => void child.kill());
  let output = "";
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (text: string) => (output += text));
  const [code] = (await once(child, "close")) as [number | null];
  return { code, output };
}
