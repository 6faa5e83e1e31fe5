import { betterAuth } from "better-auth";
import { memoryAdapter } from "better-auth/adapters/memory";
import { svc } from "./svc.js";

/**
 * Better Auth, with svc as its sign-in.
 * @param {{ secretKey: string, baseUrl: string, origin: string, secret: string, now?: () => Date }} settings `origin` is
 * where this application is, `secret` Better Auth's own
 */
export function createAuth({ secretKey, baseUrl, origin, secret, now }) {
  return betterAuth({
    baseURL: origin,
    secret,
    // Your own database goes here.
    database: memoryAdapter({ user: [], account: [], session: [], verification: [] }),
    plugins: [svc({ secretKey, baseUrl, now })],
  });
}
