import { LRUCache } from "lru-cache";
import { cacheLimit, ownText } from "../memory-use.ts";
import type { Provider } from "../../wire/providers.ts";
import type { OutcomeId } from "../../wire/outcomes.ts";
import type { Application } from "../providers/connections.ts";
import type { Edit } from "./edit.ts";
import { randomBytes } from "../random.ts";
import { pageHash } from "../sign-in/binding.ts";
import { codeChallenge } from "../sign-in/oauth2.ts";
import type { PersonaRecord } from "../store/records.ts";
import type { Purpose, Sealed, SealedApplication, SealedPersona, SealedRequest } from "./sealed.ts";
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
  readonly state: string;
  readonly scopes: readonly string[];
  readonly code_challenge: string | undefined;
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

type ClientRequest = Omit<AuthorizationRequest, "state" | "application" | "browser" | "outcome" | "profile">;

/** What an access token stands for. */
export interface Consent {
  readonly request: ClientRequest;
  readonly persona: PersonaRecord;
  readonly outcome: OutcomeId | undefined;
  readonly profile: Edit | undefined;
}

export interface Redemption {
  readonly provider: Provider;
  readonly code: string;
  readonly client_id: string;
  readonly redirect_uri: string;
  readonly code_verifier: string | undefined;
}

/**
 * Pending requests, and the codes and access tokens that the simulated providers issue. Requests and codes contain all
 * their data, sealed, because the browser may bring them to another process on the same store. Only the process that
 * redeemed a code knows that it was used, and only for its latest codes. Across processes, the state is what is single-use.
 * Access tokens are used by the process that requested them, and are stored there.
 */
export class Grants {
  readonly #sealer: Sealer;
  readonly #recall: (reference: PersonaReference) => PersonaRecord;
  readonly #now: () => Date;
  readonly #realNow: () => Date;
  /** Ids of redeemed codes. */
  readonly #spent = new LRUCache<string, true>(REMEMBERED_CODES);
  readonly #tokens = new LRUCache<string, { consent: Consent; expires: number }>(REMEMBERED_TOKENS);

  constructor(
    sealer: Sealer,
    recall: (reference: PersonaReference) => PersonaRecord,
    { now, realNow }: { readonly now: () => Date; readonly realNow: () => Date },
  ) {
    this.#sealer = sealer;
    this.#recall = recall;
    this.#now = now;
    this.#realNow = realNow;
  }

  /** Seals the application that the picker shows, for the request of one state. */
  sealApplication({ name, origin, needsClick }: Application, state: string): string {
    return this.#sealer.close("application", [state, name, origin, needsClick]);
  }

  /** Undefined if this service did not seal it, or for another state. */
  openApplication(text: string, state: string): Application | undefined {
    const [own, ...application] = (this.#sealer.open("application", text)?.value ?? []) as [
      string,
      ...SealedApplication,
    ];
    return own === state ? toApplication(application) : undefined;
  }

  keepPending(request: AuthorizationRequest): string {
    const { state, browser = null, application, outcome = null, profile } = request;
    const sealed = application ? ([application.name, application.origin, application.needsClick] as const) : null;
    const shown_at = this.#realNow().getTime();
    return this.#close("request", request, [state, browser, sealed, outcome, shown_at, profile ?? null]);
  }

  /** Undefined if the text is not a sealed request. */
  pending(id: string): PendingRequest | undefined {
    const opened = this.#open("request", id);
    if (!opened) return undefined;
    const { provider, client_id, redirect_uri, scopes, code_challenge } = opened.client;
    const [state, browser, sealed, outcome, shown_at, profile] = opened.details as SealedRequest;
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
      isExpired: opened.expires <= this.#time(),
      isTooSoon: application?.needsClick === true && this.#realNow().getTime() - shown_at < LOOK_MS,
    };
  }

  issueCode(request: AuthorizationRequest, { id, email, name }: PersonaRecord): string {
    const { browser, outcome = null, state, profile } = request;
    const holder = browser === undefined ? null : pageHash(state, browser);
    return this.#close("code", request, [id, email, name, outcome, holder, profile ?? null]);
  }

  /** What a code was issued for: the chosen outcome, and browser and state as `pageHash` names them. Undefined: none. */
  issuedFor(code: string): { readonly outcome: OutcomeId | undefined; readonly holder: string | undefined } {
    const sealed = this.#sealer.open("code", code)?.value as Sealed | undefined;
    const [, , , outcome, holder] = (sealed?.[6] ?? []) as Partial<SealedPersona>;
    return { outcome: outcome ?? undefined, holder: holder ?? undefined };
  }

  /** An access token for a code: once, and only for the client that it was issued to. Otherwise undefined. */
  redeem({
    provider,
    code,
    client_id,
    redirect_uri,
    code_verifier,
  }: Redemption): { access_token: string; scopes: readonly string[] } | undefined {
    const opened = this.#open("code", code);
    if (!opened || opened.expires <= this.#time() || !this.#spend(opened.id)) return undefined;
    const { client } = opened;
    const isTheirs =
      client.provider === provider && client.client_id === client_id && client.redirect_uri === redirect_uri;
    const challenge = code_verifier === undefined ? undefined : codeChallenge(code_verifier);
    if (!isTheirs || challenge !== client.code_challenge) return undefined;
    const [id, email, name, outcome, , profile] = opened.details as SealedPersona;
    const persona = this.#recall({ id, email, name });
    return {
      access_token: this.#issueToken({
        request: client,
        persona,
        outcome: outcome ?? undefined,
        profile: profile ?? undefined,
      }),
      scopes: client.scopes,
    };
  }

  /** The account that a provider's access token belongs to. */
  consentOf(provider: Provider, access_token: string): Consent | undefined {
    const entry = this.#tokens.get(access_token);
    return entry && entry.expires > this.#time() && entry.consent.request.provider === provider
      ? entry.consent
      : undefined;
  }

  #issueToken(consent: Consent): string {
    const access_token = randomBytes(32).toString("base64url");
    this.#tokens.set(access_token, { consent, expires: this.#time() + TOKEN_LIFETIME_MS });
    return access_token;
  }

  #close(purpose: Purpose, request: ClientRequest, details: Sealed[6]): string {
    const { provider, client_id, redirect_uri, scopes, code_challenge = null } = request;
    const expires = this.#time() + CODE_LIFETIME_MS;
    const sealed: Sealed = [expires, provider, client_id, redirect_uri, scopes.join(" "), code_challenge, details];
    return this.#sealer.close(purpose, sealed);
  }

  #open(
    purpose: Purpose,
    text: string,
  ): { id: string; expires: number; client: ClientRequest; details: Sealed[6] } | undefined {
    const opened = this.#sealer.open(purpose, text);
    if (!opened) return undefined;
    const [expires, provider, client_id, redirect_uri, scopes, code_challenge, details] = opened.value as Sealed;
    const client: ClientRequest = {
      provider,
      client_id,
      redirect_uri,
      scopes: scopes.split(" "),
      code_challenge: code_challenge ?? undefined,
    };
    return { id: opened.id, expires, client, details };
  }

  /** @returns false if it was already redeemed */
  #spend(id: string): boolean {
    if (this.#spent.has(id)) return false;
    // The id is a part of the code.
    this.#spent.set(ownText(id), true);
    return true;
  }

  #time(): number {
    return this.#now().getTime();
  }
}

function toApplication([name, origin, needsClick]: SealedApplication): Application {
  return { name, origin, needsClick };
}
