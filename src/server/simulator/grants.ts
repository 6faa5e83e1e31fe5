import { randomBytes } from "node:crypto";
import type { Provider } from "../../wire/names.ts";
import { codeChallenge } from "../sign-in/oauth2.ts";
import type { PersonaRecord } from "../store/records.ts";
import type { Seal } from "./sealed.ts";

const CODE_LIFETIME_MS = 10 * 60_000;
const TOKEN_LIFETIME_MS = 2 * 3_600_000;
const MAX_TOKENS = 10_000;

/** What a client asks for (RFC 6749, 4.1.1; RFC 7636, 4.3). */
export interface AuthorizationRequest {
  readonly provider: Provider;
  readonly client_id: string;
  readonly redirect_uri: string;
  readonly state: string;
  readonly scopes: readonly string[];
  readonly code_challenge: string | undefined;
}

/** The same, agreed to by somebody. */
export interface Consent extends AuthorizationRequest {
  readonly persona: PersonaRecord;
}

export interface Redemption {
  readonly provider: Provider;
  readonly code: string;
  readonly client_id: string;
  readonly redirect_uri: string;
  readonly code_verifier: string | undefined;
}

/** As little as brings a persona back: whom the store has is known everywhere, and who was typed in is made of this. */
export type PersonaReference = Pick<PersonaRecord, "id" | "email" | "name">;

type Purpose = "request" | "code";

/** What is sealed, in few characters: it travels in addresses. */
type Sealed = readonly [
  expires: number,
  provider: Provider,
  client_id: string,
  redirect_uri: string,
  scopes: string,
  code_challenge: string | null,
  state: string | null,
  persona: readonly [id: string, email: string, name: string | null] | null,
];

/**
 * The requests that wait for somebody's choice, and the codes and access tokens that the simulated providers give out.
 * Requests and codes travel through the browser, which may bring them to another process on the same store: they hold
 * all that they stand for, sealed. That a code is good once is known to the process that redeemed it alone; what is
 * single use everywhere is the state. A token is used by the process that asked for it, and is kept there.
 */
export class Grants {
  readonly #seal: Seal;
  readonly #recall: (reference: PersonaReference) => PersonaRecord;
  readonly #now: () => Date;
  /** The codes that were redeemed, until they expire; the oldest first. */
  readonly #spent = new Map<string, number>();
  readonly #tokens = new Map<string, { consent: Consent; expires: number }>();

  constructor(seal: Seal, recall: (reference: PersonaReference) => PersonaRecord, now: () => Date) {
    this.#seal = seal;
    this.#recall = recall;
    this.#now = now;
  }

  keepPending(request: AuthorizationRequest): string {
    return this.#close("request", request);
  }

  pending(id: string): AuthorizationRequest | undefined {
    return this.#open("request", id)?.request;
  }

  issueCode(consent: Consent): string {
    return this.#close("code", { ...consent, state: null }, consent.persona);
  }

  /** An access token for a code, once, and only to the client that it was made for; undefined otherwise. */
  redeem({
    provider,
    code,
    client_id,
    redirect_uri,
    code_verifier,
  }: Redemption): { access_token: string; scopes: readonly string[] } | undefined {
    const opened = this.#open("code", code);
    if (!opened?.persona || !this.#spend(opened.id, opened.expires)) return undefined;
    const { request, persona } = opened;
    const isTheirs =
      request.provider === provider && request.client_id === client_id && request.redirect_uri === redirect_uri;
    const challenge = code_verifier === undefined ? undefined : codeChallenge(code_verifier);
    if (!isTheirs || challenge !== request.code_challenge) return undefined;
    return { access_token: this.#issueToken({ ...request, persona: this.#recall(persona) }), scopes: request.scopes };
  }

  /** Whom an access token of a provider speaks for. */
  consentOf(provider: Provider, access_token: string): Consent | undefined {
    const entry = this.#tokens.get(access_token);
    return entry && entry.expires > this.#time() && entry.consent.provider === provider ? entry.consent : undefined;
  }

  #issueToken(consent: Consent): string {
    const [oldest] = this.#tokens.keys();
    if (this.#tokens.size >= MAX_TOKENS && oldest !== undefined) this.#tokens.delete(oldest);
    const access_token = randomBytes(32).toString("base64url");
    this.#tokens.set(access_token, { consent, expires: this.#time() + TOKEN_LIFETIME_MS });
    return access_token;
  }

  #close(
    purpose: Purpose,
    request: Omit<AuthorizationRequest, "state"> & { state: string | null },
    persona?: PersonaReference,
  ): string {
    const { provider, client_id, redirect_uri, scopes, code_challenge = null, state } = request;
    const reference = persona ? ([persona.id, persona.email, persona.name] as const) : null;
    const expires = this.#time() + CODE_LIFETIME_MS;
    const sealed: Sealed = [
      expires,
      provider,
      client_id,
      redirect_uri,
      scopes.join(" "),
      code_challenge,
      state,
      reference,
    ];
    return this.#seal.close(purpose, sealed);
  }

  #open(
    purpose: Purpose,
    text: string,
  ): { id: string; expires: number; request: AuthorizationRequest; persona: PersonaReference | undefined } | undefined {
    const opened = this.#seal.open(purpose, text);
    if (!opened) return undefined;
    const [expires, provider, client_id, redirect_uri, scopes, code_challenge, state, reference] =
      opened.value as Sealed;
    if (expires <= this.#time()) return undefined;
    const request: AuthorizationRequest = {
      provider,
      client_id,
      redirect_uri,
      state: state ?? "",
      scopes: scopes.split(" "),
      code_challenge: code_challenge ?? undefined,
    };
    const persona = reference ? { id: reference[0], email: reference[1], name: reference[2] } : undefined;
    return { id: opened.id, expires, request, persona };
  }

  /** False: it was spent before. */
  #spend(id: string, expires: number): boolean {
    for (const [old, end] of this.#spent) {
      if (end > this.#time()) break;
      this.#spent.delete(old);
    }
    if (this.#spent.has(id)) return false;
    this.#spent.set(id, expires);
    return true;
  }

  #time(): number {
    return this.#now().getTime();
  }
}
