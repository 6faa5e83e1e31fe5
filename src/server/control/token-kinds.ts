import { createHmac, hash } from "node:crypto";
import { type TokenKind, CLOCK_SKEW_SECONDS, type TokenClaims, TOKEN_LIFETIME_SECONDS } from "../../wire/claims.ts";
import type { TokenProvider } from "../../wire/providers.ts";
import { edited, type Edit } from "../simulator/edit.ts";
import { namedUuid } from "./records.ts";
import type { InstanceRecord, UserRecord } from "../store/records.ts";
import { claimsFor } from "../token.ts";

export interface TokenWanted {
  readonly kind: TokenKind;
  readonly instance: InstanceRecord;
  readonly user: UserRecord;
  readonly provider: TokenProvider;
  /** Unix seconds. */
  readonly now: number;
  /** Seconds until it expires. Default: the kind's own. */
  readonly expires_in: number | undefined;
  /** Changes to the claims before they are signed. */
  readonly edit: Edit | undefined;
}

/** A token of a kind. It follows from what is wanted alone: the same again is the same token. */
export function createToken(wanted: TokenWanted): string {
  const { kind, instance } = wanted;
  const own = claimsOf(wanted);
  const claims = wanted.edit ? edited(own, wanted.edit) : own;
  switch (kind) {
    case "wrong_signature":
      return signed(claims, derived(`wrong signature ${instance.id}`));
    case "wrong_algorithm":
      return signed(claims, instance.secret_key, "HS512");
    case "alg_none":
      return `${encode({ alg: "none", typ: "JWT" })}.${encode(claims)}.`;
    case "other_instance":
      return signed(
        { ...claims, instance_id: namedUuid(`other instance ${instance.id}`) },
        derived(`other ${instance.id}`),
      );
    case "malformed":
      return signed(claims, instance.secret_key).replace(/\..*\./, ".");
    default:
      return signed(claims, instance.secret_key);
  }
}

function claimsOf({ kind, instance, user, provider, now, expires_in }: TokenWanted): Partial<TokenClaims> {
  const exp = now + (expires_in ?? (kind === "expired" ? -60 : TOKEN_LIFETIME_SECONDS));
  const claims = claimsFor(instance, user, provider, exp - TOKEN_LIFETIME_SECONDS);
  switch (kind) {
    case "issued_in_future": {
      const iat = now + CLOCK_SKEW_SECONDS + 3600;
      return { ...claims, iat, exp: iat + TOKEN_LIFETIME_SECONDS };
    }
    case "wrong_issuer":
      return { ...claims, iss: "https://issuer.example" };
    case "wrong_lifetime":
      return { ...claims, exp: claims.iat + 24 * 3600 };
    case "missing_claim": {
      const { exp: _, ...rest } = claims;
      return rest;
    }
    case "deleted_user":
      return { ...claims, sub: namedUuid(`deleted user ${user.id}`) };
    default:
      return claims;
  }
}

function signed(claims: object, key: string, alg: "HS256" | "HS512" = "HS256"): string {
  const text = `${encode({ alg, typ: "JWT" })}.${encode(claims)}`;
  return `${text}.${createHmac(alg === "HS256" ? "sha256" : "sha512", key)
    .update(text)
    .digest("base64url")}`;
}

function encode(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString("base64url");
}

/** A key that is not the instance's, and always the same. */
function derived(name: string): string {
  return `sk_${hash("sha256", `svc ${name}`, "base64url")}`;
}
