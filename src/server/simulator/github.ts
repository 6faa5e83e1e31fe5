import * as z from "zod/mini";
import { notFound, reply, textReply, type SimulatedAnswer, type SimulatedProvider } from "./provider.ts";

export interface GithubAccount {
  readonly id: number;
  readonly login: string;
  readonly emails: readonly { readonly email: string; readonly primary: boolean; readonly verified: boolean }[];
}

export const simulatedGithub: SimulatedProvider<GithubAccount> = {
  mark: '<path fill="currentColor" d="M4.6 3.2c1.9.1 3.5.8 4.6 1.6a11 11 0 0 1 5.6 0c1.1-.8 2.7-1.5 4.6-1.6.6 1.6.5 3.1.2 4.3 1 1.2 1.5 2.7 1.5 4.4 0 5-3.7 7.6-9.1 7.6s-9.1-2.6-9.1-7.6c0-1.7.5-3.2 1.5-4.4-.3-1.2-.4-2.7.2-4.3Z"/><g fill="var(--panel)"><rect x="5.6" y="10.2" width="12.8" height="7" rx="3.5"/></g><g fill="currentColor"><ellipse cx="9" cy="13.5" rx="1.2" ry="1.9"/><ellipse cx="15" cy="13.5" rx="1.2" ry="1.9"/></g>',
  endpoints: { authorize: "/authorize", token: "/access_token", user: "/user", emails: "/user/emails" },
  accountSchema: ({ text, email }) =>
    z.strictObject({
      id: z.int().check(z.positive()),
      login: text,
      emails: z.array(z.strictObject({ email, primary: z.boolean(), verified: z.boolean() })),
    }),
  isLenient: true,
  hint: "login",
  ignoresLoopbackPort: true,
  takesJson: true,
  schemes: ["bearer", "token"],
  aliases: {
    "/login/oauth/authorize": "/authorize",
    "/login/oauth/access_token": "/access_token",
    "/api/v3/user": "/user",
    "/api/v3/user/emails": "/user/emails",
  },
  wrongToken: () => reply(401, { message: "Bad credentials", documentation_url: DOCUMENTATION, status: "401" }),
  accountFor: ({ number, login, email }) => ({
    id: number,
    login,
    emails: [{ email, primary: true, verified: true }],
  }),

  shown({ login, emails }, { name }) {
    const account = { name: name ?? login, detail: `@${login}` };
    const primary = emails.find((entry) => entry.primary);
    if (primary?.verified)
      return emails.length > 1 ? { ...account, detail: `@${login} · ${emails.length} e-mail addresses` } : account;
    return {
      ...account,
      note: emails.some((entry) => entry.verified) ? "primary e-mail not verified" : "no verified e-mail",
    };
  },

  altered: {
    email_not_verified: (account) => ({
      ...account,
      emails: account.emails.map((entry) => ({ ...entry, verified: false })),
    }),
    email_primary_not_verified: (account, { email }) => ({
      ...account,
      emails: onlyASecondVerified(email, account.emails),
    }),
  },

  mismatch: () =>
    reply(200, {
      error: "redirect_uri_mismatch",
      error_description: "The redirect_uri MUST match the registered callback URL for this application.",
    }),

  wrongClient: ({ accept }) =>
    tokenReply(accept, {
      error: "incorrect_client_credentials",
      error_description: "The client_id and/or client_secret passed are incorrect.",
    }),
  wrongCode: ({ accept }) =>
    tokenReply(accept, {
      error: "bad_verification_code",
      error_description: "The code passed is incorrect or expired.",
    }),
  granted: ({ access_token, scopes }, { accept }) =>
    tokenReply(accept, { access_token, scope: scopes.join(","), token_type: "bearer" }),

  resource(path, { account: { id, login, emails }, persona, scopes }, { headers, query, url }) {
    if (!headers["user-agent"])
      return reply(403, {
        message: "Request forbidden by administrative rules. Please make sure your request has a User-Agent header.",
      });
    const common = { ...RATE, "x-oauth-scopes": scopes.filter((scope) => scope !== "").join(", ") };
    // The public e-mail address is the owner's claim: unverified ones show up here too.
    if (path === "/user")
      return reply(
        200,
        { id, login, name: persona.name, email: emails[0]?.email ?? null, avatar_url: persona.avatar_url },
        common,
      );
    if (path !== "/user/emails" || !scopes.includes("user:email")) return notFound();
    const size = Math.min(numberIn(query, "per_page", 30), 100);
    const page = numberIn(query, "page", 1);
    const shown = emails.slice((page - 1) * size, page * size).map((entry) => ({ ...entry, visibility: null }));
    return reply(200, shown, { ...common, ...linksOf(url, page, Math.ceil(emails.length / size), size) });
  },
};

const DOCUMENTATION = "https://docs.github.com/rest";

/** Of a token with its 5,000 requests an hour, which are not counted here. */
const RATE = {
  "x-ratelimit-limit": "5000",
  "x-ratelimit-remaining": "4999",
  "x-ratelimit-used": "1",
  "x-ratelimit-resource": "core",
};

function numberIn(query: URLSearchParams, name: string, fallback: number): number {
  const number = Number(query.get(name) ?? fallback);
  return Number.isSafeInteger(number) && number > 0 ? number : fallback;
}

/** RFC 8288. None where everything is on one page. */
function linksOf(url: string, page: number, last: number, size: number): Readonly<Record<string, string>> {
  const to = (rel: string, number: number): string[] =>
    number < 1 || number > last || number === page ? [] : [`<${url}?per_page=${size}&page=${number}>; rel="${rel}"`];
  const links = [...to("prev", page - 1), ...to("next", page + 1), ...to("last", last), ...to("first", 1)];
  return links.length === 0 ? {} : { link: links.join(", ") };
}

/** GitHub answers with status 200 whatever happened, and form-encoded unless asked for JSON. */
function tokenReply(accept: string, body: Record<string, string>): SimulatedAnswer {
  if (accept.includes("application/json")) return reply(200, body);
  const type = "application/x-www-form-urlencoded; charset=utf-8";
  return textReply(200, new URLSearchParams(body).toString(), { "content-type": type });
}

function onlyASecondVerified(email: string, emails: GithubAccount["emails"]): GithubAccount["emails"] {
  const others = emails.filter((entry) => !entry.primary).map((entry) => ({ ...entry, verified: true }));
  const second = others.length > 0 ? others : [{ email: `second.${email}`, primary: false, verified: true }];
  return [{ email, primary: true, verified: false }, ...second];
}
