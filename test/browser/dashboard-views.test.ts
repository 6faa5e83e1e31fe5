// Below the faces: how a hostile name is shown is one rule.
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { visible } from "../../src/text/harmless.ts";
import { CHROMIUM } from "../_browser.ts";
import { openDashboard, overflow, signIn, violations, type Dashboard } from "../_dashboard.ts";
import { openRecord, RECORD_VIEWS, VIEW_PATHS } from "../_dashboard-views.ts";
import { useFresh } from "../_fresh.ts";

/** The directory for pictures of the views; without it none are taken. */
const SCREENSHOTS = process.env["SVC_SCREENSHOTS"];
const WIDTHS = [360, 768, 1280, 1920];
const LOOKS = [
  [1280, "light"],
  [360, "dark"],
] as const;
/** Texts that a view must show as plain text. */
const HOSTILE = [
  "<img src=x onerror=alert(1)>",
  "محمد بن موسى الخوارزمي",
  "👩🏽‍🚀👨‍👩‍👧‍👦🚀",
  `${"x".repeat(248)}<b>&amp;`,
  "\u202Etxt.exe\u202C",
];

describe.skipIf(CHROMIUM === undefined)("The dashboard's view", () => {
  let dashboard: Dashboard;
  let ids: { user: string; flow: string; request: string };

  useFresh(
    async () => {
      dashboard = await openDashboard();
      const { svc, control } = dashboard;
      for (const outcome of ["success", "success", "access_denied", "code_rejected", "success", "email_not_verified"])
        for (const provider of ["google", "github"])
          await signIn(svc, { provider, outcome, as: provider === "google" ? "grace@acme.test" : "ada@acme.test" });
      await fillWithHostile(dashboard);
      const flow = (await signIn(svc, { outcome: "code_rejected" })).flow_id as string;
      await fetch(`${svc.url}/api/v1/users/search?query=${encodeURIComponent("email:<script>")}`);
      await control("POST /snapshots", { name: "before-import" });
      const requests = (await control("GET /requests")).body as { id: string; data: { path: string } }[];
      const users = (await control("GET /users?query=email:ada@acme.test")).body as { id: string }[];
      ids = {
        user: users[0]!.id,
        flow,
        request: requests.find(({ data }) => data.path.startsWith("/api/v1/users/search"))!.id,
      };
    },
    () => dashboard?.close(),
  );

  it("is one of a table that these tests go through", async () => {
    await dashboard.visit("overview");
    const links = await dashboard.page.evaluate<string[]>(
      "[...document.querySelectorAll('.nav-link')].map((link) => link.hash.slice(2))",
    );
    expect(VIEW_PATHS.slice(0, links.length)).toEqual(links);
    await dashboard.visit("control");
    expect(VIEW_PATHS.length - links.length).toBe(await dashboard.page.locator(".tabs a").count());
    expect(RECORD_VIEWS).toEqual(expect.arrayContaining(["instances", "users", "flows", "requests"]));
  });

  const VIEWS: [name: string, open: () => Promise<void>][] = [
    ...VIEW_PATHS.map((path): [string, () => Promise<void>] => [
      path.replace("?section=", "-"),
      () => dashboard.visit(path),
    ]),
    ...RECORD_VIEWS.map((path): [string, () => Promise<void>] => [`${path}-record`, () => openRecord(dashboard, path)]),
    ["user-ada", () => dashboard.visit(`users/${ids.user}`)],
    ["flow-that-failed", () => dashboard.visit(`flows/${ids.flow}`)],
    ["request-that-failed", () => dashboard.visit(`requests/${ids.request}`)],
    ["users-of-nobody", () => dashboard.visit("users?query=name:nobody")],
    ["missing-record", () => dashboard.visit("users/00000000-0000-4000-8000-000000000000")],
  ];

  it.each(VIEWS)(
    "%s fits at 360, 768, 1280 and 1920 px, and has no axe violation, with the pointer on a row too",
    async (name, open) => {
      const { page, faults } = dashboard;
      await open();
      const found: string[] = [];
      for (const width of WIDTHS) {
        await page.setViewportSize({ width, height: 800 });
        const excess = await overflow(page);
        if (excess > 0) found.push(`${width}: ${excess} px too wide`);
      }
      // Each color scheme and each layout once: axe takes longer than all the rest.
      for (const [width, colorScheme] of LOOKS) {
        await page.emulateMedia({ colorScheme });
        await page.setViewportSize({ width, height: 800 });
        if (SCREENSHOTS)
          await page.screenshot({ path: join(SCREENSHOTS, `${name}-${width}-${colorScheme}.png`), fullPage: true });
        for (const row of (await page.getByTestId("row").all()).slice(0, 1)) await row.hover();
        found.push(...(await violations(page)).map((violation) => `${colorScheme} ${width}: ${violation}`));
      }
      expect(found).toEqual([]);
      expect(faults).toEqual([]);
    },
  );

  const STATES: [name: string, open: () => Promise<void>][] = [
    [
      "try-it-result",
      async () => {
        await dashboard.visit("try-it");
        await dashboard.page.getByTestId("run-sign-in").click();
        await dashboard.page.getByTestId("verdict").waitFor();
      },
    ],
    [
      "user-with-token",
      async () => {
        await dashboard.visit(`users/${ids.user}`);
        await dashboard.page.getByTestId("mint").click();
        await dashboard.page.getByText("See why").waitFor();
      },
    ],
    [
      "new-user",
      async () => {
        await dashboard.visit("users");
        await dashboard.page.getByRole("button", { name: "New user" }).click();
        await dashboard.page.getByRole("dialog").waitFor();
      },
    ],
    [
      "refused-search",
      async () => {
        await dashboard.visit("users");
        await dashboard.page.getByTestId("filter-query").fill("nmae:ada");
        await dashboard.page.getByTestId("problem").waitFor();
      },
    ],
    [
      "edit-persona",
      async () => {
        await dashboard.visit("control?section=personas");
        await dashboard.page.getByRole("button", { name: "Edit…" }).first().click();
        await dashboard.page.getByRole("dialog").waitFor();
      },
    ],
  ];

  it.each(STATES)("%s has no axe violation and fits at 360 and 1280 px", async (name, open) => {
    const { page } = dashboard;
    const found: string[] = [];
    for (const [width, colorScheme] of LOOKS) {
      await page.emulateMedia({ colorScheme });
      await page.setViewportSize({ width, height: 800 });
      await open();
      const excess = await overflow(page);
      if (excess > 0) found.push(`${width}: ${excess} px too wide`);
      if (SCREENSHOTS)
        await page.screenshot({ path: join(SCREENSHOTS, `${name}-${width}-${colorScheme}.png`), fullPage: true });
      found.push(...(await violations(page)).map((violation) => `${width}: ${violation}`));
      await page.keyboard.press("Escape");
    }
    expect(found).toEqual([]);
  });

  it.each(["users", "sessions", "instances", "control?section=scenarios"])(
    "%s shows hostile names as plain text",
    async (address) => {
      const { page, visit, faults } = dashboard;
      await visit(address);
      const text = await page.evaluate<string>("document.querySelector('main').textContent");
      expect(HOSTILE.filter((name) => !text.includes(visible(name)))).toEqual([]);
      expect(text, "turned by nothing unseen").not.toMatch(/[\u202a-\u202e]/u);
      expect(text).toContain("[U+202E]txt.exe[U+202C]");
      expect(await page.locator("main img, main b b, main script").count()).toBe(0);
      expect(faults).toEqual([]);
    },
  );
});

/** Puts each hostile text at every place that a user, a provider or an application can write. */
async function fillWithHostile({ control, svc }: Dashboard): Promise<void> {
  for (const [n, name] of HOSTILE.entries()) {
    const email = `hostile-${n}.${"long-address.".repeat(3)}@example.test`.replace(".@", "@");
    const made = [
      await control("POST /users", { name, email }),
      await control("POST /personas", {
        name,
        email: `persona-${n}@example.test`,
        google: { sub: `9${n}`, email_verified: true },
      }),
      await control("POST /instances", { name, subdomain: `hostile-${n}` }),
      await control("POST /scenarios", { label: name, outcome: "access_denied", match: { login_hint: name } }),
    ];
    expect(made.map(({ status, body }) => (status === 201 ? 201 : body))).toEqual([201, 201, 201, 201]);
    await signIn(svc, { as: `persona-${n}@example.test` });
    await fetch(`${svc.url}/api/v1/users/search?query=${encodeURIComponent(name)}`, { headers: { "user-agent": "x" } });
  }
}
