/** The typed client of the service. */
export { createClient, type Client, type ClientOptions } from "./client.ts";
export type { Call, RequestOptions, WithResponse } from "./call.ts";
export {
  ApiError,
  ConfigError,
  ConnectionError,
  isServiceError,
  ServiceError,
  TokenError,
  type ErrorCode,
} from "./errors.ts";

export type { TokenClaims } from "../wire/claims.ts";
export type { Page } from "../wire/endpoints.ts";
export type { Fetch, FetchInit, FetchResponse } from "../wire/fetch.ts";
export type { Provider, SessionProvider, TokenProvider } from "../wire/names.ts";
export type { DeletedUser, Discovery, Instance, Session, User, VerifiedToken } from "../wire/resources.ts";
