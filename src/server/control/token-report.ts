import { claimsProblem, CLOCK_SKEW_SECONDS } from "../../wire/claims.ts";
import { ISSUER, MAX_TOKEN_BYTES, TOKEN_LIFETIME_SECONDS } from "../../wire/names.ts";
import { importKey, readClaims, verifySignature, type TokenProblem } from "../../wire/token.ts";
import type { InstanceRecord } from "../store/records.ts";

type Parts = Record<string, unknown> | null;

/** What a token says, and why verifying it ends as it does. */
export async function explainToken(
  token: string,
  instance: InstanceRecord,
  { now }: { now(): Date },
  status: number,
): Promise<{ header: Parts; claims: Parts; reason: string }> {
  const seconds = Math.floor(now().getTime() / 1000);
  const result = await verifySignature(token, [await importKey(instance.secret_key)], instance.id);
  const problem = "problem" in result ? result.problem : claimsProblem(result.claims, seconds);
  const claims: Parts = { ...readClaims(token) };
  return {
    header: headerOf(token),
    claims: readClaims(token) ? claims : null,
    reason: problem
      ? reasonOf(problem, claims, instance, seconds)
      : status === 404
        ? `The token is good, but ${instance.subdomain} has no user ${String(claims["sub"])}: it was deleted.`
        : `The token is valid for another ${Number(claims["exp"]) - seconds} s.`,
  };
}

function reasonOf(
  problem: TokenProblem,
  claims: NonNullable<Parts>,
  { subdomain }: InstanceRecord,
  now: number,
): string {
  const seconds = (name: string): number => Number(claims[name]) - now;
  switch (problem) {
    case "malformed":
      return `It is not a token of svc: it must be three base64url parts, ${MAX_TOKEN_BYTES} bytes at most.`;
    case "algorithm":
      return "Its algorithm is not HS256.";
    case "signature":
      return `It was not signed with the current secret key of ${subdomain}.`;
    case "instance":
      return `It was issued for the instance ${String(claims["instance_id"])}, not for ${subdomain}.`;
    case "issuer":
      return `Its issuer is ${JSON.stringify(claims["iss"] ?? null)}, not "${ISSUER}".`;
    case "claims":
      return "A claim is missing, or has another type: iss, sub, instance_id, iat and exp are required.";
    case "lifetime":
      return `It lasts ${Number(claims["exp"]) - Number(claims["iat"])} s; tokens of svc last ${TOKEN_LIFETIME_SECONDS} s.`;
    case "not_yet_valid":
      return `It was issued ${seconds("iat")} s in the future; ${CLOCK_SKEW_SECONDS} s are allowed.`;
    case "expired":
      return `It expired ${-seconds("exp")} s ago.`;
  }
}

function headerOf(token: string): Parts {
  try {
    const header: unknown = JSON.parse(Buffer.from(token.split(".")[0] ?? "", "base64url").toString());
    return typeof header === "object" && header !== null && !Array.isArray(header) ? { ...header } : null;
  } catch {
    return null;
  }
}
