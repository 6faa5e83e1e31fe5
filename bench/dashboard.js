// What twenty sign-ins a second cost a browser with the dashboard open: `npm run bench -- dashboard`.
// `node bench/dashboard.js 3` measures for three seconds a view instead of ten. Times are of the main thread's CPU, so that
// other work on the machine hardly changes them.
import { setTimeout as delay } from "node:timers/promises";
import { chromium } from "playwright-core";
import { serve } from "../dist/server.js";
import { signIns } from "./flow.js";

const SECONDS = Number(process.argv[2] ?? 10);
const PER_SECOND = 20;
const VIEWS = ["overview", "flows", "requests", "users", "control?section=scenarios"];
const LIMITS = { busy: 10, requests: 2, shift: 0.05 };
const CHROMIUM = process.env.CHROMIUM ?? "/usr/bin/chromium";

/** Layout shifts as browsers add them up: windows of at most 5 s, without a pause of 1 s. Runs in the page. */
const WATCH_SHIFTS = `
  window.shift = { worst: 0, now: 0, began: 0, last: 0 };
  new PerformanceObserver((list) => {
    for (const { value, startTime, hadRecentInput } of list.getEntries()) {
      if (hadRecentInput) continue;
      const isNew = startTime - shift.last > 1000 || startTime - shift.began > 5000;
      if (isNew) Object.assign(shift, { now: 0, began: startTime });
      shift.now += value;
      shift.last = startTime;
      shift.worst = Math.max(shift.worst, shift.now);
    }
  }).observe({ type: "layout-shift", buffered: false });`;

const svc = await serve({ port: 0, store: "memory", providers: "simulated" });
const browser = await chromium.launch({ executablePath: CHROMIUM, args: ["--no-sandbox", "--disable-gpu"] });
try {
  await steadySignIns(2);
  const rows = [];
  for (const view of VIEWS) rows.push(await measured(view));
  console.table(Object.fromEntries(rows));
  console.log(`Limits: ${LIMITS.busy} % of a core, ${LIMITS.requests} requests a second, a shift of ${LIMITS.shift}.`);
} finally {
  await browser.close();
  await svc.close();
}

async function measured(view) {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
  const page = await context.newPage();
  const asked = [];
  page.on("request", (request) => asked.push(new URL(request.url()).pathname.replace(/^\/__svc\/v1/, "")));
  await page.goto(await link());
  // Signing in leads to the overview.
  await page.getByTestId("stream-status").getByText("Live").waitFor();
  await page.goto(`${svc.url}/__svc/#/${view}`);
  await page.getByTestId("stream-status").getByText("Live").waitFor();
  await delay(500);
  asked.length = 0;
  await page.reload();
  await page.getByTestId("stream-status").getByText("Live").waitFor();
  await page.locator(".placeholder").first().waitFor({ state: "detached" });
  await delay(1000);
  const atOpening = asked.filter((path) => /^\/[a-z]/.test(path) && !path.startsWith("/__svc"));
  asked.length = 0;

  // In the middle, where somebody is about to click.
  const row = page.locator("tbody tr").nth(3);
  const hasRows = (await row.count()) > 0;
  const cdp = await context.newCDPSession(page);
  await cdp.send("Performance.enable", { timeDomain: "threadTicks" });
  const before = await busyTime(cdp);
  const start = performance.now();
  await steadySignIns(SECONDS);
  const seconds = (performance.now() - start) / 1000;
  const busy = (await busyTime(cdp)) - before;
  const requests = asked.length / seconds;

  // A list that is watched moves as it grows; one that is read must not.
  if (hasRows) await row.hover();
  await page.evaluate(WATCH_SHIFTS);
  const under = () => page.evaluate(`document.querySelector("tbody tr:hover")?.dataset.id`);
  const first = await under();
  await steadySignIns(2);
  const shift = await page.evaluate("shift.worst");
  const stays = hasRows ? first === (await under()) : "no rows";
  await context.close();
  return [
    view,
    {
      "% of a core": round((busy / seconds) * 100),
      "requests/s": round(requests),
      "shift under the pointer": round(shift),
      "row stays under the pointer": stays,
      "requests at opening": atOpening.length,
      twice: atOpening.filter((path, n) => atOpening.indexOf(path) !== n).join(" "),
    },
  ];
}

/** Twenty a second, however long each takes. */
async function steadySignIns(seconds) {
  const all = [];
  for (let n = 0; n < seconds * PER_SECOND; n++) {
    all.push(signIns({ port: svc.port, key: svc.instances[0].secret_key, lanes: 1, most: 1, seconds: 60 }));
    await delay(1000 / PER_SECOND);
  }
  await Promise.all(all);
}

async function busyTime(cdp) {
  const { metrics } = await cdp.send("Performance.getMetrics");
  return metrics.find(({ name }) => name === "TaskDuration").value;
}

async function link() {
  const response = await fetch(`${svc.url}/__svc/v1/dashboard-links`, {
    method: "POST",
    headers: { authorization: `Bearer ${svc.control_key}`, "content-type": "application/json" },
    body: "{}",
  });
  return (await response.json()).url;
}

function round(value) {
  return Math.round(value * 1000) / 1000;
}
