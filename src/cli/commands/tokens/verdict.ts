import type { Client } from "../../../client/client.ts";
import type { TokenClaims } from "../../../wire/claims.ts";
import { ERRORS } from "../../../wire/errors.ts";
import type { VerifiedToken } from "../../../wire/resources.ts";
import { toFailure } from "../../failure.ts";
import { EXIT, type ExitCode } from "../../errors.ts";
import { whyNot, type DecodedToken } from "./why.ts";

/** Whether a token is valid, by the service's answer or by the key alone. */
export type Verdict =
  | { readonly valid: true; readonly claims: Partial<TokenClaims>; readonly answer?: VerifiedToken }
  | {
      readonly valid: false;
      readonly exitCode: ExitCode;
      readonly code: string;
      readonly error: string;
      readonly why: string | undefined;
    };

/** Asks the service. @throws if it did not decide about the token */
export async function verifyRemotely(client: Client, token: string, now: Date): Promise<Verdict> {
  const decoded = await decode(token);
  try {
    const answer = await client.tokens.verify(token);
    return { valid: true, claims: decoded?.claims ?? {}, answer };
  } catch (error) {
    return refused(error, token, decoded, now);
  }
}

/** Checks the signature and the claims without a request, and so does not notice that a user was deleted. */
export async function verifyLocally(secretKey: string, token: string, now: Date): Promise<Verdict> {
  const { verifyToken } = await import("../../../client/verify.ts");
  try {
    return { valid: true, claims: await verifyToken(token, { secretKey, now: () => now }) };
  } catch (error) {
    return refused(error, token, await decode(token), now);
  }
}

/** The header and claims of a token. Undefined if it cannot be decoded. */
export async function decode(token: string): Promise<DecodedToken | undefined> {
  const { decodeToken } = await import("../../../client/verify.ts");
  try {
    return decodeToken(token);
  } catch {
    return undefined;
  }
}

function refused(error: unknown, token: string, decoded: DecodedToken | undefined, now: Date): Verdict {
  const { exitCode, code, message } = toFailure(error);
  // A token that is too long to be sent is not valid.
  if (code === "body_too_large") {
    const own = { exitCode: EXIT.tokenInvalid, code: "token_invalid", error: ERRORS.token_invalid.error };
    return { valid: false, ...own, why: whyNot("token_invalid", token, decoded, now) };
  }
  const isAnswer = exitCode === EXIT.tokenInvalid || code === "user_not_found";
  if (!isAnswer) throw error;
  return { valid: false, exitCode, code, error: message, why: whyNot(code, token, decoded, now) };
}
