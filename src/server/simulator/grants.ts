import type { Provider } from "../../wire/providers.ts";
import { remember } from "../memory-use.ts";
import { randomBytes } from "../random.ts";
import { codeChallenge } from "../providers/oauth2.ts";
import type { PersonaRecord } from "../store/records.ts";
import type { Grant, TokenRequest } from "./provider.ts";
import type { Sealer } from "./sealer.ts";
import { SIMULATED } from "./providers.ts";
import type { AuthorizationRequest } from "./authorization-request.ts";
import { createSpent } from "./spent.ts";
import { referenceTo, type PersonaReference } from "./typed-account.ts";

const CODE_LIFETIME_MS = 10 * 60_000;
/** What people call what is redeemed. */
const NAMES = { code: "code", refresh: "refresh token" } as const;
/** Of the service's own access tokens. Each is used in the request that it was issued in, and never again. */
const MAX_TOKENS = 1_000;

/** What is sealed, by its purpose. It becomes a part of an address. Times are in Unix milliseconds. */
interface Contents {
  readonly request: { readonly request: AuthorizationRequest; readonly expires: number };
  readonly code: Issued;
  /** An application's access token. */
  readonly access: Issued;
  readonly refresh: Issued;
}

export type Granted = Omit<AuthorizationRequest, "state" | "browser">;

interface Issued {
  readonly granted: Granted;
  readonly persona: PersonaReference;
  /** Null: never. */
  readonly expires: number | null;
  /** Of the code that it all began with: a revocation ends whatever has it. */
  readonly family?: string;
}

/** A client that has proved who it is. */
export interface Registered {
  readonly client_id: string;
  readonly registration: string;
}

/** A code or a refresh token that was issued here. It may be used or expired. */
export interface Opened {
  readonly id: string;
  readonly value: Issued;
}

/** What an access token stands for. */
export interface Consent {
  readonly granted: Granted;
  readonly persona: PersonaRecord;
  /** When it ends, in Unix seconds, and in how many. Undefined: never. */
  readonly validity?: { readonly exp: number; readonly expires_in: number } | undefined;
}

/** Why a code or a token is refused, for the ledger of sign-ins. */
interface Refused {
  readonly why: string;
  readonly granted?: Granted;
}

interface GrantsOptions {
  readonly sealer: Sealer;
  recall(reference: PersonaReference): PersonaRecord;
  now(): Date;
}

export type Grants = ReturnType<typeof createGrants>;

/**
 * Pending requests, and the codes and access tokens that the simulated providers issue. Requests and codes contain all
 * their data, sealed, because the browser may bring them to another process on the same store. Only the process that
 * redeemed a code knows that it was used, and only for its latest codes. Across processes, the state is what is single-use.
 * The service's own access tokens are used by the process that requested them, and are remembered there. Those of
 * applications are sealed like codes, so that they outlive a restart.
 */
export function createGrants({ sealer, recall, now }: GrantsOptions) {
  const spent = createSpent();
  const tokens = new Map<string, Issued>();
  /** Codes whose callback comes twice, as was chosen. */
  const replays = new Map<string, true>();
  const time = (): number => now().getTime();
  const open = <For extends keyof Contents>(purpose: For, text: string) =>
    sealer.open(purpose, text) as { readonly id: string; readonly value: Contents[For] } | undefined;
  const expired = (what: string, { expires }: Issued): string | undefined =>
    expires === null || expires > time()
      ? undefined
      : `the ${what} expired ${Math.ceil((time() - expires) / 1000)} s before`;

  function accessTokenFor({ granted, persona, family }: Issued): string {
    const { lifetimeSeconds } = SIMULATED[granted.provider];
    const expires = lifetimeSeconds === undefined ? null : time() + lifetimeSeconds * 1000;
    if (granted.instance_id !== undefined) return sealer.close("access", { granted, persona, expires, family });
    const access_token = randomBytes(32).toString("base64url");
    remember(tokens, access_token, { granted, persona, expires }, MAX_TOKENS);
    return access_token;
  }

  /** Without what counts for the sign-in alone. */
  function refreshTokenFor({ granted, persona, family }: Issued): string {
    const { outcome: _, chosen: __, delays: ___, nonce: ____, code_challenge: _____, ...lasting } = granted;
    return sealer.close("refresh", { granted: lasting, persona, expires: null, family });
  }

  /** Whether a refresh token comes with the access token. */
  function isRefreshable({ granted, persona, family = "" }: Issued): boolean {
    if (!granted.isOffline) return false;
    if (!SIMULATED[granted.provider].refreshesAtConsent) return true;
    const consent = JSON.stringify([granted.registration, persona]);
    if (spent.hasConsent(consent) && !granted.asksConsent) return false;
    spent.consent(consent, family);
    return true;
  }

  return {
    keepPending: (request: AuthorizationRequest): string =>
      sealer.close("request", { request, expires: time() + CODE_LIFETIME_MS }),

    /** A request that an account picker was shown for. Undefined if the text is not a sealed one. */
    pending(text: string): { readonly request: AuthorizationRequest; readonly isExpired: boolean } | undefined {
      const content = open("request", text)?.value;
      return content && { request: content.request, isExpired: content.expires <= time() };
    },

    issueCode(request: AuthorizationRequest, persona: PersonaRecord): string {
      const { browser: _, state: __, flow_id, ...others } = request;
      // The service's own callback has the state, which tells its flow.
      const granted = others.instance_id === undefined ? others : { ...others, flow_id };
      return sealer.close("code", { granted, persona: referenceTo(persona), expires: time() + CODE_LIFETIME_MS });
    },

    /** Undefined if it was not issued here. */
    open: ({ purpose, code }: TokenRequest): Opened | undefined => open(purpose, code),

    /** Tokens for a code, once, or for a refresh token, and only for the client that it was issued to. */
    redeem(
      provider: Provider,
      request: TokenRequest,
      client: Registered,
      opened: Opened | undefined,
    ): (Grant & Consent) | Refused {
      const { purpose } = request;
      const name = NAMES[purpose];
      if (!opened) return { why: `the ${name} was not issued here` };
      const { id } = opened;
      const { family = id } = opened.value;
      const value = { ...opened.value, family };
      const { granted } = value;
      const over = expired(name, value);
      if (over !== undefined) return { why: over };
      if (spent.isUsed(id)) return { why: `the ${name} was used before` };
      if (spent.isRevoked(family)) return { why: `the ${name} was revoked` };
      const isOnce = purpose === "code" || SIMULATED[provider].replacesRefreshTokens === true;
      if (isOnce) spent.use(id);
      const why = mismatch(granted, provider, request, client);
      if (why !== undefined) return { why };
      if (granted.outcome === "callback_replayed") remember(replays, request.code, true, MAX_TOKENS);
      return {
        granted,
        persona: recall(value.persona),
        access_token: accessTokenFor(value),
        scopes: granted.scopes,
        refresh_token: isOnce && isRefreshable(value) ? refreshTokenFor(value) : undefined,
      };
    },

    consentOf(provider: Provider, access_token: string): Consent | Refused {
      const issued = tokens.get(access_token) ?? open("access", access_token)?.value;
      if (issued?.granted.provider !== provider) return { why: "the access token was not issued here" };
      const { granted, persona, expires } = issued;
      const isRevoked = issued.family !== undefined && spent.isRevoked(issued.family);
      const why = isRevoked ? "the access token was revoked" : expired("access token", issued);
      if (why !== undefined) return { why, granted };
      const seconds = (ms: number): number => Math.floor(ms / 1000);
      const validity = expires === null ? undefined : { exp: seconds(expires), expires_in: seconds(expires - time()) };
      return { granted, persona: recall(persona), validity };
    },

    /** Ends an application's access token or refresh token, with all that came of the same code. @returns whether it was issued here */
    revoke(provider: Provider, token: string): boolean {
      const issued = (open("access", token) ?? open("refresh", token))?.value;
      if (issued?.granted.provider !== provider || issued.family === undefined) return false;
      if (spent.isRevoked(issued.family)) return false;
      spent.revoke(issued.family);
      return true;
    },

    /** Whether the callback with a code, which was redeemed here, is to come once more: that is told once. */
    takeReplay: (code: string): boolean => replays.delete(code),
  };
}

/** Why a client may not redeem what was granted. */
function mismatch(
  granted: Granted,
  provider: Provider,
  { redirect_uri, code_verifier }: TokenRequest,
  { client_id, registration }: Registered,
): string | undefined {
  if (granted.provider !== provider) return "it was issued by another provider";
  if (granted.client_id !== client_id || granted.registration !== registration)
    return "it was issued to another client";
  if (redirect_uri !== undefined && redirect_uri !== granted.redirect_uri)
    return "the redirect_uri is not that of the authorization request";
  const challenge = code_verifier === undefined ? undefined : codeChallenge(code_verifier);
  return challenge === granted.code_challenge ? undefined : "the code_verifier does not fit the code_challenge";
}
