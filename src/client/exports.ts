/** What the package exports beside `createClient`. */
export type { Client, ClientOptions, TokenCheck } from "./client.ts";
export type { Call, RequestOptions, Try, WithResponse } from "./request.ts";
export type { ListCall } from "./list.ts";
export {
  ApiError,
  ConfigError,
  ConnectionError,
  ERROR_CODES,
  isServiceError,
  ServiceError,
  SignInError,
  TokenError,
  type ErrorCode,
  type SignInCode,
  type TokenReason,
} from "./errors.ts";
export {
  sessionQuery,
  userQuery,
  type DateInput,
  type NegatableTerm,
  type QueryBuilder,
  type QueryInput,
  type QueryTerm,
  type SessionFields,
  type UserFields,
} from "./query-builder.ts";

export type { TokenClaims } from "../wire/claims.ts";
export type { Page } from "../wire/http/request.ts";
export type { Fetch, FetchInit, FetchResponse } from "../wire/http/fetch.ts";
export type { Provider, SessionProvider, TokenProvider } from "../wire/providers.ts";
export type { DeletedUser, Discovery, Instance, Session, User, VerifiedToken } from "../wire/resources.ts";
