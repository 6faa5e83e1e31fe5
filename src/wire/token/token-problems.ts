import type { ErrorCode } from "../errors.ts";

/** Why a token is not valid, in the order in which it is found out. */
export const TOKEN_PROBLEMS = [
  "malformed",
  "instance",
  "signature",
  "expired",
  "algorithm",
  "issuer",
  "claims",
  "lifetime",
  "not_yet_valid",
] as const;
export type TokenProblem = (typeof TOKEN_PROBLEMS)[number];

/** Names the problem of a token that the service refused: the body has the specification's sentence alone. */
export const REASON_HEADER = "svc-reason";

const CODES = {
  signature: "token_invalid_signature",
  instance: "token_wrong_instance",
  expired: "token_expired",
} as const satisfies Partial<Record<TokenProblem, ErrorCode>>;

export type TokenErrorCode = (typeof CODES)[keyof typeof CODES] | "token_invalid";

/** The service's error code for a problem. */
export function codeOfProblem(problem: TokenProblem): TokenErrorCode {
  return problem in CODES ? CODES[problem as keyof typeof CODES] : "token_invalid";
}

export function isTokenProblem(value: unknown): value is TokenProblem {
  return (TOKEN_PROBLEMS as readonly unknown[]).includes(value);
}
