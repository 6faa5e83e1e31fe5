import { HTML_PAGE, json, RESET, SERVER_ERROR, TOO_MANY } from "./_reply.ts";
import type { RealProvider } from "./_real-provider.ts";

const NAMES = { name: "Ada Lovelace", given_name: "Ada", family_name: "Lovelace" };

export const GOOGLE_USER = {
  sub: "1001",
  name: "Ada Lovelace",
  given_name: "Ada",
  family_name: "Lovelace",
  picture: "https://lh3.googleusercontent.com/a/ada=s96-c",
  email: "ada@acme.test",
  email_verified: true,
  locale: "en",
};

export const realGoogle: RealProvider = {
  authorizeUrl: "https://accounts.google.com/o/oauth2/v2/auth",
  scope: "openid email profile",
  pkce: false,
  clientAuthentication: "body",
  loginHint: "login_hint",
  verifiesEmail: true,
  givesEmail: true,
  endpoints: { authorize: "/auth", token: "/token", userinfo: "/userinfo" },
  answers: {
    "/token": json({
      access_token: "ya29.token",
      expires_in: 3599,
      scope: "openid",
      token_type: "Bearer",
      id_token: "x.y.z",
    }),
    "/userinfo": json(GOOGLE_USER),
  },
  user: { uid: "1001", email: "ada@acme.test", name: "Ada Lovelace", avatar_url: GOOGLE_USER.picture },
  profile: "/userinfo",
  profileWith: (changes) => json({ ...GOOGLE_USER, ...changes }),
  nameless: [{ sub: "77", email: "new@acme.test" }, "new@acme.test"],
  joan: { userinfo: { sub: "7001", email: "joan@acme.test", email_verified: true, name: "Joan Clarke" } },
  accounts: {
    ada: { sub: "1001", email_verified: true },
    alan: { sub: "1002", email_verified: false },
    mary: { sub: "1003", email_verified: true },
  },
  token: { expires_in: 3599, scope: "openid email profile", token_type: "Bearer" },
  wrongClient: [401, { error: "invalid_client", error_description: "The OAuth client was not found." }],
  wrongToken: [401, { error: "invalid_request", error_description: "Invalid Credentials" }],
  wrongCode: [400, { error: "invalid_grant", error_description: "Bad Request" }],
  resources: (picture) => ({
    userinfo: { ...NAMES, sub: "1001", email: "ada@acme.test", email_verified: true, picture },
  }),
  outcomes: {
    code_rejected: { "/token": json({ error: "invalid_grant", error_description: "Bad Request" }, 400) },
    invalid_client: { "/token": json({ error: "invalid_client", error_description: "Unauthorized" }, 401) },
    redirect_uri_mismatch: { "/token": json({ error: "redirect_uri_mismatch" }, 400) },
    token_error: { "/token": SERVER_ERROR },
    token_garbage: { "/token": HTML_PAGE },
    rate_limited: { "/userinfo": TOO_MANY },
    profile_error: { "/userinfo": SERVER_ERROR },
    email_not_verified: { "/userinfo": json({ ...GOOGLE_USER, email_verified: false }) },
    provider_unreachable: { "/token": RESET },
  },
};
