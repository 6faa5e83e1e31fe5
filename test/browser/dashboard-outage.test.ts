import { expect, it, onTestFinished } from "vitest";
import { CHROMIUM } from "../_browser.ts";
import { openDashboard, signIn } from "../_dashboard.ts";
import { startCluster } from "../postgres/_postgres.ts";

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
