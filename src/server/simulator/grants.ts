import { LRUCache } from "lru-cache";
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

/** What an authorization request and its code have in common. */
interface ClientRequest {
  readonly provider: Provider;
  readonly client_id: string;
  readonly redirect_uri: string;
  readonly scopes: readonly string[];
  readonly code_challenge: string | undefined;
}

/** An authorization request of a client (RFC 6749, 4.1.1; RFC 7636, 4.3). */
export interface AuthorizationRequest extends ClientRequest {
  readonly state: string;
  /** Undefined if this service did not send the request. */
  readonly application: Application | undefined;
  /** The browser that may answer it; undefined for a program. */
  readonly browser: string | undefined;
  /** The outcome chosen for the sign-in. Undefined if none was chosen. */
  readonly outcome: OutcomeId | undefined;
  /** Changes to the profile that the provider sends. */
  readonly profile: Edit | undefined;
}

/** A request that an account picker was shown for. */
export interface PendingRequest extends AuthorizationRequest {
  /** It is older than ten minutes. */
  readonly isExpired: boolean;
  /**
   * The application needs a click, and the page was shown too recently for an intended one: it may be the second click of
   * a double-click, or a key, that began on another page.
   */
  readonly isTooSoon: boolean;
}

/** What an access token stands for. */
interface Consent extends Pick<AuthorizationRequest, "provider" | "scopes" | "outcome" | "profile"> {
  readonly persona: PersonaRecord;
}

/** A value of sealed content. JSON makes null of undefined. */
type Maybe<Value> = Value | null | undefined;
type SealedApplication = readonly [name: string, origin: string, needsClick: boolean];

/** What is sealed besides the client's request, by its purpose. */
interface Details {
  readonly request: readonly [
    state: string,
    browser: Maybe<string>,
    application: Maybe<SealedApplication>,
    outcome: Maybe<OutcomeId>,
    /** Unix milliseconds, real time. */
    shown_at: number,
    profile: Maybe<Edit>,
  ];
  readonly code: readonly [
    id: string,
    email: string,
    name: string | null,
    outcome: Maybe<OutcomeId>,
    holder: Maybe<string>,
    profile: Maybe<Edit>,
  ];
}
type Purpose = keyof Details;

/** Sealed content. An array, to be short: it is part of addresses. */
type Sealed<For extends Purpose> = readonly [
  expires: number,
  provider: Provider,
  client_id: string,
  redirect_uri: string,
  scopes: string,
  code_challenge: Maybe<string>,
  details: Details[For],
];

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
  const tokens = new LRUCache<string, { consent: Consent; expires: number }>(REMEMBERED_TOKENS);
  const time = (): number => now().getTime();

  function close<For extends Purpose>(purpose: For, request: ClientRequest, details: Details[For]): string {
    const { provider, client_id, redirect_uri, scopes, code_challenge } = request;
    const expires = time() + CODE_LIFETIME_MS;
    const sealed: Sealed<For> = [expires, provider, client_id, redirect_uri, scopes.join(" "), code_challenge, details];
    return sealer.close(purpose, sealed);
  }

  function open<For extends Purpose>(purpose: For, text: string) {
    const opened = sealer.open(purpose, text);
    if (!opened) return undefined;
    const [expires, provider, client_id, redirect_uri, scopes, challenge, details] = opened.value as Sealed<For>;
    const code_challenge = challenge ?? undefined;
    const client: ClientRequest = { provider, client_id, redirect_uri, scopes: scopes.split(" "), code_challenge };
    return { id: opened.id, isExpired: expires <= time(), client, details };
  }

  return {
    /** Seals the application that the picker shows, for the request of one state. */
    sealApplication: ({ name, origin, needsClick }: Application, state: string): string =>
      sealer.close("application", [state, name, origin, needsClick]),

    /** Undefined if this service did not seal it, or for another state. */
    openApplication(text: string, state: string): Application | undefined {
      const [own, ...application] = (sealer.open("application", text)?.value ?? []) as [string, ...SealedApplication];
      return own === state ? toApplication(application) : undefined;
    },

    keepPending(request: AuthorizationRequest): string {
      const { state, browser, application, outcome, profile } = request;
      const sealed = application && ([application.name, application.origin, application.needsClick] as const);
      return close("request", request, [state, browser, sealed, outcome, realNow().getTime(), profile]);
    },

    /** Undefined if the text is not a sealed request. */
    pending(id: string): PendingRequest | undefined {
      const opened = open("request", id);
      if (!opened) return undefined;
      const { provider, client_id, redirect_uri, scopes, code_challenge } = opened.client;
      const [state, browser, sealed, outcome, shown_at, profile] = opened.details;
      const application = sealed ? toApplication(sealed) : undefined;
      return {
        // Listed field by field: spreading is slower than decrypting.
        provider,
        client_id,
        redirect_uri,
        scopes,
        code_challenge,
        state,
        browser: browser ?? undefined,
        outcome: outcome ?? undefined,
        profile: profile ?? undefined,
        application,
        isExpired: opened.isExpired,
        isTooSoon: application?.needsClick === true && realNow().getTime() - shown_at < LOOK_MS,
      };
    },

    issueCode(request: AuthorizationRequest, { id, email, name }: PersonaRecord): string {
      const { browser, outcome, state, profile } = request;
      const holder = browser === undefined ? undefined : pageHash(state, browser);
      return close("code", request, [id, email, name, outcome, holder, profile]);
    },

    /** What a code was issued for: the chosen outcome, and browser and state as `pageHash` names them. Undefined: none. */
    issuedFor(code: string): { readonly outcome: OutcomeId | undefined; readonly holder: string | undefined } {
      const [, , , outcome, holder] = open("code", code)?.details ?? [];
      return { outcome: outcome ?? undefined, holder: holder ?? undefined };
    },

    /** An access token for a code: once, and only for the client that it was issued to. Otherwise undefined. */
    redeem(provider: Provider, { code, client_id, redirect_uri, code_verifier }: Redemption): Grant | undefined {
      const opened = open("code", code);
      if (!opened || opened.isExpired || spent.has(opened.id)) return undefined;
      // The id is a part of the code.
      spent.set(ownText(opened.id), true);
      const { client } = opened;
      const isTheirs =
        client.provider === provider && client.client_id === client_id && client.redirect_uri === redirect_uri;
      const challenge = code_verifier === undefined ? undefined : codeChallenge(code_verifier);
      if (!isTheirs || challenge !== client.code_challenge) return undefined;
      const { scopes } = client;
      const [id, email, name, outcome, , profile] = opened.details;
      const consent = { provider, scopes, outcome: outcome ?? undefined, profile: profile ?? undefined };
      const access_token = randomBytes(32).toString("base64url");
      tokens.set(access_token, {
        consent: { ...consent, persona: recall({ id, email, name }) },
        expires: time() + TOKEN_LIFETIME_MS,
      });
      return { access_token, scopes };
    },

    /** The account that a provider's access token belongs to. */
    consentOf(provider: Provider, access_token: string): Consent | undefined {
      const { consent, expires = 0 } = tokens.get(access_token) ?? {};
      return consent?.provider === provider && expires > time() ? consent : undefined;
    },
  };
}

function toApplication([name, origin, needsClick]: SealedApplication): Application {
  return { name, origin, needsClick };
}
