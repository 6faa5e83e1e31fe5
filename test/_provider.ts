import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished } from "vitest";
import { providerFetch } from "../src/server/providers/fetch.ts";
import type { SessionRecord } from "../src/server/store/records.ts";
import type { UserView } from "../src/server/store/store.ts";
import { SIGN_IN_ERRORS, type SignInErrorCode } from "../src/wire/errors.ts";
import { type Provider } from "../src/wire/names.ts";
import { APP, SEED, setup, type Service } from "./_setup.ts";

export interface Heard {
  method: string;
  path: string;
  headers: IncomingHttpHeaders;
  body: string;
}

export type Answer = (response: ServerResponse, heard: Heard) => void;

export const JSON_TYPE = { "content-type": "application/json; charset=utf-8" };

export const FORM_TYPE = { "content-type": "application/x-www-form-urlencoded" };

export function raw(body: string | Buffer, status = 200, headers: Record<string, string> = JSON_TYPE): Answer {
  return (response) => response.writeHead(status, headers).end(body);
}

export function json(body: unknown, status = 200): Answer {
  return raw(JSON.stringify(body), status);
}

export const ENDPOINTS = {
  google: { authorize: "/auth", token: "/token", userinfo: "/userinfo" },
  github: { authorize: "/auth", token: "/token", user: "/user", emails: "/user/emails" },
  twitter: { authorize: "/auth", token: "/token", me: "/2/users/me" },
};

/** What the providers' own documentation shows. */
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

export const TWITTER_USER = {
  data: {
    id: "2244994945",
    name: "X Dev",
    username: "TwitterDev",
    profile_image_url: "https://pbs.twimg.com/profile_images/2244994945/x_normal.jpg",
  },
};

export const GOOD: Record<Provider, Record<string, Answer>> = {
  google: {
    "/token": json({
      access_token: "ya29.token",
      expires_in: 3599,
      scope: "openid",
      token_type: "Bearer",
      id_token: "x.y.z",
    }),
    "/userinfo": json(GOOGLE_USER),
  },
  github: {
    "/token": json({ access_token: "gho_token", scope: "read:user,user:email", token_type: "bearer" }),
    "/user": json(GITHUB_USER),
    "/user/emails": json(GITHUB_EMAILS),
  },
  twitter: {
    "/token": json({
      token_type: "bearer",
      expires_in: 7200,
      access_token: "tw-token",
      scope: "users.read tweet.read",
    }),
    "/2/users/me": json(TWITTER_USER),
  },
};

export interface Fake {
  readonly service: Service;
  /** What the provider was asked, in order. */
  readonly heard: Heard[];
  /** May be changed between sign-ins. */
  readonly answers: Record<string, Answer>;
  signIn(): Promise<URL>;
}

/** The service with a provider behind it on a real socket, which gives these answers and otherwise good ones. */
export async function setupProvider(
  provider: Provider,
  changed: Record<string, Answer> = {},
  secret = "s3cret",
): Promise<Fake> {
  const answers = { ...GOOD[provider], ...changed };
  const heard: Heard[] = [];
  const server = createServer((request, response) => {
    let body = "";
    request.setEncoding("utf8").on("data", (chunk: string) => (body += chunk));
    request.on("end", () => {
      const { method = "", url = "", headers } = request;
      heard.push({ method, path: url, headers, body });
      const answer = answers[url.split("?")[0]!] ?? json({ message: "Not Found" }, 404);
      answer(response, heard.at(-1)!);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.close().closeAllConnections();
  });
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const endpoints = Object.fromEntries(
    Object.entries(ENDPOINTS[provider]).map(([name, path]) => [name, origin + path]),
  );
  const connections = { [provider]: { client_id: "our-id", client_secret: secret, endpoints } };
  const service = await setup({
    seed: { ...SEED, instances: [{ ...SEED.instances[0], connections }] },
    fetch: providerFetch,
  });
  const signIn = async (): Promise<URL> => {
    const query = new URLSearchParams({ provider, redirect_uri: APP });
    const begun = await service.fetch(`/oauth/authorize?${query.toString()}`);
    const toProvider = new URL(begun.headers.get("location")!);
    expect(toProvider.origin + toProvider.pathname).toBe(`${origin}/auth`);
    const state = toProvider.searchParams.get("state");
    const response = await service.fetch(`/oauth/${provider}/callback?code=the-code&state=${state}`);
    expect(response.status).toBe(302);
    return new URL(response.headers.get("location")!);
  };
  return { service, heard, answers, signIn };
}

export function failure(code: SignInErrorCode): string {
  return `${APP}?error=${code}&error_description=${encodeURIComponent(SIGN_IN_ERRORS[code])}`;
}

export async function contents({ store, acme }: Service): Promise<{ users: UserView[]; sessions: SessionRecord[] }> {
  const users: UserView[] = [];
  for await (const batch of (await store.users(acme.id, {}))!) users.push(...batch);
  const sessions: SessionRecord[] = [];
  for await (const batch of (await store.sessions(acme.id, {}))!) sessions.push(...batch);
  return { users, sessions };
}
