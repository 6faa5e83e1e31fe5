import { expect, test } from "svc-identity/testing/playwright";

const ADA = "ada@acme.test";

for (const provider of ["google", "github", "twitter"]) {
  const path = `/sign-in?provider=${provider}`;

  test(`a user signs in with ${provider}`, async ({ page, signInAs }) => {
    await signInAs(page, "ada", { path });
    await expect(page.getByText("Hello Ada Lovelace")).toBeVisible();
  });

  test(`a user who cancels at ${provider} reads so`, async ({ page, signInAs }) => {
    await signInAs(page, "ada", { path, outcome: "access_denied" });
    await expect(page.getByText("You cancelled the sign-in.")).toBeVisible();
  });

  test(`the token of ${provider} expires while the user is on the page`, async ({ page, signInAs, svc }) => {
    await signInAs(page, "ada", { path });
    expect((await page.request.get("/me")).status()).toBe(200);
    // The application runs in a process of its own, and follows the clock of its worker's service.
    await svc.clock.advance("61m");
    expect((await page.request.get("/me")).status()).toBe(401);
    await page.reload();
    await expect(page.getByRole("link", { name: "Sign in" })).toBeVisible();
    await signInAs(page, "ada", { path });
    await expect(page.getByText("Hello Ada Lovelace")).toBeVisible();
  });
}

/** A page of another site with a link, such as a mail that is read in a browser. */
async function linkFromElsewhere(page, href) {
  const body = `<a href="${href}">Your report</a>`;
  await page.route("http://mail.example/", (route) => route.fulfill({ contentType: "text/html", body }));
  await page.goto("http://mail.example/");
  await page.getByRole("link", { name: "Your report" }).click();
}

test("a link in a mail to a guarded page leads through sign-in, and back to it", async ({ page, svc, baseURL }) => {
  await svc.scenarios.next({ as: ADA });
  await linkFromElsewhere(page, `${baseURL}/dashboard`);
  await page.getByRole("link", { name: "Sign in" }).click();
  await expect(page).toHaveURL("/dashboard");
  await expect(page.getByText(ADA)).toBeVisible();
});

test("a link in a mail to the sign-in itself begins none until a click here", async ({ page, svc, baseURL }) => {
  await svc.scenarios.next({ as: ADA });
  await linkFromElsewhere(page, `${baseURL}/sign-in?return_to=/dashboard`);
  await expect(page.getByText("Please sign in here.")).toBeVisible();
  await page.getByRole("link", { name: "Sign in" }).click();
  await expect(page).toHaveURL("/dashboard");
});

test("a user who is signed in sees the guarded page at once", async ({ browser, storageStateFor, baseURL }) => {
  const context = await browser.newContext({ baseURL, storageState: await storageStateFor(ADA) });
  const page = await context.newPage();
  await page.goto("/dashboard");
  await expect(page.getByText(ADA)).toBeVisible();
  await context.close();
});
