import { createHash } from "node:crypto";
import type * as z from "zod";
import type { FetchResponse } from "../../wire/fetch.ts";
import type { Provider } from "../../wire/names.ts";
import type { email, text } from "../../wire/seed.ts";
import type { AccountOutcome, OutcomeId } from "../../wire/outcomes.ts";
import type { Application } from "../providers/connections.ts";
import type { PersonaRecord } from "../store/records.ts";
import type { Redemption } from "./grants.ts";

/** How a persona appears on a provider's account picker. */
export interface Account {
  readonly name: string;
  readonly detail: string;
  /** Why choosing it does not end with a token, if it does not. */
  readonly note?: string;
}

/** What an account picker shows. */
export interface PickerView {
  readonly provider: Provider;
  /** The sealed request that the choice answers; nothing else of it is on the page. */
  readonly request: string;
  /** Undefined if this service did not send the request. */
  readonly application: Application | undefined;
  /** One page of them. */
  readonly accounts: readonly { readonly persona: PersonaRecord; readonly account: Account }[];
  /** For `before` in the address of the previous page, and `after` in that of the next; undefined if there is none. */
  readonly previous: number | undefined;
  readonly next: number | undefined;
  /** Whether the provider sends e-mail addresses. */
  readonly sendsEmail: boolean;
  /** Number of personas. */
  readonly known: number;
  readonly search: string;
  /** What is wrong with the address that was typed in. */
  readonly problem: string | undefined;
  /** An account was chosen too soon after the page was shown for an intended click. */
  readonly isTooSoon: boolean;
  /** The outcome chosen for the sign-in. Undefined if none was chosen. */
  readonly outcome: OutcomeId | undefined;
  readonly client_id: string;
  readonly scopes: readonly string[];
}

/** A request to the token endpoint, whichever way the client authenticates. */
export interface TokenRequest {
  readonly redemption: Omit<Redemption, "provider">;
  readonly client_secret: string;
  /** How the client authenticates. */
  readonly method: "basic" | "body";
  readonly accept: string;
}

/** What an access token gives access to. */
export interface Granted {
  readonly persona: PersonaRecord;
  readonly scopes: readonly string[];
}

export type Redeem = () => { access_token: string; scopes: readonly string[] } | undefined;

/** A person who is typed in on the picker. */
export interface TypedPerson {
  readonly email: string;
  readonly email_verified: boolean;
  /** The local part of the address, in letters, digits and hyphens. */
  readonly login: string;
  /** A stable number derived from the address. Collisions are unlikely. */
  readonly number: number;
}

/**
 * Parts of zod that account schemas use. They are passed as arguments because zod is loaded for seeds only, and one by one
 * so that the build can drop the rest.
 */
export interface SchemaParts extends Pick<typeof z, "array" | "boolean" | "int" | "strictObject"> {
  readonly text: typeof text;
  readonly email: typeof email;
}

/** What differs between simulated providers: the quirks of the real ones. */
export interface SimulatedProvider {
  /** The provider's logo: SVG shapes in a 24 × 24 view box, without `style` attributes. */
  readonly mark: string;
  /** Paths of its endpoints, by the names in the provider's definition. */
  readonly endpoints: Readonly<Record<"authorize" | "token", string> & Record<string, string>>;
  /** True if the provider sends no e-mail addresses. */
  readonly sendsNoEmail?: true;
  /** The schema of a persona's account in a seed. */
  accountSchema(parts: SchemaParts): z.ZodType<Record<string, unknown>>;
  /** The account of a person who is typed in. */
  accountFor(person: TypedPerson): Record<string, unknown>;
  /** Undefined if the persona has no account here. */
  account(persona: PersonaRecord): Account | undefined;
  /**
   * Alters the persona's account to produce an outcome. Undefined if the persona has no account here. An outcome that is
   * missing is not possible at this provider.
   */
  readonly altered?: Partial<
    Record<AccountOutcome, (persona: PersonaRecord) => Readonly<Record<string, unknown>> | undefined>
  >;
  /** The token endpoint's answer if redirect_uri differs; default `invalid_grant` (RFC 6749, 5.2). */
  mismatch?(): FetchResponse;
  /** Why an authorization request is refused, beyond what every provider refuses. */
  refusal(query: ReadonlyMap<string, string>): string | undefined;
  /** @param isClient whether id and secret are a registered client's */
  token(request: TokenRequest, isClient: boolean, redeem: Redeem): FetchResponse;
  /** A protected resource, by its path below the provider's prefix. */
  resource(path: string, granted: Granted, headers: Readonly<Record<string, string>>): FetchResponse;
}

export function reply(status: number, body: unknown, headers: Readonly<Record<string, string>> = {}): FetchResponse {
  return textReply(status, JSON.stringify(body), { "content-type": "application/json; charset=utf-8", ...headers });
}

/**
 * An answer of plain values: within one process, a `Response` and its stream cost more than the rest of a provider.
 * @param headers by names in lower case
 */
export function textReply(status: number, text: string, headers: Readonly<Record<string, string>>): FetchResponse {
  return {
    status,
    headers: { get: (name) => headers[name.toLowerCase()] ?? null },
    body: [Buffer.from(text)],
    text: async () => text,
  };
}

export function notFound(): FetchResponse {
  return reply(404, { message: "Not Found" });
}

/** Another account's number, derived from an account's own, and longer than any real one. */
export function otherUid(uid: string): string {
  return `9${createHash("sha256").update(`svc other account ${uid}`).digest().readUIntBE(0, 6)}`.slice(0, 15);
}
