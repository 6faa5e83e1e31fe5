import type { Provider, SessionProvider, TokenProvider } from "./providers.ts";

/** What every record looks like on the wire. */
export interface Resource<Name extends string, Data> {
  id: string;
  resource: Name;
  data: Data;
}

export type User = Resource<
  "user",
  {
    email: string;
    name: string;
    avatar_url: string | null;
    email_verified: boolean;
    providers: readonly Provider[];
    /** ISO 8601 */
    created_at: string;
  }
>;

export type Session = Resource<
  "session",
  {
    /** `svc_session_<uuid>` */
    session_id: string;
    user_id: string;
    provider: SessionProvider;
    /** The user's display name and e-mail as they were at sign-in. */
    name: string;
    email: string;
    ip_address: string;
    /** Empty when the server knows nothing about the address. */
    geo_data: Record<string, unknown>;
    logged_in_at: string;
    last_signin_at: string;
    revoked_at: string | null;
    active: boolean;
  }
>;

export type Instance = Resource<
  "instance",
  {
    publishable_key: string;
    /** `url` and `subdomain` are null while the instance is not active. */
    url: string | null;
    subdomain: string | null;
  }
>;

/** The answer for a valid token; `id` is the user's. */
export type VerifiedToken = Resource<
  "token",
  { valid: true; email: string; name: string; avatar_url: string; provider: TokenProvider }
>;

export interface DeletedUser {
  deleted: true;
  id: string;
}

/** `GET /.well-known/openid-configuration` */
export interface Discovery {
  issuer: string;
  authorization_endpoint: string;
  token_endpoint: string;
  userinfo_endpoint: string;
  response_types_supported: ["code"];
  subject_types_supported: ["public"];
  id_token_signing_alg_values_supported: ["HS256"];
}

export interface ErrorBody {
  error: string;
  /** Only if a token was rejected. */
  valid?: false;
}
