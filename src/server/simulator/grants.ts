import { LRUCache } from "lru-cache";
import type { Delays } from "../../wire/control/scenarios.ts";
import type { OutcomeId } from "../../wire/outcomes.ts";
import type { Provider } from "../../wire/providers.ts";
import { cacheLimit, ownText } from "../memory-use.ts";
import type { Application } from "../providers/connections.ts";
import { randomBytes } from "../random.ts";
import { pageHash } from "../sign-in/binding.ts";
import { codeChallenge } from "../sign-in/oauth2.ts";
import type { PersonaRecord } from "../store/records.ts";
import type { Edit } from "./edit.ts";
import type { Grant, Redemption } from "./provider.ts";
import type { Sealer } from "./sealer.ts";

const CODE_LIFETIME_MS = 10 * 60_000;
const TOKEN_LIFETIME_MS = 2 * 3_600_000;
/** As long as browsers disable the buttons of their own security prompts. */
const LOOK_MS = 1_000;
/** Maximum number of redeemed codes that a process remembers. */
const REMEMBERED_CODES = cacheLimit(10_000);
/** Maximum number of access tokens. Each is used in the request that it was issued in, and never again. */
const REMEMBERED_TOKENS = cacheLimit(1_000);

/** A persona in a code. Every process has those of the store, and can recreate a typed one from this. */
export type PersonaReference = Pick<PersonaRecord, "id" | "email" | "name">;

/** An authorization request of a client (RFC 6749, 4.1.1; RFC 7636, 4.3). */
export interface AuthorizationRequest {
  readonly provider: Provider;
  readonly client_id: string;
  readonly redirect_uri: string;
  readonly scopes: readonly string[];
  readonly code_challenge: string | undefined;
  readonly state: string;
  /** Undefined if this service did not send the request. */
  readonly application: Application | undefined;
  /** The browser that may answer it; undefined for a program. */
  readonly browser: string | undefined;
  /** The outcome chosen for the sign-in. Undefined if none was chosen. */
  readonly outcome: OutcomeId | undefined;
  /** Changes to the profile that the provider sends. */
  readonly profile: Edit | undefined;
  /** How long the provider's endpoints take. */
  readonly delays: Delays | undefined;
}

/** What is sealed, by its purpose. It becomes a part of an address. Times are in Unix milliseconds. */
interface Contents {
  readonly application: { readonly state: string; readonly application: Application };
  /** @param shown_at in real time */
  readonly request: { readonly request: AuthorizationRequest; readonly expires: number; readonly shown_at: number };
  readonly code: {
    readonly granted: Omit<AuthorizationRequest, "state" | "application" | "browser">;
    readonly persona: PersonaReference;
    /** The browser and the state that it was issued for, as `pageHash` names them; undefined for a program. */
    readonly holder: string | undefined;
    readonly expires: number;
  };
}

/** A request that an account picker was shown for. */
export interface PendingRequest {
  readonly request: AuthorizationRequest;
  /** It is older than ten minutes. */
  readonly isExpired: boolean;
  /**
   * The application needs a click, and the page was shown too recently for an intended one: it may be the second click of
   * a double-click, or a key, that began on another page.
   */
  readonly isTooSoon: boolean;
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
  /** The machine's time, which `now` may differ from. */
  realNow(): Date;
}

export type Grants = ReturnType<typeof createGrants>;

/**
 * Pending requests, and the codes and access tokens that the simulated providers issue. Requests and codes contain all
 * their data, sealed, because the browser may bring them to another process on the same store. Only the process that
 * redeemed a code knows that it was used, and only for its latest codes. Across processes, the state is what is single-use.
 * Access tokens are used by the process that requested them, and are stored there.
 */
export function createGrants({ sealer, recall, now, realNow }: GrantsOptions) {
  /** Ids of redeemed codes. */
  const spent = new LRUCache<string, true>(REMEMBERED_CODES);
  const tokens = new LRUCache<string, Consent>(REMEMBERED_TOKENS);
  const time = (): number => now().getTime();

  const close = <For extends keyof Contents>(purpose: For, content: Contents[For]): string =>
    sealer.close(purpose, content);
  const open = <For extends keyof Contents>(purpose: For, text: string) =>
    sealer.open(purpose, text) as { readonly id: string; readonly value: Contents[For] } | undefined;

  return {
    /** Seals the application that the picker shows, for the request of one state. */
    sealApplication: (application: Application, state: string): string => close("application", { state, application }),

    /** Undefined if this service did not seal it, or for another state. */
    openApplication(text: string, state: string): Application | undefined {
      const content = open("application", text)?.value;
      return content?.state === state ? content.application : undefined;
    },

    keepPending: (request: AuthorizationRequest): string =>
      close("request", { request, expires: time() + CODE_LIFETIME_MS, shown_at: realNow().getTime() }),

    /** Undefined if the text is not a sealed request. */
    pending(id: string): PendingRequest | undefined {
      const content = open("request", id)?.value;
      if (!content) return undefined;
      const { request, expires, shown_at } = content;
      const needsClick = request.application?.needsClick === true;
      return {
        request,
        isExpired: expires <= time(),
        isTooSoon: needsClick && realNow().getTime() - shown_at < LOOK_MS,
      };
    },

    issueCode(request: AuthorizationRequest, { id, email, name }: PersonaRecord): string {
      const { browser, state, application: _, ...granted } = request;
      const holder = browser === undefined ? undefined : pageHash(state, browser);
      return close("code", { granted, persona: { id, email, name }, holder, expires: time() + CODE_LIFETIME_MS });
    },

    /** What a code was issued for: also browser and state, as `pageHash` names them. Undefined: none. */
    issuedFor(code: string): Partial<Pick<AuthorizationRequest, "outcome" | "delays">> & {
      readonly holder?: string | undefined;
    } {
      const { granted, holder } = open("code", code)?.value ?? {};
      return { ...granted, holder };
    },

    /** An access token for a code: once, and only for the client that it was issued to. Otherwise undefined. */
    redeem(provider: Provider, { code, client_id, redirect_uri, code_verifier }: Redemption): Grant | undefined {
      const opened = open("code", code);
      if (!opened || opened.value.expires <= time() || spent.has(opened.id)) return undefined;
      // The id is a part of the code.
      spent.set(ownText(opened.id), true);
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
