import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { serve } from "../../src/server/index.ts";
import { CHROMIUM } from "../_browser.ts";
import { openDashboard, signIn } from "../_dashboard.ts";
import { startCluster } from "../postgres/_postgres.ts";
import { temporaryDirectory } from "../_files.ts";
import { freePort } from "../_free-port.ts";

it.skipIf(CHROMIUM === undefined)(
  "The dashboard reports that PostgreSQL is unavailable and shows everything again when it is back",
  async () => {
    const cluster = await startCluster();
    const dashboard = await openDashboard({ store: cluster.url("postgres"), warn: () => {} });
    onTestFinished(() => dashboard.close());
    const { page, svc } = dashboard;
    await page.goto(`${svc.url}/__svc/#/users`);
    await page.getByTestId("row").getByText("ada@acme.test").waitFor();
    await cluster.control("stop", "-m", "immediate");
    await page.goto(`${svc.url}/__svc/#/sessions`);
    const problem = page.getByTestId("service-problem");
    await problem.waitFor();
    expect(await problem.textContent()).toMatch(/storage|database/i);
    await cluster.control("start", "-w");
    await problem.waitFor({ state: "detached" });
    await page.getByTestId("row").first().waitFor();
    const { flow_id } = await signIn(svc);
    await page.goto(`${svc.url}/__svc/#/flows/${String(flow_id)}`);
    await page.getByTestId("step").first().waitFor();
    expect(dashboard.faults).toEqual([]);
  },
);

it.skipIf(CHROMIUM === undefined)(
  "The dashboard shows a view that was opened while the server was stopped as soon as the server is back",
  async () => {
    // Not one of the system's choice, which another program could be given while the server is stopped.
    const port = await freePort();
    const options = { store: join(temporaryDirectory(), "db.json"), providers: "simulated", port } as const;
    const dashboard = await openDashboard(options);
    const { page, svc } = dashboard;
    onTestFinished(() => dashboard.close());
    await svc.close();
    for (const view of ["users", "sessions"]) {
      await page.getByTestId("reconnecting").waitFor();
      await page.goto(`${svc.url}/__svc/#/${view}`);
      await page.getByTestId("problem").getByText("cannot be reached").waitFor();
      const again = await serve(options);
      await page.getByTestId("row").first().waitFor();
      await again.close();
    }
  },
);
