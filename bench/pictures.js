// Makes the pictures of the documents anew, in docs/images: `npm run pictures`. It needs Chromium.
import { writeFile } from "node:fs/promises";
import { setTimeout as delay } from "node:timers/promises";
import { chromium } from "playwright-core";
import { serve } from "../dist/server.js";
import { animatedWebp } from "./animated-webp.js";

const CHROMIUM = process.env.CHROMIUM ?? "/usr/bin/chromium";
const PICTURES = new URL("../docs/images/", import.meta.url);
const MINUTE = 60_000;
const size = { width: 1280, height: 800 };
const TOUR = { width: 1120, height: 700 };

// The sign-ins are spread over the last quarter of an hour.
let behind = 14 * MINUTE;
const svc = await serve({
  port: 0,
  store: "memory",
  providers: "simulated",
  now: () => new Date(Date.now() - behind),
});
const browser = await chromium.launch({ executablePath: CHROMIUM, args: ["--no-sandbox", "--disable-gpu"] });
try {
  await signIns();
  await stills();
  await tour();
} finally {
  await browser.close();
  await svc.close();
}

async function control(method, path, body) {
  const answer = await fetch(`${svc.url}/__svc/v1${path}`, {
    method,
    headers: { authorization: `Bearer ${svc.control_key}`, "content-type": "application/json" },
    ...(body && { body: JSON.stringify(body) }),
  });
  if (!answer.ok) throw new Error(`${method} ${path}: ${await answer.text()}`);
  return answer.json();
}

async function signIns() {
  const accounts = ["ada", "grace", "sofya", "ada"];
  const providers = ["google", "github", "twitter"];
  const outcomes = ["success", "success", "success", "success", "access_denied", "success", "success", "success"];
  for (let n = 0; n < 44; n++) {
    behind = Math.round((14 - (n * 14) / 44) * MINUTE);
    const outcome = n === 27 ? "token_timeout" : outcomes[(n * 5) % 8];
    await control("POST", "/sign-ins", { provider: providers[n % 3], as: accounts[(n * 7) % 4], outcome });
  }
  await control("POST", "/sign-ins", { provider: "github", as: "alan" });
  behind = 0;
}

async function openDashboard(viewport) {
  const context = await browser.newContext({ viewport, colorScheme: "light", reducedMotion: "reduce" });
  const page = await context.newPage();
  await page.goto((await control("POST", "/dashboard-links")).url);
  await page.getByTestId("stream-status").getByText("Live").waitFor();
  return page;
}

async function stills() {
  const page = await openDashboard(size);
  const take = async (name, address) => {
    await page.goto(`${svc.url}/__svc/#/${address}`);
    await page.locator(".placeholder").first().waitFor({ state: "detached" });
    await delay(600);
    await page.screenshot({ path: new URL(`dashboard-${name}.png`, PICTURES).pathname });
  };
  const [failed] = await control("GET", "/flows?result=error&reason=verified");
  await take("overview", "overview");
  await take("flow", `flows/${failed.id}`);
  await take("users", "users?query=email:*@acme.test");
  await control("POST", "/scenarios", {
    match: { provider: "github" },
    outcome: "rate_limited",
    label: "checkout test",
  });
  await take("control", "control");
  await control("DELETE", "/scenarios");
  await page.goto(`${svc.url}/__svc/#/try-it`);
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
  await page.getByText("Claims").first().waitFor();
  await page.screenshot({ path: new URL("dashboard-try-it.png", PICTURES).pathname });
  await page.context().close();
}

/** The account picker, a sign-in that fails, and why: what somebody does who looks for the reason. */
async function tour() {
  const dashboard = await openDashboard(TOUR);
  const frames = [];
  const from = { x: TOUR.width / 2, y: TOUR.height - 60 };

  async function frame(page, ms) {
    const session = await page.context().newCDPSession(page);
    const { data } = await session.send("Page.captureScreenshot", { format: "webp", quality: 70 });
    await session.detach();
    frames.push({ picture: Buffer.from(data, "base64"), ms });
  }
  /** A screenshot has no pointer, so it is drawn. */
  async function pointAt(page, target) {
    const { x, y, width, height } = await target.boundingBox();
    const to = { x: x + Math.min(width / 2, 120), y: y + height / 2 };
    for (const part of [0.35, 0.7, 0.9, 1]) {
      const at = { x: from.x + (to.x - from.x) * part, y: from.y + (to.y - from.y) * part };
      await page.mouse.move(at.x, at.y);
      await page.evaluate(drawPointer, at);
      await frame(page, part === 1 ? 500 : 90);
    }
    Object.assign(from, to);
  }
  async function click(page, target) {
    await pointAt(page, target);
    await target.click();
  }

  const picker = await (await browser.newContext({ viewport: TOUR, colorScheme: "light" })).newPage();
  await picker.route("http://localhost:3000/**", (route) => route.fulfill({ body: "" }));
  const start = new URLSearchParams({ provider: "github", redirect_uri: `${svc.url}/__svc/signed-in` });
  await picker.goto(`${svc.url}/oauth/authorize?${start}`);
  await frame(picker, 1200);
  await click(picker, picker.getByTestId("account-alan"));
  await picker.getByTestId("error").waitFor();
  await frame(picker, 1600);

  await dashboard.goto(`${svc.url}/__svc/#/overview`);
  await delay(600);
  await frame(dashboard, 1200);
  const search = dashboard.getByTestId("find-person");
  await click(dashboard, search);
  for (const text of ["a", "al", "alan"]) {
    await search.fill(text);
    await frame(dashboard, 160);
  }
  await search.press("Enter");
  const row = dashboard.getByTestId("row").first();
  await row.getByText("alan").waitFor();
  await delay(600);
  await frame(dashboard, 900);
  await click(dashboard, row.getByRole("link").first());
  await dashboard.getByText("failed", { exact: true }).waitFor();
  await delay(600);
  await frame(dashboard, 1200);
  for (const pixels of [60, 140, 120]) {
    await dashboard.mouse.wheel(0, pixels);
    await delay(60);
    await frame(dashboard, 90);
  }
  await frame(dashboard, 3500);
  await writeFile(new URL("tour.webp", PICTURES), animatedWebp(frames, TOUR.width, TOUR.height));
}

/** Runs in the page. */
function drawPointer({ x, y }) {
  const namespace = "http://www.w3.org/2000/svg";
  document.querySelector("#pointer")?.remove();
  const svg = document.createElementNS(namespace, "svg");
  svg.id = "pointer";
  svg.setAttribute("viewBox", "0 0 20 28");
  Object.assign(svg.style, { position: "fixed", zIndex: 1e9, width: "20px", pointerEvents: "none" });
  Object.assign(svg.style, { left: `${x}px`, top: `${y}px` });
  const path = document.createElementNS(namespace, "path");
  path.setAttribute("d", "M1 1v21l5-5 4 9 4-2-4-8h7z");
  Object.assign(path.style, { fill: "#111", stroke: "#fff", strokeWidth: "1.5" });
  svg.append(path);
  document.body.append(svg);
}
