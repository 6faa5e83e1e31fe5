import { randomBytes } from "node:crypto";
import type { Provider } from "../../wire/names.ts";
import { codeChallenge } from "../sign-in/oauth2.ts";
import type { PersonaRecord } from "../store/records.ts";

const CODE_LIFETIME_MS = 10 * 60_000;
const TOKEN_LIFETIME_MS = 2 * 3_600_000;
const MAX_OPEN = 10_000;

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

/** The requests that wait for somebody's choice, and the codes and access tokens that the simulated providers gave out. */
export class Grants {
  readonly #pending = new Map<string, { request: AuthorizationRequest; expires: number }>();
  readonly #codes = new Map<string, { consent: Consent; expires: number }>();
  readonly #tokens = new Map<string, { consent: Consent; expires: number }>();
  readonly #now: () => Date;

  constructor(now: () => Date) {
    this.#now = now;
  }

  keepPending(request: AuthorizationRequest): string {
    return keep(this.#pending, randomBytes(12).toString("base64url"), {
      request,
      expires: this.#time() + CODE_LIFETIME_MS,
    });
  }

  pending(id: string): AuthorizationRequest | undefined {
    const entry = this.#pending.get(id);
    return entry && entry.expires > this.#time() ? entry.request : undefined;
  }

  issueCode(consent: Consent): string {
    return keep(this.#codes, randomBytes(24).toString("base64url"), {
      consent,
      expires: this.#time() + CODE_LIFETIME_MS,
    });
  }

  /** An access token for a code, once, and only to the client that it was made for; undefined otherwise. */
  redeem({
    provider,
    code,
    client_id,
    redirect_uri,
    code_verifier,
  }: Redemption): { access_token: string; scopes: readonly string[] } | undefined {
    const entry = this.#codes.get(code);
    this.#codes.delete(code);
    if (!entry || entry.expires <= this.#time()) return undefined;
    const { consent } = entry;
    const isTheirs =
      consent.provider === provider && consent.client_id === client_id && consent.redirect_uri === redirect_uri;
    const challenge = code_verifier === undefined ? undefined : codeChallenge(code_verifier);
    if (!isTheirs || challenge !== consent.code_challenge) return undefined;
    const access_token = keep(this.#tokens, randomBytes(32).toString("base64url"), {
      consent,
      expires: this.#time() + TOKEN_LIFETIME_MS,
    });
    return { access_token, scopes: consent.scopes };
  }

  /** Whom an access token of a provider speaks for. */
  consentOf(provider: Provider, access_token: string): Consent | undefined {
    const entry = this.#tokens.get(access_token);
    return entry && entry.expires > this.#time() && entry.consent.provider === provider ? entry.consent : undefined;
  }

  #time(): number {
    return this.#now().getTime();
  }
}

function keep<Value>(map: Map<string, Value>, key: string, value: Value): string {
  const [oldest] = map.keys();
  if (map.size >= MAX_OPEN && oldest !== undefined) map.delete(oldest);
  map.set(key, value);
  return key;
}
