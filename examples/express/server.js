import express from "express";
import { createClient } from "svc-identity";
import { authenticateRequest } from "svc-identity/verify";

const COOKIE = "token";
const ATTEMPT = "signing_in";
const SIGN_IN = `<p><a href="/sign-in">Sign in</a></p>`;
const PROVIDERS = ["google", "github", "twitter"];

/** What a user reads for each way in which a sign-in can end without a token. */
const FAILURES = new Map([
  ["access_denied", "You cancelled the sign-in."],
  ["email_not_verified", "Your e-mail address is not verified there. Verify it with the provider, then try again."],
  ["account_conflict", "Another account has your e-mail address. Sign in the way you did the first time."],
  ["temporarily_unavailable", "Sign-in is not available at the moment. Please try again in a minute."],
  ["server_error", "The sign-in failed. Please try again."],
  ["expired", "This sign-in has expired. Please start again."],
]);

/**
 * An application that signs its users in through the service.
 * @param {{ secretKey: string, baseUrl: string, origin: string, now?: () => Date }} settings `origin` is where this
 * application is; `now` replaces the clock in tests
 */
export function createApp({ secretKey, baseUrl, origin, now }) {
  const svc = createClient({ secretKey, baseUrl });
  const secure = origin.startsWith("https:");
  const cookie = { httpOnly: true, sameSite: "lax", secure };
  const app = express();

  app.get("/", (request, response) => {
    response.send(page(SIGN_IN));
  });

  app.get("/sign-in", async (request, response) => {
    // Another site must not start a sign-in, or it could finish one as another user. Its visitors start here.
    if (request.headers["sec-fetch-site"] === "cross-site") return response.redirect("/");
    // Tells the callback that this browser started the sign-in.
    response.cookie(ATTEMPT, "1", { ...cookie, maxAge: 600_000 });
    // Without one, the instance's default.
    const provider = PROVIDERS.find((name) => name === request.query.provider);
    response.redirect(await svc.signInUrl({ redirectUri: `${origin}/callback`, provider }));
  });

  app.get("/callback", async (request, response) => {
    const { token, error } = request.query;
    if (!cookieNames(request).includes(ATTEMPT)) return response.status(400).send(page(retry("expired")));
    response.clearCookie(ATTEMPT, cookie);
    if (typeof token !== "string") return response.status(401).send(page(retry(error)));
    const result = await svc.tokens.check(token);
    if (!result.ok) return response.status(401).send(page(retry("expired")));
    // The token leaves the address bar at once.
    response.cookie(COOKIE, token, { ...cookie, maxAge: 3_600_000 });
    response.redirect("/me");
  });

  app.get("/me", async (request, response) => {
    const user = await authenticateRequest(request, { secretKey, cookie: COOKIE, now });
    if (user.status === "signed-out") return response.status(401).send(page(SIGN_IN));
    const { sub, name, email, provider } = user.claims;
    response.json({ id: sub, name, email, provider });
  });

  app.post("/sign-out", (request, response) => {
    response.clearCookie(COOKIE, cookie);
    response.redirect(303, "/");
  });

  // The service could not be reached, or refused the key: the log says why, and the user can try again.
  app.use((error, request, response, _next) => {
    console.error(error.message);
    response.status(502).send(page(retry("temporarily_unavailable")));
  });

  return app;
}

function page(content) {
  return `<!doctype html><html lang="en"><title>Example</title><main>${content}</main></html>`;
}

/** Shows fixed text only: nothing from an address is on a page. */
function retry(error) {
  const message = FAILURES.get(error) ?? FAILURES.get("server_error");
  return `<p>${message}</p><p><a href="/sign-in">Try again</a></p>`;
}

function cookieNames(request) {
  return (request.headers.cookie ?? "").split(";").map((pair) => pair.split("=")[0].trim());
}
