/** A token that is good, and one of each way to be wrong. */
export const TOKEN_KINDS = [
  "valid",
  "expired",
  "issued_in_future",
  "wrong_signature",
  "wrong_issuer",
  "wrong_lifetime",
  "wrong_algorithm",
  "alg_none",
  "missing_claim",
  "other_instance",
  "deleted_user",
  "malformed",
] as const;
export type TokenKind = (typeof TOKEN_KINDS)[number];
