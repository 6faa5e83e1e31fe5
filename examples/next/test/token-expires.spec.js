import { expect, test } from "svc-identity/testing/playwright";

const ADA = "ada@acme.test";

// One service for all tests: its clock is not reset by itself.
test.afterEach(({ svc }) => svc.clock.reset());

test("the token expires while the user is on the page", async ({ page, signInAs, svc }) => {
  await signInAs(page, ADA);
  await expect(page.getByText("Hello Ada Lovelace")).toBeVisible();
  expect((await page.request.get("/me")).status()).toBe(200);

  // The application runs in a process of its own, and follows the service's clock.
  await svc.clock.advance("61m");
  expect((await page.request.get("/me")).status()).toBe(401);
  await page.reload();
  await expect(page.getByRole("link", { name: "Sign in" })).toBeVisible();

  await signInAs(page, ADA);
  await expect(page.getByText("Hello Ada Lovelace")).toBeVisible();
});
