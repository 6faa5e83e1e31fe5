import express from "express";
import { createClient } from "svc-identity";
import { claimsOf, expressAuth } from "svc-identity/middleware";

const COOKIE = "token";
const ATTEMPT = "signing_in";

/**
 * An application that signs its users in through the service.
 * @param {{ secretKey: string, baseUrl: string, origin: string }} settings `origin` is where this application is
 */
export function createApp({ secretKey, baseUrl, origin }) {
  const svc = createClient({ secretKey, baseUrl });
  const secure = origin.startsWith("https:");
  const cookie = { httpOnly: true, sameSite: "lax", secure };
  const app = express();

  app.get("/sign-in", async (request, response) => {
    // Only a person who is here, or comes by a link of their own, begins: no other site does it for them.
    if (request.headers["sec-fetch-site"] === "cross-site") return response.status(403).send("Begin at this site.");
    // Shows the callback that this browser asked to be signed in, so that nobody signs it in as somebody else.
    response.cookie(ATTEMPT, "1", { ...cookie, maxAge: 600_000 });
    response.redirect(await svc.signInUrl({ redirectUri: `${origin}/callback` }));
  });

  app.get("/callback", async (request, response) => {
    const { token } = request.query;
    if (!cookieNames(request).includes(ATTEMPT)) return response.status(400).send("Please sign in again.");
    response.clearCookie(ATTEMPT, cookie);
    if (typeof token !== "string") return response.status(401).send("Not signed in.");
    const result = await svc.tokens.check(token);
    if (!result.ok) return response.status(401).send("Not signed in: the token is not valid.");
    // The token leaves the address bar at once.
    response.cookie(COOKIE, token, { ...cookie, maxAge: 3_600_000 });
    response.redirect("/me");
  });

  app.get("/me", expressAuth({ secretKey, cookie: COOKIE }), (request, response) => {
    const { sub, name, email, provider } = claimsOf(request);
    response.json({ id: sub, name, email, provider });
  });

  app.post("/sign-out", (request, response) => {
    response.clearCookie(COOKIE, cookie);
    response.redirect(303, "/");
  });

  return app;
}

function cookieNames(request) {
  return (request.headers.cookie ?? "").split(";").map((pair) => pair.split("=")[0].trim());
}
