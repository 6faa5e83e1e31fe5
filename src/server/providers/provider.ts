import { toUSVString } from "node:util";
import * as z from "zod/mini";
import { PROVIDERS, type Provider } from "../../wire/providers.ts";

/** A normalized provider profile (spec, "Identity"). */
export interface ProviderProfile {
  /** The provider's id of the account. */
  uid: string;
  /** Null if the provider has none; the user then gets a placeholder. */
  email: string | null;
  email_verified: boolean;
  name: string | null;
  /** The name of a new user without a display name. */
  username?: string | null;
  avatar_url: string | null;
}

/** Fetches the JSON document at an endpoint with the access token. @throws {SignInFailure} */
export type Get<Endpoint extends string> = <Schema extends z.ZodMiniType>(
  endpoint: Endpoint,
  schema: Schema,
) => Promise<z.infer<Schema>>;

/** How to sign a user in at a provider: data, and a function that reads the profile. */
export interface ProviderDefinition<Endpoint extends string = string> {
  readonly name: Provider;
  readonly scopes: readonly string[];
  /** How the provider names itself in redirects (`iss`, RFC 9207), if it does. */
  readonly issuer?: string;
  /** Whether the provider requires a code challenge, method S256 (RFC 7636). */
  readonly pkce: boolean;
  /** How the client authenticates when it exchanges a code (RFC 6749, 2.3.1). */
  readonly clientAuthentication: "basic" | "body";
  /** The parameter of the authorization request that names the account to suggest. */
  readonly loginHint: string | undefined;
  /** Whether a sign-in here verifies the user's e-mail address (spec, "User"). */
  readonly verifiesEmail: boolean;
  readonly endpoints: Readonly<Record<"authorize" | "token", string> & Record<Endpoint, string>>;
  fetchProfile(get: Get<Endpoint>): Promise<ProviderProfile>;
}

const MAX_NAME_LENGTH = 256;

/** An id as text. A number beyond 2^53 has lost digits and could name another account. */
export const uid: z.ZodMiniType<string> = z.pipe(
  z.union([z.string().check(z.regex(/^[\x21-\x7e]{1,255}$/)), z.int().check(z.positive())]),
  z.transform(String),
);

/** A value that becomes null if it is invalid, for what a sign-in does not need. */
export function lenient<Output>(schema: z.ZodMiniType<Output>): z.ZodMiniType<Output | null> {
  // A missing value gets its null before it becomes an error, which is far more expensive to create.
  const orNull = z._default(z.nullable(schema), null);
  // oxlint-disable-next-line promise/valid-params
  return z.catch(orNull, null);
}

/** Text that a sign-in does not need. */
export const optionalText: z.ZodMiniType<string | null> = lenient(z.string());

const LINE_BREAKS = /[\n\v\f\r\u0085\u2028\u2029]+/g;

/** What no one sees, alone: spaces, and characters such as U+200D, U+3164 and U+2800. */
const BLANK = /^[\p{Z}\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}\u2800]*$/u;

/** The first name that can be seen, in one line that every store accepts: bounded, without U+0000 and lone surrogates. */
export function displayName(...names: readonly (string | null | undefined)[]): string {
  const lines = names.map((text) => text?.replaceAll("\0", "").replace(LINE_BREAKS, " ").trim());
  const name = lines.find((text) => !BLANK.test(text ?? "")) ?? "";
  return toUSVString(name.slice(0, MAX_NAME_LENGTH));
}

/** For users of a provider that has no e-mail addresses: an undeliverable one (RFC 2606). */
export function placeholderEmail(provider: Provider, account: string): string {
  return `${account.replaceAll("%", "%25").replaceAll("@", "%40")}@${placeholderDomain(provider)}`;
}

/** Whether an address, in any case, has the domain of a placeholder. */
export function isPlaceholderEmail(email: string): boolean {
  const address = email.toLowerCase();
  return PROVIDERS.some((provider) => address.endsWith(`@${placeholderDomain(provider)}`));
}

function placeholderDomain(provider: Provider): string {
  return `${provider}.invalid`;
}

/**
 * Whether NFKC made of a sent address that of another mailbox: a mail server may tell `ſ` from `s` before the @, which
 * NFKC does not (RFC 6532, 3.1). Domains are compared without such differences anyway (UTS #46).
 * @param stored the same address in NFKC
 */
export function isOtherMailbox(sent: string, stored: string): boolean {
  return !sent.normalize("NFC").startsWith(stored.slice(0, stored.indexOf("@") + 1));
}
