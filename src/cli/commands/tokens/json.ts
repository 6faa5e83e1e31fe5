import type { Failure } from "../../failure.ts";
import type { Verdict } from "./verdict.ts";

export type How = "remote" | "local" | "both";

/** What `tokens verify --json` prints, whatever happened. */
export interface VerificationJson {
  readonly valid: boolean;
  /** Null if the token is valid. */
  readonly code: string | null;
  readonly error: string | null;
  /** Why it is not valid, in a sentence with claims that are not verified. */
  readonly reason: string | null;
  readonly user_id: string | null;
  readonly email: string | null;
  readonly name: string | null;
  readonly provider: string | null;
  readonly avatar_url: string | null;
  /** ISO 8601. */
  readonly expires_at: string | null;
  /** Null if the check failed: the token may be valid. */
  readonly checked: How | null;
}

/** Of a token that is not valid nothing is repeated: a program might believe it. */
const NOTHING = {
  user_id: null,
  email: null,
  name: null,
  provider: null,
  avatar_url: null,
  expires_at: null,
} as const;

export function verdictJson(verdict: Verdict, how: How): VerificationJson {
  if (!verdict.valid)
    return {
      valid: false,
      code: verdict.code,
      error: verdict.error,
      reason: verdict.why ?? null,
      ...NOTHING,
      checked: how,
    };
  const { claims, answer } = verdict;
  const { email, name, provider, avatar_url } = answer?.data ?? claims;
  return {
    valid: true,
    code: null,
    error: null,
    reason: null,
    user_id: answer?.id ?? claims.sub ?? null,
    email: email ?? null,
    name: name ?? null,
    provider: provider ?? null,
    avatar_url: avatar_url ?? null,
    expires_at: typeof claims.exp === "number" ? new Date(claims.exp * 1000).toISOString() : null,
    checked: how,
  };
}

export function failureJson({ code, message }: Failure): VerificationJson {
  return { valid: false, code, error: message, reason: null, ...NOTHING, checked: null };
}
