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
  /** What will come of choosing it, where that is not a token. */
  readonly note?: string;
}

/** What an account picker shows. */
export interface PickerView {
  readonly provider: Provider;
  /** Names the request that the choice answers; nothing else of it is on the page. */
  readonly request: string;
  /** Undefined: the request is not one of the service's own. */
  readonly application: Application | undefined;
  /** One page of them. */
  readonly accounts: readonly { readonly persona: PersonaRecord; readonly account: Account }[];
  /** For `before` in the address of the page before, and `after` in that of the next; undefined where there is none. */
  readonly previous: number | undefined;
  readonly next: number | undefined;
  /** Whether the provider sends e-mail addresses. */
  readonly sendsEmail: boolean;
  /** How many accounts there are at all the providers. */
  readonly known: number;
  readonly search: string;
  /** What is wrong with the address that was typed in. */
  readonly problem: string | undefined;
  /** An account was chosen too soon after the page was shown for the click to be meant. */
  readonly isTooSoon: boolean;
  /** How the sign-in is to end; undefined: it is not decided. */
  readonly outcome: OutcomeId | undefined;
  readonly client_id: string;
  readonly scopes: readonly string[];
}

/** A request to the token endpoint, with the client's proof wherever it was. */
export interface TokenRequest {
  readonly redemption: Omit<Redemption, "provider">;
  readonly client_secret: string;
  /** How the client proved itself. */
  readonly method: "basic" | "body";
  readonly accept: string;
}

/** What an access token was given for. */
export interface Granted {
  readonly persona: PersonaRecord;
  readonly scopes: readonly string[];
}

export type Redeem = () => { access_token: string; scopes: readonly string[] } | undefined;

/** A person who is typed in on the picker. */
export interface TypedPerson {
  readonly email: string;
  readonly email_verified: boolean;
  /** What the address has before its @, in letters and digits. */
  readonly login: string;
  /** The same for the same address, and hardly ever for another. */
  readonly number: number;
}

/**
 * What the schema of an account is made from: handed over, because the validator is loaded for seeds only, and one by
 * one, because the build leaves out the rest of it.
 */
export interface SchemaParts extends Pick<typeof z, "array" | "boolean" | "int" | "strictObject"> {
  readonly text: typeof text;
  readonly email: typeof email;
}

/** What is particular to one provider's stand-in: its quirks, as the real one has them. */
export interface SimulatedProvider {
  /** What calls it to mind on our pages: SVG shapes, drawn for them, in a box of 24 by 24; no `style` attribute. */
  readonly mark: string;
  /** Where its endpoints are, by the names that the provider's definition has for them. */
  readonly endpoints: Readonly<Record<"authorize" | "token", string> & Record<string, string>>;
  /** The provider never sends e-mail addresses, as twitter does not. */
  readonly sendsNoEmail?: true;
  /** A persona's account here, as a seed has it. */
  accountSchema(parts: SchemaParts): z.ZodType<Record<string, unknown>>;
  /** The account of a person who is typed in. */
  accountFor(person: TypedPerson): Record<string, unknown>;
  /** Undefined: the persona has no account here. */
  account(persona: PersonaRecord): Account | undefined;
  /**
   * The persona's account as it is where a sign-in is to end so; undefined: the persona has none. An outcome that is not
   * here cannot happen at the provider.
   */
  readonly altered?: Partial<
    Record<AccountOutcome, (persona: PersonaRecord) => Readonly<Record<string, unknown>> | undefined>
  >;
  /** What the token endpoint answers where redirect_uri differs; RFC 6749's `invalid_grant` unless given. */
  mismatch?(): FetchResponse;
  /** Why an authorization request is refused, beyond what every provider refuses. */
  refusal(query: ReadonlyMap<string, string>): string | undefined;
  /** @param isClient whether id and secret are those of a client that is known */
  token(request: TokenRequest, isClient: boolean, redeem: Redeem): FetchResponse;
  /** A protected document, by its path behind the provider's prefix. */
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

/** An account number that is always the same, and longer than any real one. */
export function otherUid(uid: string): string {
  return `9${createHash("sha256").update(`svc other account ${uid}`).digest().readUIntBE(0, 6)}`.slice(0, 15);
}
