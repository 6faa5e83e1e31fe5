import * as z from "zod/mini";
import { plainText } from "../../text/json.ts";
import { type SimulatedProvider, notFound, reply } from "./provider.ts";

interface GoogleAccount {
  readonly sub: string;
  readonly email_verified: boolean;
  /** The domain of a Google Workspace account. */
  readonly hd?: string | undefined;
}

export const simulatedGoogle: SimulatedProvider<GoogleAccount> = {
  mark: '<g fill="none" stroke-width="4"><path stroke="#ea4335" d="M5.1 8a8 8 0 0 1 12.6-1.7"/><path stroke="#f5b400" d="M5.1 16a8 8 0 0 1 0-8"/><path stroke="#2da94f" d="M17.7 17.7A8 8 0 0 1 5.1 16"/><path stroke="#3b78e7" d="M12 12h8a8 8 0 0 1-2.3 5.7"/></g>',
  endpoints: { authorize: "/authorize", token: "/token", userinfo: "/userinfo" },
  accountSchema: ({ text }) => z.strictObject({ sub: text, email_verified: z.boolean(), hd: z.optional(text) }),
  lifetimeSeconds: 3600,
  isOffline: (query) => query.get("access_type") === "offline",
  refreshesAtConsent: true,
  // A simulated Google has no session, so that it must always show a page.
  silentError: (query) => (query.get("prompt") === "none" ? "interaction_required" : undefined),
  takesTokenAsParameter: true,
  revocation: {
    path: "/revoke",
    needsClient: false,
    done: () => reply(200, {}),
    unknown: () => reply(400, { error: "invalid_token", error_description: "Token expired or revoked" }),
  },
  wrongToken: () =>
    reply(
      401,
      { error: "invalid_request", error_description: "Invalid Credentials" },
      { "www-authenticate": 'Bearer realm="https://accounts.google.com/", error="invalid_token"' },
    ),
  claims: ({ sub, email_verified, hd }, { name, email, avatar_url }, scopes) => ({
    sub,
    ...(hd !== undefined && { hd }),
    ...(scopes.includes("email") && { email, email_verified }),
    ...(scopes.includes("profile") && { ...(name !== null && namesOf(name)), picture: avatar_url }),
  }),
  accountFor: ({ number }) => ({ sub: `1${number}`, email_verified: true }),

  shown({ email_verified }, { name, email }) {
    const account = { name: name ?? email, detail: email };
    return email_verified ? account : { ...account, note: "e-mail not verified" };
  },

  altered: {
    email_not_verified: (account) => ({ ...account, email_verified: false }),
  },

  mismatch: () => reply(400, { error: "redirect_uri_mismatch", error_description: "Bad Request" }),

  refusal(query) {
    return query.get("scope")?.split(" ").includes("openid") ? undefined : "scope must include openid";
  },

  wrongClient: () => reply(401, { error: "invalid_client", error_description: "The OAuth client was not found." }),
  wrongCode: () => reply(400, { error: "invalid_grant", error_description: "Bad Request" }),
  granted: ({ access_token, refresh_token, scopes, id_token }) =>
    reply(200, {
      access_token,
      expires_in: 3599,
      refresh_token,
      scope: scopes.join(" "),
      token_type: "Bearer",
      id_token,
    }),

  resource(path, { account, persona, scopes }, { client_id, validity }) {
    const claims = simulatedGoogle.claims!(account, persona, scopes);
    if (path === "/userinfo") return reply(200, claims);
    if (path !== "/tokeninfo") return notFound();
    // Of an access token it says each value as text.
    const { sub, email, email_verified } = claims;
    const known = { azp: client_id, aud: client_id, sub, scope: scopes.join(" "), ...validity, email, email_verified };
    const given = Object.entries(known).filter(([, value]) => value !== undefined);
    return reply(200, Object.fromEntries(given.map(([name, value]) => [name, plainText(value)])));
  },
};

/** Google has them apart. Of a person with one name there is no `family_name`. */
function namesOf(name: string): Record<string, string> {
  const [given_name = name, ...others] = name.split(" ");
  return { name, given_name, ...(others.length > 0 && { family_name: others.join(" ") }) };
}
