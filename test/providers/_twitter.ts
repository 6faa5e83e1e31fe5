import { HTML_PAGE, json, RESET, SERVER_ERROR, TOO_MANY } from "./_reply.ts";
import type { RealProvider } from "./_real-provider.ts";

export const TWITTER_USER = {
  id: "2244994945",
  name: "X Dev",
  username: "TwitterDev",
  profile_image_url: "https://pbs.twimg.com/profile_images/2244994945/x_normal.jpg",
};

export const realTwitter: RealProvider = {
  authorizeUrl: "https://x.com/i/oauth2/authorize",
  scope: "tweet.read users.read",
  pkce: true,
  clientAuthentication: "basic",
  loginHint: undefined,
  verifiesEmail: false,
  givesEmail: false,
  endpoints: { authorize: "/auth", token: "/token", me: "/2/users/me" },
  answers: {
    "/token": json({
      token_type: "bearer",
      expires_in: 7200,
      access_token: "tw-token",
      scope: "users.read tweet.read",
    }),
    "/2/users/me": json({ data: TWITTER_USER }),
  },
  user: {
    uid: "2244994945",
    email: "2244994945@twitter.invalid",
    name: "X Dev",
    avatar_url: TWITTER_USER.profile_image_url,
  },
  profile: "/2/users/me",
  profileWith: (changes) => json({ data: { ...TWITTER_USER, ...changes } }),
  nameless: [{}, "TwitterDev"],
  joan: { me: { data: { id: "7003", username: "joan", name: "Joan Clarke" } } },
  accounts: {
    ada: { id: "3001", username: "ada" },
    alan: { id: "3002", username: "aturing" },
    mary: { id: "3003", username: "mshelley" },
  },
  token: { expires_in: 7200, scope: "tweet.read users.read", token_type: "bearer" },
  wrongClient: [401, { error: "invalid_client", error_description: "Value passed for the client was invalid." }],
  wrongToken: [401, { title: "Unauthorized", type: "about:blank", status: 401, detail: "Unauthorized" }],
  wrongCode: [
    400,
    { error: "invalid_request", error_description: "Value passed for the authorization code was invalid." },
  ],
  resources: (profile_image_url) => ({
    me: { data: { id: "3001", username: "ada", name: "Ada Lovelace", profile_image_url } },
  }),
  outcomes: {
    code_rejected: {
      "/token": json({ error: "invalid_request", error_description: "Value passed was invalid." }, 400),
    },
    invalid_client: { "/token": json({ error: "unauthorized_client" }, 401) },
    redirect_uri_mismatch: { "/token": json({ error: "invalid_request" }, 400) },
    token_error: { "/token": SERVER_ERROR },
    token_garbage: { "/token": HTML_PAGE },
    rate_limited: { "/2/users/me": TOO_MANY },
    profile_error: { "/2/users/me": SERVER_ERROR },
    provider_unreachable: { "/token": RESET },
  },
};
