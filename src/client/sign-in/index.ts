/** A sign-in for an application, in two calls: jose and no other package, and nothing of Node's own. */
export { beginSignIn, type BegunSignIn } from "./begin.ts";
export { finishSignIn, type CallbackRequest, type FinishedSignIn } from "./finish.ts";
export type { BeginSignInOptions, SignInOptions } from "./options.ts";
export type { RequestLike } from "../request-headers.ts";
export { ConfigError, isServiceError, SignInError, TokenError, type ErrorCode, type SignInCode } from "../errors.ts";
export type { Provider } from "../../wire/providers.ts";
export type { TokenClaims } from "../../wire/claims.ts";
