import type * as z from "zod/mini";
import type { Provider } from "../../wire/providers.ts";

/** A normalized provider profile (spec, "Identity"). */
export interface Profile {
  /** The provider's id of the account. */
  uid: string;
  /** Null if the provider has none; the user then gets a placeholder. */
  email: string | null;
  /** Whether the provider has verified `email`. */
  email_verified: boolean;
  /** The display name; null if there is none. */
  name: string | null;
  /** The name of a new user without a display name. */
  username?: string | null;
  avatar_url: string | null;
}

/** Fetches the JSON document at an endpoint with the access token. @throws {SignInError} */
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
  fetchProfile(get: Get<Endpoint>): Promise<Profile>;
}
