/** The same client for runtimes without Node's modules: the edge, workers and browsers. It sends by their own `fetch`. */
import { createClientWith, type Client, type ClientOptions } from "./client.ts";
import { globalFetch } from "./transport.ts";

/** @throws {ConfigError} as the other `createClient` */
export function createClient(options: ClientOptions = {}): Client {
  return createClientWith(globalFetch, options);
}

export type { Client, ClientOptions } from "./client.ts";
export type { Call, ListCall, RequestOptions, TokenCheck, Try, WithResponse } from "./request.ts";
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
export type { Page } from "../http/request.ts";
export type { Fetch, FetchInit, FetchResponse } from "../http/fetch.ts";
export type { Provider, SessionProvider, TokenProvider } from "../wire/providers.ts";
export type { DeletedUser, Discovery, Instance, Session, User, VerifiedToken } from "../wire/resources.ts";
