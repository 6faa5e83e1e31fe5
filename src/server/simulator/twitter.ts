import * as z from "zod/mini";
import { type SimulatedProvider, notFound, reply } from "./provider.ts";

interface TwitterAccount {
  readonly id: string;
  readonly username: string;
}

export const simulatedTwitter: SimulatedProvider<TwitterAccount> = {
  mark: '<g fill="#1d9bf0"><circle cx="16.2" cy="8" r="4"/><path d="M19.4 6.2 23 5.4l-2.9 3.8Z"/><path d="M2.5 5.5c2.3 3 5.7 4.6 10 4.7l7.5-1.7c.3 7-4.3 11.5-10.2 11.5-3 0-5.6-.8-7.8-2.3 2.2.1 4.2-.5 5.7-1.6-2-.3-3.3-1.4-3.9-3l1.7-.1c-1.9-.7-3-2.3-3.1-4.2l1.7.5C2.3 7.9 2 6.9 2.5 5.5Z"/></g>',
  endpoints: { authorize: "/authorize", token: "/token", me: "/users/me" },
  besideData: ["includes", "errors"],
  accountSchema: ({ text }) => z.strictObject({ id: text, username: text }),
  lifetimeSeconds: 7200,
  isOffline: (query) => (query.get("scope") ?? "").split(" ").includes("offline.access"),
  replacesRefreshTokens: true,
  accountFor: ({ number, login }) => ({ id: `3${number}`, username: login.slice(0, 15).replaceAll("-", "_") }),

  shown: ({ username }, { name }) => ({ name: name ?? username, detail: `@${username}` }),

  mismatch: () =>
    reply(400, {
      error: "invalid_request",
      error_description: "Value passed for the redirect uri did not match the uri of the authorization code.",
    }),

  refusal(query) {
    if (query.get("code_challenge_method") !== "S256" || !/^[\w-]{43}$/.test(query.get("code_challenge") ?? "")) {
      return "a code_challenge with code_challenge_method=S256 is required";
    }
    return undefined;
  },

  needsBasic: true,
  revocation: {
    path: "/revoke",
    needsClient: true,
    done: () => reply(200, { revoked: true }),
    unknown: () => reply(200, { revoked: false }),
  },
  wrongToken: () => reply(401, { title: "Unauthorized", type: "about:blank", status: 401, detail: "Unauthorized" }),
  wrongClient: ({ method }) =>
    method === "basic"
      ? reply(401, { error: "invalid_client", error_description: "Value passed for the client was invalid." })
      : reply(401, { error: "unauthorized_client", error_description: "Missing valid authorization header" }),
  wrongCode: () =>
    reply(400, {
      error: "invalid_request",
      error_description: "Value passed for the authorization code was invalid.",
    }),
  granted: ({ access_token, refresh_token, scopes }) =>
    reply(200, { token_type: "bearer", expires_in: 7200, access_token, refresh_token, scope: scopes.join(" ") }),

  resource(path, { account: { id, username }, persona, scopes }) {
    if (path !== "/users/me") return notFound();
    if (!scopes.includes("tweet.read") || !scopes.includes("users.read"))
      return reply(403, { title: "Forbidden", status: 403 });
    const { name, avatar_url } = persona;
    return reply(200, { data: { id, username, name: name ?? username, profile_image_url: avatar_url } });
  },
};
