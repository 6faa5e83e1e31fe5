import type * as z from "zod/mini";
import type { providerEmail, text } from "../../wire/control/values.ts";
import type { ProviderAnswer } from "../providers/replies.ts";
import type { AccountOutcome } from "../../wire/outcomes.ts";
import type { PersonaRecord } from "../store/records.ts";

export interface ShownAccount {
  readonly name: string;
  readonly detail: string;
  /** Why choosing it does not end with a token, if it does not. */
  readonly note?: string;
}

export interface Grant {
  readonly access_token: string;
  readonly scopes: readonly string[];
  readonly refresh_token?: string | undefined;
  readonly id_token?: string | undefined;
}

/** RFC 6749, 2.3.1. `client_secret` is undefined if none was sent. */
export interface SentCredentials {
  readonly client_id: string;
  readonly client_secret: string | undefined;
}

/**
 * A request to the token endpoint: to exchange a code, or a refresh token, for an access token (RFC 6749, 4.1.3 and 6;
 * RFC 7636, 4.5).
 */
export interface TokenRequest {
  readonly purpose: "code" | "refresh";
  readonly code: string;
  /** As the client may have meant them: not all encode what they send by HTTP Basic. */
  readonly credentials: readonly SentCredentials[];
  /** How the client authenticates; `none` is a public client's. */
  readonly method: "basic" | "body" | "none";
  /** Undefined if the client leaves it out, where it may. */
  readonly redirect_uri: string | undefined;
  readonly code_verifier: string | undefined;
  readonly accept: string;
}

/** A person who is typed in on the picker. */
export interface TypedPerson {
  readonly email: string;
  /** The local part of the address, in letters, digits and hyphens. */
  readonly login: string;
  /** A stable number derived from the address. Collisions are unlikely. */
  readonly number: number;
}

/** The account, altered to produce an outcome. A method, so that providers with accounts of any form fit one table. */
type Alter<Account> = { alter(account: Account, persona: PersonaRecord): Account }["alter"];

export interface ResourceRequest {
  /** By names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  /** The address, without its query. */
  readonly url: string;
  /** Which client has the token, and how long it is valid. */
  readonly client_id: string;
  readonly validity: { readonly exp: number; readonly expires_in: number } | undefined;
}

/** What differs between simulated providers: the quirks of the real ones, and the form of their accounts. */
export interface SimulatedProvider<Account extends object = object> {
  /** The provider's logo: SVG shapes in a 24 × 24 view box, without `style` attributes. */
  readonly mark: string;
  /** Paths of its endpoints, by the names in the provider's definition. */
  readonly endpoints: Readonly<Record<"authorize" | "token", string> & Record<string, string>>;
  /** The schema of a persona's account in a seed. The forms of its values are loaded for seeds only. */
  accountSchema(forms: { readonly text: typeof text; readonly email: typeof providerEmail }): z.ZodMiniType<Account>;
  /** The names beside `data`, if that has the fields of the profile. Undefined if the reply has them itself. */
  readonly besideData?: readonly string[];
  /** Whether a client may leave out `response_type` and `redirect_uri`, and `grant_type` of an exchange. */
  readonly isLenient?: true;
  /** Its own name for `login_hint`. */
  readonly hint?: string;
  /** How long an application's access token is valid. Undefined: without end. */
  readonly lifetimeSeconds?: number;
  /** Whether an authorization request asks for a refresh token. Undefined: there are none. */
  isOffline?(query: ReadonlyMap<string, string>): boolean;
  /** Whether it is issued at an account's first consent alone, or where the request asks for consent again. */
  readonly refreshesAtConsent?: true;
  /** Whether a refresh token is good once, and replaced then. */
  readonly replacesRefreshTokens?: true;
  /** What an OpenID provider says of an account. Undefined: it is none, and issues no id_token. */
  claims?(account: Account, persona: PersonaRecord, scopes: Grant["scopes"]): Record<string, unknown>;
  accountFor(person: TypedPerson): Account;
  shown(account: Account, persona: PersonaRecord): ShownAccount;
  /** An outcome that is missing is not possible at this provider. */
  readonly altered?: Partial<Record<AccountOutcome, Alter<Account>>>;
  /** The token endpoint's answer if redirect_uri differs; default `invalid_grant` (RFC 6749, 5.2). */
  mismatch?(): SimulatedAnswer;
  /** Why an authorization request is refused, beyond what every provider refuses. */
  refusal?(query: ReadonlyMap<string, string>): string | undefined;
  /** The error of a request that allows no page, where there must be one. Undefined: pages are always allowed. */
  silentError?(query: ReadonlyMap<string, string>): string | undefined;
  /** Whether any port fits where a loopback address is registered. */
  readonly ignoresLoopbackPort?: true;
  /** Whether a client with a secret must authenticate by HTTP Basic. One without is public then, and has PKCE. */
  readonly needsBasic?: true;
  /** Whether the token endpoint takes JSON, too. */
  readonly takesJson?: true;
  /** The schemes of `Authorization` that a token may come with, in lower case. Default: `bearer`. */
  readonly schemes?: readonly string[];
  /** Whether a token may come in the query or in a form (RFC 6750, 2.2 and 2.3). */
  readonly takesTokenAsParameter?: true;
  /** Other paths of its endpoints, as its own libraries expect them. */
  readonly aliases?: Readonly<Record<string, string>>;
  /** The endpoint that revokes a token (RFC 7009), and its answers. */
  readonly revocation?: {
    readonly path: string;
    readonly needsClient: boolean;
    done(): SimulatedAnswer;
    unknown(): SimulatedAnswer;
  };
  /** The answer to a token that is not good. */
  wrongToken(): SimulatedAnswer;
  /** The token endpoint's answers: to a client that it does not know, to a code that is not good, and with a token. */
  wrongClient(request: TokenRequest): SimulatedAnswer;
  wrongCode(request: TokenRequest): SimulatedAnswer;
  granted(grant: Grant, request: TokenRequest): SimulatedAnswer;
  /** A protected resource, by its path below the provider's prefix, of the account that the access token is for. */
  resource(
    path: string,
    granted: { account: Account; persona: PersonaRecord; scopes: Grant["scopes"] },
    asked: ResourceRequest,
  ): SimulatedAnswer;
}

export function reply(status: number, body: unknown, headers: Readonly<Record<string, string>> = {}): SimulatedAnswer {
  return textReply(status, JSON.stringify(body), { "content-type": "application/json; charset=utf-8", ...headers });
}

/** Of plain values: within one process, a `Response` and its stream cost more than the rest of a provider. */
export interface SimulatedAnswer extends ProviderAnswer {
  readonly headers: ReadonlyMap<string, string>;
  readonly text: string;
}

export function textReply(status: number, text: string, headers: Readonly<Record<string, string>>): SimulatedAnswer {
  return { status, headers: new Map(Object.entries(headers)), text };
}

export function notFound(): SimulatedAnswer {
  return reply(404, { message: "Not Found" });
}
