import { createHmac, hash } from "node:crypto";
import { ERRORS, errorBody } from "../../../wire/errors.ts";
import { PROVIDERS } from "../../../wire/providers.ts";
import { editOf, edited } from "../../simulator/edit.ts";
import { Refusal } from "../../errors.ts";
import { verifiedToken } from "../../http/routes/product.ts";
import type { InstanceRecord } from "../../store/records.ts";
import type { UserView } from "../../store/store.ts";
import type { ControlDeps, ControlHandlers } from "../deps.ts";
import { chosenInstance, findUser, requireFound, namedUuid } from "../look-up.ts";
import { claimsFor, TokenRefused } from "../../token.ts";
import { isObject } from "../../../text/json.ts";
import { isUuid } from "../../../wire/ids.ts";
import {
  MAX_TOKEN_BYTES,
  type TokenProblem,
  explainClaims,
  explainHeader,
  timeInWords,
  type TokenKind,
  CLOCK_SKEW_SECONDS,
  TOKEN_LIFETIME_SECONDS,
} from "../../../wire/claims.ts";
import { readClaims } from "../../../wire/token.ts";

export const tokenRoutes = (deps: ControlDeps): ControlHandlers<"/tokens"> => ({
  "POST /tokens": async ({ body }) => {
    const { kind, expires_in } = body;
    checkExpiry(kind, expires_in);
    const instance = chosenInstance(deps, body.instance);
    const { user, providers } = await chosenUser(deps, instance, body.user);
    const provider = body.provider ?? providers[0] ?? PROVIDERS[0];
    const now = Math.floor(deps.now().getTime() / 1000);
    const exp = now + (expires_in ?? (kind === "expired" ? -60 : TOKEN_LIFETIME_SECONDS));
    const good = claimsFor(instance, user, provider, exp - TOKEN_LIFETIME_SECONDS);
    const edit = editOf(body.claims, body.omit);
    const { claims, sign = (own) => signed(own, instance.secret_key) } = KINDS[kind];
    const own = { ...good, ...claims?.(good, now) };
    const token = sign(edit ? edited(own, edit) : own, instance);
    const { status, answer } = await verify(deps, instance, token);
    return { token, kind, expect: { status, error: typeof answer["error"] === "string" ? answer["error"] : null } };
  },

  "POST /tokens/verify": async ({ body: { token, instance: name } }) => {
    const read = readClaims(token);
    const claimed = name === undefined ? deps.instances.byId(read?.instance_id ?? "") : undefined;
    const instance = claimed ?? chosenInstance(deps, name);
    const verdict = await verify(deps, instance, token);
    const parts = { header: headerOf(token), claims: read ? { ...read } : null };
    const { status, answer, problem } = verdict;
    return { status, answer, ...parts, problem, reason: reasonOf(verdict, parts, instance, deps.now()) };
  },
});

interface Verdict {
  readonly status: number;
  readonly answer: Record<string, unknown>;
  readonly problem: TokenProblem | null;
}

/** What `POST /api/v1/tokens/verify` answers to a key of the instance. */
async function verify(deps: ControlDeps, instance: InstanceRecord, token: string): Promise<Verdict> {
  try {
    if (token === "") throw new Refusal("missing_token");
    return { status: 200, answer: { ...(await verifiedToken(deps, instance, token)) }, problem: null };
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    const { code, detail } = error;
    const problem = error instanceof TokenRefused ? error.reason : token === "" ? "malformed" : null;
    return { status: ERRORS[code].status, answer: { ...errorBody(code, detail) }, problem };
  }
}

/** The user that is named, or the newest one. */
async function chosenUser(deps: ControlDeps, instance: InstanceRecord, name: string | undefined): Promise<UserView> {
  if (name !== undefined) {
    const persona = name.includes("@") ? undefined : deps.simulator.personas.find(name);
    const view = (await findUser(deps, instance, name)) ?? (persona && (await findUser(deps, instance, persona.email)));
    return requireFound(view, "user_not_found", `${instance.subdomain} has no user "${name}"`);
  }
  for await (const [view] of deps.store.users(instance.id, { limit: 1 })) if (view) return view;
  throw new Refusal("user_not_found", `${instance.subdomain} has no users yet; sign in, or make one`);
}

function checkExpiry(kind: string, expires_in: number | undefined): void {
  if (expires_in === undefined) return;
  if (kind === "valid" && expires_in < 1)
    throw new Refusal("bad_request", 'expires_in: must be 1 or more for a valid token; use the kind "expired"');
  if (kind === "expired" && expires_in > 0)
    throw new Refusal("bad_request", "expires_in: must be 0 or less for an expired token");
  if (kind !== "valid" && kind !== "expired")
    throw new Refusal("bad_request", `expires_in: has no meaning for the kind ${kind}`);
}

type Parts = Record<string, unknown> | null;

/** The reason for the result of verifying a token, in a sentence. */
function reasonOf(
  { status, problem }: Verdict,
  { header, claims }: { header: Parts; claims: Parts },
  { subdomain }: InstanceRecord,
  now: Date,
): string {
  switch (problem) {
    case null: {
      if (status !== 404) return `The token is valid. It expires ${timeInWords(claims?.["exp"], now)}.`;
      const sub = String(claims?.["sub"]);
      const user = isUuid(sub) ? `${sub}: it was deleted, or never existed` : `"${sub}": that is not a user id`;
      return `The token is valid, but ${subdomain} has no user ${user}.`;
    }
    case "malformed":
    case "algorithm":
    case "header":
      return (
        (header && claims && explainHeader(header)) ??
        `It is not a token of svc: it must be three base64url parts, ${MAX_TOKEN_BYTES} bytes at most.`
      );
    case "signature":
      return `It was not signed with a current secret key of ${subdomain}.`;
    case "instance":
      return typeof claims?.["instance_id"] === "string"
        ? `It was issued for the instance ${claims["instance_id"]}, not for ${subdomain}.`
        : explainClaims(problem, claims ?? {}, now);
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

/** How a token differs from a valid one. The same claims give the same token. */
interface Kind {
  /** Claims that are wrong. What is undefined is left out. */
  readonly claims?: (good: { iat: number; sub: string }, now: number) => object;
  readonly sign?: (claims: object, instance: InstanceRecord) => string;
}

const KINDS: Readonly<Record<TokenKind, Kind>> = {
  valid: {},
  expired: {},
  issued_in_future: {
    claims(_, now) {
      const iat = now + CLOCK_SKEW_SECONDS + 3600;
      return { iat, exp: iat + TOKEN_LIFETIME_SECONDS };
    },
  },
  wrong_issuer: { claims: () => ({ iss: "https://issuer.example" }) },
  wrong_lifetime: { claims: ({ iat }) => ({ exp: iat + 24 * 3600 }) },
  missing_claim: { claims: () => ({ exp: undefined }) },
  deleted_user: { claims: ({ sub }) => ({ sub: namedUuid(`deleted user ${sub}`) }) },
  wrong_signature: { sign: (claims, { id }) => signed(claims, derived(`wrong signature ${id}`)) },
  wrong_algorithm: { sign: (claims, { secret_key }) => signed(claims, secret_key, "HS512") },
  alg_none: { sign: (claims) => `${encode({ alg: "none", typ: "JWT" })}.${encode(claims)}.` },
  other_instance: {
    sign(claims, { id }) {
      const instance_id = namedUuid(`other instance ${id}`);
      return signed({ ...claims, instance_id }, derived(`other ${id}`));
    },
  },
  malformed: { sign: (claims, { secret_key }) => signed(claims, secret_key).replace(/\..*\./, ".") },
};

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
