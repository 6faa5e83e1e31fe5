/** Tokens, verified by the secret key alone: jose and no other package, and nothing of Node's own. */
export { authenticateRequest, type AuthenticateOptions, type AuthState, type RequestLike } from "./authenticate.ts";
export { ConfigError, isServiceError, TokenError, type ErrorCode, type TokenReason } from "./errors.ts";
export { checkToken, decodeToken, verifyToken, type TokenResult, type VerifyTokenOptions } from "./token.ts";
export type { TokenClaims } from "../wire/claims.ts";
