import { LRUCache } from "lru-cache";
import type { Delays } from "../../wire/control/scenarios.ts";
import type { OutcomeId } from "../../wire/outcomes.ts";
import type { Provider } from "../../wire/providers.ts";
import { cacheLimit } from "../memory-use.ts";
import { randomBytes } from "../random.ts";
import { codeChallenge } from "../sign-in/oauth2.ts";
import type { PersonaRecord } from "../store/records.ts";
import type { Edit } from "./edit.ts";
import type { Grant, Redemption } from "./provider.ts";
import type { Sealer } from "./sealer.ts";
import { SIMULATED } from "./providers.ts";
import { referenceTo, type PersonaReference } from "./typed-account.ts";

const CODE_LIFETIME_MS = 10 * 60_000;
const TOKEN_LIFETIME_MS = 2 * 3_600_000;
/** What people call what is redeemed. */
const NAMES = { code: "code", refresh: "refresh token" } as const;
/** Maximum number of redeemed codes, and of refresh tokens, that a process remembers. */
const REMEMBERED_CODES = cacheLimit(10_000);
/** Maximum number of the service's own access tokens. Each is used in the request that it was issued in, and never again. */
const REMEMBERED_TOKENS = cacheLimit(1_000);

/** An authorization request of a client (RFC 6749, 4.1.1; RFC 7636, 4.3). */
export interface AuthorizationRequest {
  readonly provider: Provider;
  readonly client_id: string;
  /** The instance of the application whose own client this is. Undefined for this service's own. */
  readonly instance_id?: string | undefined;
  /** Undefined for a request that this service did not begin, with its own client. */
  readonly flow_id?: string | undefined;
  readonly redirect_uri: string;
  readonly scopes: readonly string[];
  readonly code_challenge?: string | undefined;
  readonly state: string;
  /** For the id_token (OpenID Connect Core 1.0, 3.1.2.1). */
  readonly nonce?: string | undefined;
  /** Whether the application asks for a refresh token. */
  readonly isOffline?: boolean | undefined;
  /** The browser that may answer it; undefined for a program. */
  readonly browser: string | undefined;
  /** The outcome chosen for the sign-in. Undefined if none was chosen. */
  readonly outcome?: OutcomeId | undefined;
  /** Changes to the profile that the provider sends. */
  readonly profile?: Edit | undefined;
  /** How long the provider's endpoints take. */
  readonly delays?: Delays | undefined;
}

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
}

/** What an access token stands for. */
export interface Consent {
  readonly granted: Granted;
  readonly persona: PersonaRecord;
}

/** What a code or a refresh token is exchanged for. */
export interface Issue {
  readonly consent: Consent;
  readonly grant: Grant;
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
 * The service's own access tokens are used by the process that requested them, and are stored there. Those of applications
 * are sealed like codes, so that they outlive a restart.
 */
export function createGrants({ sealer, recall, now }: GrantsOptions) {
  /** Ids of redeemed codes, and of refresh tokens that were replaced. */
  const spent = new LRUCache<string, true>(REMEMBERED_CODES);
  const tokens = new LRUCache<string, Consent & { readonly expires: number }>(REMEMBERED_TOKENS);
  const time = (): number => now().getTime();
  const open = <For extends keyof Contents>(purpose: For, text: string) =>
    sealer.open(purpose, text) as { readonly id: string; readonly value: Contents[For] } | undefined;
  const isOver = (expires: number | null): boolean => expires !== null && expires <= time();
  const expired = (what: string, expires: number | null): Refused => ({
    why: `the ${what} expired ${Math.ceil((time() - (expires ?? 0)) / 1000)} s before`,
  });

  function issue({ granted, persona }: Issued): Issue {
    const { provider, instance_id, scopes } = granted;
    const consent = { granted, persona: recall(persona) };
    if (instance_id === undefined) {
      const access_token = randomBytes(32).toString("base64url");
      tokens.set(access_token, { ...consent, expires: time() + TOKEN_LIFETIME_MS });
      return { consent, grant: { access_token, scopes } };
    }
    const { lifetimeSeconds } = SIMULATED[provider];
    const expires = lifetimeSeconds === undefined ? null : time() + lifetimeSeconds * 1000;
    return { consent, grant: { access_token: sealer.close("access", { granted, persona, expires }), scopes } };
  }

  /** Without what counts for the sign-in alone. */
  function issueRefresh({ granted, persona }: Issued): string {
    const { outcome: _, delays: __, nonce: ___, code_challenge: ____, ...lasting } = granted;
    return sealer.close("refresh", { granted: lasting, persona, expires: null });
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

    /** What a code or a token was issued for, although it may be used or expired. */
    issuedFor: (purpose: "code" | "access" | "refresh", text: string): Granted | undefined =>
      open(purpose, text)?.value.granted,

    /** Tokens for a code, once, or for a refresh token, and only for the client that it was issued to. */
    redeem(provider: Provider, request: Redemption): Issue | Refused {
      const { purpose = "code", code } = request;
      const opened = open(purpose, code);
      if (!opened) return { why: `the ${NAMES[purpose]} was not issued here` };
      const { granted, expires } = opened.value;
      if (isOver(expires)) return expired(NAMES[purpose], expires);
      if (spent.has(opened.id)) return { why: `the ${NAMES[purpose]} was used before` };
      const isOnce = purpose === "code" || SIMULATED[provider].replacesRefreshTokens === true;
      if (isOnce) spent.set(opened.id, true);
      const why = mismatch(granted, provider, request);
      if (why !== undefined) return { why };
      const { consent, grant } = issue(opened.value);
      const refresh_token = granted.isOffline && isOnce ? issueRefresh(opened.value) : undefined;
      return { consent, grant: { ...grant, refresh_token } };
    },

    /** What an access token of this service's own client stands for. */
    consentOf(provider: Provider, access_token: string): Consent | undefined {
      const consent = tokens.get(access_token);
      return consent?.granted.provider === provider && !isOver(consent.expires) ? consent : undefined;
    },

    /** What an application's access token stands for. */
    applicationConsentOf(provider: Provider, access_token: string): Consent | Refused {
      const value = open("access", access_token)?.value;
      if (value?.granted.provider !== provider) return { why: "the access token was not issued here" };
      const { granted } = value;
      if (isOver(value.expires)) return { ...expired("access token", value.expires), granted };
      return { granted, persona: recall(value.persona) };
    },
  };
}

/** Why a client may not redeem what was granted. */
function mismatch(granted: Granted, provider: Provider, request: Redemption): string | undefined {
  const { client_id, redirect_uri, code_verifier } = request;
  if (granted.provider !== provider) return "it was issued by another provider";
  if (granted.client_id !== client_id) return "it was issued to another client";
  if (redirect_uri !== undefined && redirect_uri !== granted.redirect_uri)
    return "the redirect_uri is not that of the authorization request";
  const challenge = code_verifier === undefined ? undefined : codeChallenge(code_verifier);
  return challenge === granted.code_challenge ? undefined : "the code_verifier does not fit the code_challenge";
}
