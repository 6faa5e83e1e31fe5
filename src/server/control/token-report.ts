import { isObject } from "../../wire/text/json.ts";
import { isUuid } from "../../wire/ids.ts";
import { MAX_TOKEN_BYTES, type TokenProblem, explainClaims, explainHeader, timeInWords } from "../../wire/claims.ts";
import { importKey, readClaims, tokenProblem, verifySignature } from "../../wire/token.ts";
import { verifyingKeys } from "../instances/instances.ts";
import type { InstanceRecord } from "../store/records.ts";

type Parts = Record<string, unknown> | null;

/** What a token says, and the reason for the result of verifying it. */
export async function explainToken(
  token: string,
  instance: InstanceRecord,
  { now }: { now(): Date },
  status: number,
): Promise<{ header: Parts; claims: Parts; problem: TokenProblem | null; reason: string }> {
  const at = now();
  const seconds = Math.floor(at.getTime() / 1000);
  const keys = await Promise.all(verifyingKeys(instance, at).map((key) => importKey(key)));
  const result = await verifySignature(token, keys, instance.id);
  const problem = "problem" in result ? result.problem : tokenProblem(result, seconds);
  const claims: Parts = readClaims(token) ? { ...readClaims(token) } : null;
  const header = headerOf(token);
  return {
    header,
    claims,
    problem: problem ?? null,
    reason: problem
      ? reasonOf(problem, { header, claims }, instance, at)
      : status === 404
        ? `The token is valid, but ${instance.subdomain} has no user ${explainSub(String(claims?.["sub"]))}.`
        : `The token is valid. It expires ${timeInWords(claims?.["exp"], at)}.`,
  };
}

function explainSub(sub: string): string {
  return isUuid(sub) ? `${sub}: it was deleted, or never existed` : `"${sub}": that is not a user id`;
}

function reasonOf(
  problem: TokenProblem,
  { header, claims }: { header: Parts; claims: Parts },
  { subdomain }: InstanceRecord,
  now: Date,
): string {
  switch (problem) {
    case "malformed":
    case "algorithm":
      return (
        (header && claims && explainHeader(header)) ??
        `It is not a token of svc: it must be three base64url parts, ${MAX_TOKEN_BYTES} bytes at most.`
      );
    case "signature":
      return `It was not signed with a current secret key of ${subdomain}.`;
    case "instance":
      return `It was issued for the instance ${String(claims?.["instance_id"])}, not for ${subdomain}.`;
    default:
      return explainClaims(problem, claims ?? {}, now);
  }
}

function headerOf(token: string): Parts {
  try {
    const header: unknown = JSON.parse(Buffer.from(token.split(".")[0] ?? "", "base64url").toString());
    return isObject(header) ? { ...header } : null;
  } catch {
    return null;
  }
}
