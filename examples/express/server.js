import express from "express";
import { beginSignIn, finishSignIn } from "svc-identity/sign-in";
import { authenticateRequest } from "svc-identity/verify";

const SIGN_IN = `<p><a href="/sign-in">Sign in</a></p>`;
const SIGN_OUT = `<form method="post" action="/sign-out"><button>Sign out</button></form>`;
const PROVIDERS = ["google", "github", "twitter"];

/** What a user reads for each way in which a sign-in can end without a token. */
const FAILURES = new Map([
  ["access_denied", "You cancelled the sign-in."],
  ["email_not_verified", "Your e-mail address is not verified there. Verify it with the provider, then try again."],
  ["temporarily_unavailable", "Sign-in is not available at the moment. Please try again in a minute."],
  ["server_error", "The sign-in failed. Please try again."],
  ["sign_in_not_begun", "This sign-in has expired. Please start again."],
  ["sign_in_refused", "Please sign in here."],
]);

/**
 * An application that signs its users in through the service.
 * @param {{ secretKey: string, baseUrl: string, origin: string, now?: () => Date }} settings `origin` is where this
 * application is; `now` replaces the clock in tests
 */
export function createApp({ secretKey, baseUrl, origin, now }) {
  const signIn = { secretKey, baseUrl, redirectUri: `${origin}/callback`, now };
  const secure = origin.startsWith("https:");
  const cookie = { httpOnly: true, sameSite: "lax", secure };
  // The prefix keeps other hosts of the domain from setting it; browsers take it over https alone.
  const cookieName = secure ? "__Host-token" : "token";
  const app = express();

  app.get("/", (request, response) => {
    response.send(page(SIGN_IN));
  });

  app.get("/sign-in", async (request, response) => {
    // Without a provider, the instance's default.
    const provider = PROVIDERS.find((name) => name === request.query.provider);
    const begun = await beginSignIn(request, { ...signIn, provider, returnTo: request.query.return_to ?? "/me" });
    response.set(begun.headers);
    if (!begun.ok) return response.status(400).send(page(retry(begun.error.code, request.query.return_to)));
    response.redirect(begun.location);
  });

  app.get("/callback", async (request, response) => {
    const finished = await finishSignIn(request, signIn);
    response.set(finished.headers);
    // Behind the right nonce, only a wrong key or a wrong clock makes a token invalid.
    if (finished.error?.name === "TokenError") console.error(finished.error.message);
    if (!finished.ok) return response.status(401).send(page(retry(finished.error.code)));
    // The token leaves the address bar at once.
    response.cookie(cookieName, finished.token, { ...cookie, maxAge: 3_600_000 });
    response.redirect(finished.returnTo);
  });

  app.get("/me", async (request, response) => {
    const user = await authenticateRequest(request, { secretKey, cookie: cookieName, now });
    if (user.status === "signed-out") return response.status(401).send(page(SIGN_IN));
    const { sub, name, email, provider } = user.claims;
    response.json({ id: sub, name, email, provider });
  });

  // A page for signed-in users, which a link in somebody's mail may open. It shows a link to sign in and does not redirect
  // to it: a sign-in begins with a click on a page of this application.
  app.get("/dashboard", async (request, response) => {
    const user = await authenticateRequest(request, { secretKey, cookie: cookieName, now });
    if (user.status === "signed-out") return response.status(401).send(page(signInFor(request.originalUrl)));
    response.send(page(`<h1>Dashboard</h1><p>${escaped(user.claims.email)}</p>${SIGN_OUT}`));
  });

  app.post("/sign-out", (request, response) => {
    response.clearCookie(cookieName, cookie);
    response.redirect(303, "/");
  });

  return app;
}

function page(content) {
  return `<!doctype html><html lang="en"><title>Example</title><main>${content}</main></html>`;
}

/** Begins a sign-in that returns to a page. `beginSignIn` takes a path of this application alone. */
function signInFor(returnTo) {
  return `<p><a href="/sign-in?return_to=${encodeURIComponent(returnTo)}">Sign in</a> to see this page.</p>`;
}

/** Shows fixed text only: nothing from an address is on a page but where to return to, encoded. */
function retry(code, returnTo) {
  const message = FAILURES.get(code) ?? FAILURES.get("server_error");
  const query = typeof returnTo === "string" ? `?return_to=${encodeURIComponent(returnTo)}` : "";
  return `<p>${message}</p><p><a href="/sign-in${query}">Try again</a></p>`;
}

function escaped(text) {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
}
