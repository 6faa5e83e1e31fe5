import { Hono } from "hono";
import { withAuth } from "svc-identity/middleware";

/**
 * An API on Hono whose callers send `Authorization: Bearer <token>`.
 * @param {{ secretKey: string }} settings
 */
export function createApp({ secretKey }) {
  const app = new Hono();
  app.get("/health", (context) => context.json({ ok: true }));
  const me = withAuth((request, { sub, name, email }) => Response.json({ id: sub, name, email }), { secretKey });
  app.get("/me", (context) => me(context.req.raw));
  return app;
}
