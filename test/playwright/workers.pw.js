import { expect, test } from "svc-identity/testing/playwright";

/** What the application receives for each outcome. */
const RECEIVED = {
  success: "token",
  access_denied: "access_denied",
  rate_limited: "temporarily_unavailable",
  code_rejected: "server_error",
  email_not_verified: "email_not_verified",
};
const OUTCOMES = Object.keys(RECEIVED);
const TESTS = 16;
const SIGN_INS = 10;

for (let n = 0; n < TESTS; n++) {
  test(`test ${n} meets its own scenarios alone`, async ({ context, svc }) => {
    const redirectUri = `${svc.url}/__svc/signed-in`;
    const url = await svc.client().signInUrl({ redirectUri, provider: "google" });
    const start = new URL(url);
    const front = `${svc.url}${start.pathname}${start.search}`;
    for (let i = 0; i < SIGN_INS; i++) {
      const outcome = OUTCOMES[(n + i) % OUTCOMES.length];
      await svc.scenarios.next({ outcome, as: "ada" });
      const response = await context.request.get(front, { headers: { accept: "text/html" } });
      const { searchParams } = new URL(response.url());
      expect(searchParams.get("error") ?? (searchParams.has("token") ? "token" : response.url())).toBe(
        RECEIVED[outcome],
      );
    }
  });
}

test("contexts that a test creates itself meet its scenarios too", async ({ browser, svc }) => {
  const context = await browser.newContext();
  expect((await context.cookies()).map(({ name }) => name)).toContain("svc_browser");
  await svc.scenarios.next({ outcome: "access_denied" });
  const redirectUri = encodeURIComponent(`${svc.url}/__svc/signed-in`);
  const page = await context.newPage();
  await page.goto(`${svc.url}/oauth/authorize?provider=google&redirect_uri=${redirectUri}`);
  await svc.scenarios.assertMet();
  await context.close();
});

test("a test fails if one of its scenarios was never met", async ({ svc }) => {
  test.fail();
  await svc.scenarios.next({ outcome: "access_denied" });
});
