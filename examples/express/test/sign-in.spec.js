import { expect } from "@playwright/test";
import { test } from "./app.js";

const ADA = "ada@acme.test";

test("a user signs in and sees their page", async ({ page, signInAs }) => {
  await signInAs(page, ADA);
  await expect(page).toHaveURL("/me");
  await expect(page.locator("body")).toContainText(ADA);
});

/** How a sign-in can fail, and what the user reads then. */
const FAILURES = {
  access_denied: "You cancelled the sign-in.",
  email_not_verified: "Your e-mail address is not verified there.",
  email_primary_not_verified: "Your e-mail address is not verified there.",
  code_rejected: "The sign-in failed.",
  invalid_client: "The sign-in failed.",
  redirect_uri_mismatch: "The sign-in failed.",
  token_garbage: "The sign-in failed.",
  token_error: "Sign-in is not available at the moment.",
  token_timeout: "Sign-in is not available at the moment.",
  rate_limited: "Sign-in is not available at the moment.",
  profile_error: "Sign-in is not available at the moment.",
  provider_unreachable: "Sign-in is not available at the moment.",
  temporarily_unavailable: "Sign-in is not available at the moment.",
};

for (const [outcome, message] of Object.entries(FAILURES)) {
  test(`a user reads what to do after ${outcome}`, async ({ page, signInAs }) => {
    await signInAs(page, ADA, { outcome, path: "/sign-in?provider=github" });
    await expect(page.getByText(message)).toBeVisible();
    await page.getByRole("link", { name: "Try again" }).click();
    await expect(page).not.toHaveURL("/callback");
  });
}

// The service itself refuses these, so that the application never hears of them.
for (const outcome of ["state_expired", "callback_replayed"]) {
  test(`a user is shown that the sign-in has expired after ${outcome}`, async ({ page, signInAs }) => {
    await signInAs(page, ADA, { outcome });
    await expect(page.getByText("Invalid or expired state")).toBeVisible();
  });
}

test("a link in a mail to a guarded page leads through sign-in, and back to that page", async ({
  page,
  svc,
  baseURL,
}) => {
  await svc.scenarios.next({ as: ADA });
  const mail = `<a href="${baseURL}/dashboard?week=48">Your report</a>`;
  await page.route("http://mail.example/", (route) => route.fulfill({ contentType: "text/html", body: mail }));
  await page.goto("http://mail.example/");
  await page.getByRole("link", { name: "Your report" }).click();
  await page.getByRole("link", { name: "Sign in" }).click();
  await expect(page).toHaveURL("/dashboard?week=48");
  await expect(page.locator("body")).toContainText(ADA);
  await page.getByRole("button", { name: "Sign out" }).click();
  await page.goto("/dashboard");
  await expect(page.getByRole("link", { name: "Sign in" })).toBeVisible();
});

test("a new user whose account has no name is shown by their login", async ({ page, signInAs }) => {
  await signInAs(page, "joan@example.com", { outcome: "name_missing", path: "/sign-in?provider=github" });
  await expect(page.locator("body")).toContainText('"name":"joan');
});

test.describe("a user who is signed in", () => {
  test.use({ storageState: async ({ storageStateFor }, use) => use(await storageStateFor(ADA)) });

  test("sees their page without signing in", async ({ page }) => {
    await page.goto("/me");
    await expect(page.locator("body")).toContainText(ADA);
  });

  test("is signed in again when the token has expired", async ({ storageStateFor, svc }) => {
    const before = await storageStateFor(ADA);
    expect(await storageStateFor(ADA)).toBe(before);
    await svc.clock.advance("61m");
    expect(await storageStateFor(ADA)).not.toBe(before);
  });

  test("is refused when the token expires while they are on the page", async ({ page, svc }) => {
    await page.goto("/me");
    await expect(page.locator("body")).toContainText(ADA);
    await svc.clock.advance("61m");
    const response = await page.reload();
    expect(response.status()).toBe(401);
  });
});
