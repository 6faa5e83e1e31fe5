import { execFile, execFileSync, spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { serve, type RunningServer } from "../../src/server/index.ts";
import { CHROMIUM, launchChromium } from "../_browser.ts";
import { temporaryDirectory } from "../_files.ts";

const run = promisify(execFile);
const [WIDTH, HEIGHT] = [560, 760];

/** The program without which there is no display to click on. */
const MISSING = ["Xvfb", "xdotool"].find((program) => {
  try {
    execFileSync("/bin/sh", ["-c", `command -v ${program}`]);
    return false;
  } catch {
    return true;
  }
});

it("Xvfb and xdotool are installed", ({ skip }) => {
  const message = `${MISSING} is not installed: clicks on real windows are not tested`;
  if (MISSING !== undefined && process.env["CI"]) throw new Error(message);
  skip(MISSING !== undefined, message);
});

/** Playwright tells every page that it has the focus, so no browser that it drives can show this. */
describe.skipIf(CHROMIUM === undefined || MISSING !== undefined)("A double click on real windows", () => {
  const running: ChildProcess[] = [];
  let svc: RunningServer;
  let site: Server;
  /** The queries that arrived at the attacker's site, by path. */
  let arrived: Map<string, URLSearchParams>;
  let env: NodeJS.ProcessEnv;

  beforeEach(async () => {
    svc = await serve({ port: 0, store: "memory" });
    arrived = new Map();
    site = createServer((request, response) => {
      const url = new URL(request.url ?? "/", "http://evil.test");
      arrived.set(url.pathname, url.searchParams);
      response.setHeader("content-type", "text/html").end(pageOf(url.pathname));
    });
    await once(site.listen(0, "127.0.0.1"), "listening");
    const display = start("Xvfb", ["-displayfd", "3", "-screen", "0", "1200x900x24"]);
    const [number] = (await once(display.stdio[3]!, "data")) as [Buffer];
    env = { ...process.env, DISPLAY: `:${number.toString().trim()}` };
  });
  afterEach(async () => {
    for (const child of running.splice(0).toReversed()) {
      const ended = child.exitCode === null && once(child, "exit");
      child.kill();
      await ended;
    }
    site.close().closeAllConnections();
    await svc.close();
  });

  function start(program: string, args: readonly string[]): ChildProcess {
    const child = spawn(program, args, { env, stdio: ["ignore", "ignore", "ignore", "pipe"] });
    running.push(child);
    return child;
  }

  const origin = (): string => `http://evil.test:${(site.address() as AddressInfo).port}`;

  function startUrl(): string {
    const query = new URLSearchParams({ provider: "google", login_hint: "ada", redirect_uri: `${origin()}/catch` });
    return `${svc.url}/oauth/authorize?${query.toString()}`;
  }

  /** The attacker's windows: the picker, and a game above it that closes at the first half of a double click. */
  function pageOf(path: string): string {
    const place = `popup,left=100,top=50,width=${WIDTH},height=${HEIGHT}`;
    const open = (url: string, name: string): string => `open(${JSON.stringify(url)}, "${name}", "${place}");`;
    if (path === "/")
      return `<!doctype html><script>${open(startUrl(), "picker")} setTimeout(() => { ${open("/game", "game")} }, 3000);</script>`;
    if (path !== "/game") return "<!doctype html><p>caught</p>";
    return `<!doctype html><p>Double-click!</p><script>
      addEventListener("mousedown", () => close());
      const at = { left: screenX + (outerWidth - innerWidth) / 2, top: screenY + outerHeight - innerHeight };
      fetch("/placed?" + new URLSearchParams({ ...at, width: innerWidth, height: innerHeight }));
    </script>`;
  }

  /** Where the account is in a window of this size, by another browser. */
  async function accountIn(width: number, height: number): Promise<{ x: number; y: number }> {
    const browser = await launchChromium(["--host-resolver-rules=MAP evil.test 127.0.0.1"]);
    try {
      const page = await browser.newPage({ viewport: { width, height } });
      await page.goto(startUrl());
      const box = (await page.getByTestId("account-ada").boundingBox())!;
      return { x: box.x + box.width / 2, y: box.y + box.height / 2 };
    } finally {
      await browser.close();
    }
  }

  const click = async (times: number): Promise<unknown> =>
    run("xdotool", ["click", "--repeat", String(times), "--delay", "150", "1"], { env });

  it("T46: whose first half closes the window above chooses no account, and a click that was meant does", async () => {
    start(CHROMIUM!, [
      "--no-sandbox",
      "--disable-gpu",
      "--no-first-run",
      "--disable-popup-blocking",
      "--disable-features=LocalNetworkAccessChecks,BlockInsecurePrivateNetworkRequests",
      "--host-resolver-rules=MAP evil.test 127.0.0.1",
      `--user-data-dir=${temporaryDirectory()}`,
      `--app=${origin()}/`,
    ]);
    await expect.poll(() => [...arrived.keys()]).toContain("/placed");
    const placed = (name: string): number => Number(arrived.get("/placed")!.get(name));
    const { x, y } = await accountIn(placed("width"), placed("height"));
    const at = [placed("left") + x, placed("top") + y].map((n) => String(Math.round(n)));
    await run("xdotool", ["mousemove", ...at], { env });
    await sleep(500);
    await click(2);
    await sleep(2_000);
    expect(arrived.has("/catch")).toBe(false);
    // The same place, a second later: the window was there, and would have been hit.
    await click(1);
    await expect.poll(() => [...(arrived.get("/catch")?.keys() ?? [])]).toEqual(["token"]);
  });
});
