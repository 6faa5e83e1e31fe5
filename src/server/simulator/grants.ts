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
import { referenceTo, type PersonaReference } from "./typed-account.ts";

const CODE_LIFETIME_MS = 10 * 60_000;
const TOKEN_LIFETIME_MS = 2 * 3_600_000;
/** Maximum number of redeemed codes that a process remembers. */
const REMEMBERED_CODES = cacheLimit(10_000);
/** Maximum number of access tokens. Each is used in the request that it was issued in, and never again. */
const REMEMBERED_TOKENS = cacheLimit(1_000);

/** An authorization request of a client (RFC 6749, 4.1.1; RFC 7636, 4.3). */
export interface AuthorizationRequest {
  readonly provider: Provider;
  readonly client_id: string;
  readonly redirect_uri: string;
  readonly scopes: readonly string[];
  readonly code_challenge: string | undefined;
  readonly state: string;
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
  readonly code: {
    readonly granted: Omit<AuthorizationRequest, "state" | "browser">;
    readonly persona: PersonaReference;
    readonly expires: number;
  };
}

/** What an access token stands for. */
interface Consent {
  readonly granted: Contents["code"]["granted"];
  readonly persona: PersonaRecord;
  readonly expires: number;
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
 * Access tokens are used by the process that requested them, and are stored there.
 */
export function createGrants({ sealer, recall, now }: GrantsOptions) {
  /** Ids of redeemed codes. */
  const spent = new LRUCache<string, true>(REMEMBERED_CODES);
  const tokens = new LRUCache<string, Consent>(REMEMBERED_TOKENS);
  const time = (): number => now().getTime();
  const open = <For extends keyof Contents>(purpose: For, text: string) =>
    sealer.open(purpose, text) as { readonly id: string; readonly value: Contents[For] } | undefined;

  return {
    keepPending: (request: AuthorizationRequest): string =>
      sealer.close("request", { request, expires: time() + CODE_LIFETIME_MS }),

    /** A request that an account picker was shown for. Undefined if the text is not a sealed one. */
    pending(text: string): { readonly request: AuthorizationRequest; readonly isExpired: boolean } | undefined {
      const content = open("request", text)?.value;
      return content && { request: content.request, isExpired: content.expires <= time() };
    },

    issueCode(request: AuthorizationRequest, persona: PersonaRecord): string {
      const { browser: _, state: __, ...granted } = request;
      return sealer.close("code", { granted, persona: referenceTo(persona), expires: time() + CODE_LIFETIME_MS });
    },

    /** What was chosen for the sign-in of a code. */
    issuedFor: (code: string): Pick<AuthorizationRequest, "outcome" | "delays"> =>
      open("code", code)?.value.granted ?? {},

    /** An access token for a code: once, and only for the client that it was issued to. Otherwise undefined. */
    redeem(provider: Provider, { code, client_id, redirect_uri, code_verifier }: Redemption): Grant | undefined {
      const opened = open("code", code);
      if (!opened || opened.value.expires <= time() || spent.has(opened.id)) return undefined;
      spent.set(opened.id, true);
      const { granted, persona } = opened.value;
      const isTheirs =
        granted.provider === provider && granted.client_id === client_id && granted.redirect_uri === redirect_uri;
      const challenge = code_verifier === undefined ? undefined : codeChallenge(code_verifier);
      if (!isTheirs || challenge !== granted.code_challenge) return undefined;
      const access_token = randomBytes(32).toString("base64url");
      tokens.set(access_token, { granted, persona: recall(persona), expires: time() + TOKEN_LIFETIME_MS });
      return { access_token, scopes: granted.scopes };
    },

    /** What a provider's access token stands for. */
    consentOf(provider: Provider, access_token: string): Consent | undefined {
      const consent = tokens.get(access_token);
      return consent?.granted.provider === provider && consent.expires > time() ? consent : undefined;
    },
  };
}
