import { Auth } from "@auth/core";
import GitHub from "@auth/core/providers/github";
import Google from "@auth/core/providers/google";

/**
 * Auth.js with its own Google and GitHub, which `svc env --client` points at the simulated ones. In production these variables
 * have the ids and secrets of Google and GitHub, and no addresses.
 * @param {Record<string, string | undefined>} env
 * @returns {(request: Request) => Promise<Response>}
 */
export function createApp(env) {
  const config = {
    basePath: "/api/auth",
    trustHost: true,
    secret: env.AUTH_SECRET,
    providers: [
      Google({
        clientId: env.GOOGLE_CLIENT_ID,
        clientSecret: env.GOOGLE_CLIENT_SECRET,
        ...(env.GOOGLE_ISSUER && { issuer: env.GOOGLE_ISSUER }),
      }),
      GitHub({
        clientId: env.GITHUB_CLIENT_ID,
        clientSecret: env.GITHUB_CLIENT_SECRET,
        ...(env.GITHUB_ISSUER && {
          authorization: env.GITHUB_AUTHORIZE_URL,
          token: env.GITHUB_TOKEN_URL,
          userinfo: env.GITHUB_USER_URL,
        }),
      }),
    ],
  };
  return (request) => Auth(request, config);
}
