import { HTML_PAGE, json, RESET, SERVER_ERROR, TOO_MANY } from "./_reply.ts";
import type { RealProvider } from "./_real-provider.ts";

export const GITHUB_USER = {
  login: "octocat",
  id: 583231,
  node_id: "MDQ6VXNlcjU4MzIzMQ==",
  avatar_url: "https://avatars.githubusercontent.com/u/583231?v=4",
  type: "User",
  name: "monalisa octocat",
  email: "whatever-its-owner-typed@acme.test",
};

export const GITHUB_EMAILS = [
  { email: "old@github.test", primary: false, verified: true, visibility: null },
  { email: "octocat@github.test", primary: true, verified: true, visibility: "public" },
];

export const realGithub: RealProvider = {
  authorizeUrl: "https://github.com/login/oauth/authorize",
  scope: "user:email read:user",
  pkce: false,
  clientAuthentication: "body",
  loginHint: "login",
  verifiesEmail: false,
  givesEmail: true,
  endpoints: { authorize: "/auth", token: "/token", user: "/user", emails: "/user/emails" },
  answers: {
    "/token": json({ access_token: "gho_token", scope: "read:user,user:email", token_type: "bearer" }),
    "/user": json(GITHUB_USER),
    "/user/emails": json(GITHUB_EMAILS),
  },
  user: {
    uid: "583231",
    email: "octocat@github.test",
    name: "monalisa octocat",
    avatar_url: GITHUB_USER.avatar_url,
  },
  profile: "/user",
  profileWith: (changes) => json({ ...GITHUB_USER, ...changes }),
  nameless: [{}, "octocat"],
  joan: {
    user: { id: 7002, login: "joan", name: "Joan Clarke", avatar_url: null },
    emails: [{ email: "joan@acme.test", primary: true, verified: true }],
  },
  accounts: {
    ada: { id: 2001, login: "ada", emails: [{ email: "ada@acme.test", primary: true, verified: true }] },
    alan: {
      id: 2002,
      login: "aturing",
      emails: [{ email: "alan@bletchley.test", primary: true, verified: false }],
    },
    mary: {
      id: 2003,
      login: "mshelley",
      emails: [
        { email: "mary@home.test", primary: false, verified: true },
        { email: "mary@geneva.test", primary: true, verified: true },
      ],
    },
  },
  token: { scope: "user:email,read:user", token_type: "bearer" },
  wrongClient: [
    200,
    {
      error: "incorrect_client_credentials",
      error_description: "The client_id and/or client_secret passed are incorrect.",
    },
  ],
  wrongToken: [401, { message: "Bad credentials", documentation_url: "https://docs.github.com/rest", status: "401" }],
  wrongCode: [200, { error: "bad_verification_code", error_description: "The code passed is incorrect or expired." }],
  resources: (avatar_url) => ({
    user: { id: 2001, login: "ada", name: "Ada Lovelace", email: "ada@acme.test", avatar_url },
    emails: [{ email: "ada@acme.test", primary: true, verified: true, visibility: null }],
  }),
  outcomes: {
    code_rejected: { "/token": json({ error: "bad_verification_code" }) },
    invalid_client: { "/token": json({ error: "incorrect_client_credentials" }) },
    redirect_uri_mismatch: { "/token": json({ error: "redirect_uri_mismatch" }) },
    token_error: { "/token": SERVER_ERROR },
    token_garbage: { "/token": HTML_PAGE },
    rate_limited: { "/user": TOO_MANY },
    profile_error: { "/user": SERVER_ERROR },
    email_not_verified: { "/user/emails": json(GITHUB_EMAILS.map((one) => ({ ...one, verified: false }))) },
    email_primary_not_verified: {
      "/user/emails": json(GITHUB_EMAILS.map((one) => ({ ...one, verified: !one.primary }))),
    },
    provider_unreachable: { "/token": RESET },
  },
};
