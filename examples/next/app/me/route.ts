import { withAuth } from "svc-identity/middleware";
import { cookieName, env } from "../../lib/svc.ts";

export async function GET(request: Request): Promise<Response> {
  const guarded = withAuth((_, { sub, name, email }) => Response.json({ id: sub, name, email }), {
    secretKey: env("SVC_SECRET_KEY"),
    cookie: cookieName(),
  });
  return guarded(request);
}
