import type * as z from "zod/mini";
import type { Provider } from "../../wire/names.ts";

/** What a provider says of a person, in our words. */
export interface Profile {
  /** The provider's own id of the person. */
  uid: string;
  email: string;
  /** Whether the provider vouches for `email`. */
  email_verified: boolean;
  name: string;
  avatar_url: string | null;
}

/** Fetches a JSON document with the person's access token. Throws `SignInError` where the answer does not fit. */
export type Get = <Schema extends z.ZodMiniType>(url: string, schema: Schema) => Promise<z.infer<Schema>>;

/** How to sign somebody in at one provider: data, and the one function that reads its profile. */
export interface ProviderDefinition<Endpoint extends string = string> {
  readonly name: Provider;
  readonly scopes: readonly string[];
  /** Whether the provider wants a code challenge, method S256 (RFC 7636). */
  readonly pkce: boolean;
  /** How the client proves itself when it exchanges a code (RFC 6749, 2.3.1). */
  readonly clientAuthentication: "basic" | "body";
  /** The parameter of the authorization request that names the account to suggest. */
  readonly loginHint: string | undefined;
  readonly endpoints: Readonly<Record<"authorize" | "token", string> & Record<Endpoint, string>>;
  fetchProfile(get: Get, endpoints: Readonly<Record<Endpoint, string>>): Promise<Profile>;
}
