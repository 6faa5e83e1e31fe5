import { type TokenClaims, MAX_TOKEN_BYTES } from "../wire/claims.ts";
import { ERRORS } from "../wire/errors.ts";
import type { VerifiedToken } from "../wire/resources.ts";
import { isServiceError, TokenError, type ServiceError, type TokenReason, missingToken, whyHeader } from "./errors.ts";

/** Whether a token is valid, and what is wrong with it if not. `claims` are those in the token, such as `exp`. */
export type TokenCheck =
  | { ok: true; token: VerifiedToken; claims: TokenClaims }
  | { ok: false; error: ServiceError & { readonly reason?: TokenReason | undefined } };

/** The token as it is. Nothing, and what is too long for a token, is not sent. */
export function tokenToSend(token: unknown): string {
  if (typeof token !== "string" || token === "") throw missingToken();
  if (token.length > MAX_TOKEN_BYTES)
    throw new TokenError("token_invalid", ERRORS.token_invalid.error, { reason: "malformed" });
  const why = whyHeader(token);
  if (why !== undefined)
    throw new TokenError("token_invalid_signature", ERRORS.token_invalid_signature.error, { reason: "signature", why });
  return token;
}

/** What the service says of a token. @throws {ServiceError} if it does not decide */
export async function checked(text: string, verifying: Promise<VerifiedToken>): Promise<TokenCheck> {
  try {
    const token = await verifying;
    return { ok: true, token, claims: await claimsIn(text) };
  } catch (error) {
    const isAnswer = error instanceof TokenError || isServiceError(error, "user_not_found");
    if (isAnswer) return { ok: false, error };
    throw error;
  }
}

/** Of a token that the service has verified, so they are complete. A service that a test wrote itself may accept any text. */
async function claimsIn(token: string): Promise<TokenClaims> {
  const { decodeToken } = await import("./verify.ts");
  try {
    return decodeToken(token).claims as TokenClaims;
  } catch {
    return {} as TokenClaims;
  }
}
