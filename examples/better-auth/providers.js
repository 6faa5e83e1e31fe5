import { betterAuth } from "better-auth";
import { memoryAdapter } from "better-auth/adapters/memory";
import { genericOAuth } from "better-auth/plugins";

/**
 * Better Auth with Google and GitHub, which `svc env --client` points at the simulated ones. Its own providers have fixed
 * addresses: they are for production, where the addresses are not set, and its generic OAuth plugin is for the simulated ones.
 * @param {Record<string, string | undefined>} env
 */
export function createAuth(env) {
  const google = { clientId: env.GOOGLE_CLIENT_ID, clientSecret: env.GOOGLE_CLIENT_SECRET };
  const github = { clientId: env.GITHUB_CLIENT_ID, clientSecret: env.GITHUB_CLIENT_SECRET };
  const simulated = [
    {
      ...google,
      providerId: "google",
      discoveryUrl: `${env.GOOGLE_ISSUER}/.well-known/openid-configuration`,
      scopes: ["openid", "email", "profile"],
      pkce: true,
      // For a refresh token.
      accessType: "offline",
    },
    {
      ...github,
      providerId: "github",
      authorizationUrl: env.GITHUB_AUTHORIZE_URL,
      tokenUrl: env.GITHUB_TOKEN_URL,
      userInfoUrl: env.GITHUB_USER_URL,
      scopes: ["read:user", "user:email"],
    },
  ];
  return betterAuth({
    baseURL: env.ORIGIN,
    secret: env.AUTH_SECRET,
    // Your own database goes here.
    database: memoryAdapter({ user: [], account: [], session: [], verification: [] }),
    ...(env.GOOGLE_ISSUER
      ? { plugins: [genericOAuth({ config: simulated })] }
      : { socialProviders: { google, github } }),
  });
}
