import { expect } from "vitest";
import type { TokenError } from "../src/client/index.ts";
import { checkToken } from "../src/client/verify.ts";
import type { TokenProblem } from "../src/wire/claims.ts";
import { answer } from "./_answers.ts";
import { ADA, ADA_OF_GLOBEX, CONTROL_KEY, encodePart, NOBODY, type Service } from "./_setup.ts";
import { claimsOf, type Instance, NOW, sign, verify } from "./_tokens.ts";

type Make = (acme: Instance, globex: Instance) => string;

const signing =
  (changes: object, header?: unknown): Make =>
  (acme) =>
    sign(acme.secret_key, claimsOf(acme, changes), header);

/** The same for `sub`, `instance_id` and `exp` alone. */
const signingOnly =
  (changes: object = {}): Make =>
  (acme) =>
    sign(acme.secret_key, { sub: ADA, instance_id: acme.id, exp: NOW + 3600, ...changes });

/** Tokens of other programs that have the instance's key, and are valid. */
export const ACCEPTED: [what: string, make: Make][] = [
  ["no iss", signing({ iss: undefined })],
  ["no iat", signing({ iat: undefined })],
  ["no claims but sub, instance_id and exp", signingOnly()],
  ["a lifetime of a second", signing({ exp: NOW + 1 })],
  ["a lifetime of 3,600 seconds", signing({ exp: NOW + 3600 })],
  ["an iat of 59 minutes ago", signing({ iat: NOW - 3540, exp: NOW + 60 })],
  ["an iat 60 seconds ahead", signing({ iat: NOW + 60, exp: NOW + 3660 })],
  ["the type jwt", signing({}, { alg: "HS256", typ: "jwt" })],
  ["the type Jwt", signing({}, { alg: "HS256", typ: "Jwt" })],
  ["claims that nobody knows", signing({ role: "admin", aud: ["a"], jti: "1" })],
];

/** Tokens that are valid, of a user who is not there. */
export const UNKNOWN: [what: string, make: Make][] = [
  ["an id", signing({ sub: NOBODY })],
  ["an id of another instance's user", signing({ sub: ADA_OF_GLOBEX })],
  ["an id in capitals", signing({ sub: ADA.toUpperCase() })],
  ["a name", signing({ sub: "ada" })],
  ["an e-mail address", signing({ sub: "ada@acme.test" })],
  ["a number in text", signing({ sub: "42" })],
  ["empty text", signing({ sub: "" })],
  ["U+0000", signing({ sub: `${ADA}\0` })],
  ["half a surrogate pair", signing({ sub: "\ud800" })],
  ["SQL", signing({ sub: "' OR 1=1 --" })],
];

const INVALID = "Token invalid";
const SIGNATURE = "Token invalid signature";
const EXPIRED = "Token expired";
const OTHER = "Token does not belong to this instance";
const stranger = "sk_somebody_0123456789abcdefghijklmnopqrst";
/** Neither a text nor a number can be made of it. */
const ODD = { valueOf: 1, toString: 1 };
const over = { iat: NOW - 7200, exp: NOW - 3600 };

/** Tokens that are refused. Where two things are wrong, the message is that of the first in the order of the checks. */
export const REFUSED: [what: string, error: string, reason: TokenProblem, make: Make][] = [
  ["text that is no token", SIGNATURE, "malformed", () => "garbage"],
  ["two parts", SIGNATURE, "malformed", () => "a.b"],
  ["claims that can't be read", SIGNATURE, "malformed", () => "a.b.c"],
  ["a token of over 8 KiB", SIGNATURE, "malformed", signing({ name: "x".repeat(8192) })],
  ["another instance, and another key", OTHER, "instance", (_, globex) => sign(stranger, claimsOf(globex))],
  ["another instance, and expired", OTHER, "instance", (_, globex) => sign(globex.secret_key, claimsOf(globex, over))],
  [
    "another instance, and no signature",
    OTHER,
    "instance",
    (_, globex) => `${encodePart({ alg: "none" })}.${encodePart(claimsOf(globex))}.`,
  ],
  ["another key, and expired", SIGNATURE, "signature", (acme) => sign(stranger, claimsOf(acme, over))],
  ["a header that can't be read", SIGNATURE, "signature", (acme) => sign("", claimsOf(acme)).replace(/^[^.]+/, "é")],
  ["no header", SIGNATURE, "signature", (acme) => sign(acme.secret_key, claimsOf(acme)).replace(/^[^.]+/, "")],
  ["alg none", SIGNATURE, "signature", (acme) => `${encodePart({ alg: "none" })}.${encodePart(claimsOf(acme))}.`],
  ["HS512", SIGNATURE, "signature", (acme) => sign(acme.secret_key, claimsOf(acme), { alg: "HS512" }, "sha512")],
  ["a word for a signature", SIGNATURE, "signature", (acme) => sign("", claimsOf(acme)).replace(/[^.]+$/, "signature")],
  ["a space before it", SIGNATURE, "signature", (acme) => ` ${sign(acme.secret_key, claimsOf(acme))}`],
  ["a line break after it", SIGNATURE, "signature", (acme) => `${sign(acme.secret_key, claimsOf(acme))}\n`],
  ["an exp of now", EXPIRED, "expired", signing({ iat: NOW - 3600, exp: NOW })],
  ["a lifetime of a day that is over", EXPIRED, "expired", signing({ iat: NOW - 86_400, exp: NOW - 1 })],
  ["no iat, and expired", EXPIRED, "expired", signing({ iat: undefined, exp: NOW - 1 })],
  ["another issuer, and expired", EXPIRED, "expired", signing({ ...over, iss: "somebody" })],
  ["no sub, and expired", EXPIRED, "expired", signing({ ...over, sub: undefined })],
  ["another type, and expired", EXPIRED, "expired", signing(over, { alg: "HS256", typ: "at+jwt" })],
  ["another algorithm's name", INVALID, "algorithm", signing({}, { alg: "HS512" })],
  ["another type", INVALID, "header", signing({}, { alg: "HS256", typ: "at+jwt" })],
  ["a type that is null", INVALID, "header", signing({}, { alg: "HS256", typ: null })],
  ["a critical extension", INVALID, "header", signing({}, { alg: "HS256", crit: ["exp"], exp: 1 })],
  ["another issuer", INVALID, "issuer", signing({ iss: "somebody" })],
  ["an issuer that is null", INVALID, "issuer", signing({ iss: null })],
  ["an issuer in a list", INVALID, "issuer", signing({ iss: ["svc"] })],
  ["no exp", INVALID, "claims", signingOnly({ exp: undefined })],
  ["an exp that is null", INVALID, "claims", signing({ exp: null })],
  ["an iat that is null", INVALID, "claims", signing({ iat: null })],
  ["no sub", INVALID, "claims", signingOnly({ sub: undefined })],
  ["a sub that is null", INVALID, "claims", signing({ sub: null })],
  ["a sub that is a number", INVALID, "claims", signing({ sub: 42 })],
  ["no instance", OTHER, "instance", signingOnly({ instance_id: undefined })],
  ["no instance, and expired", OTHER, "instance", signing({ ...over, instance_id: undefined })],
  ["no instance, and another type", OTHER, "instance", signing({ instance_id: undefined }, { alg: "HS256", typ: "x" })],
  [
    "no instance, and another key",
    SIGNATURE,
    "signature",
    (acme) => sign(stranger, claimsOf(acme, { instance_id: undefined })),
  ],
  ["an instance that is null", INVALID, "claims", signing({ instance_id: null })],
  ["a lifetime of 3,601 seconds", INVALID, "lifetime", signing({ exp: NOW + 3601 })],
  ["no iat, and 3,601 seconds left", INVALID, "lifetime", signing({ iat: undefined, exp: NOW + 3601 })],
  ["an exp before its iat", INVALID, "lifetime", signing({ iat: NOW + 60, exp: NOW + 30 })],
  ["an iat 61 seconds ahead", INVALID, "not_yet_valid", signing({ iat: NOW + 61, exp: NOW + 3600 })],
  ["an nbf that is no number", INVALID, "claims", signing({ nbf: ODD })],
  ["an exp that is an object", INVALID, "claims", signing({ exp: ODD })],
  ["an iat that is an object", INVALID, "claims", signing({ iat: ODD })],
  ["an instance that is an object", INVALID, "claims", signing({ instance_id: ODD })],
  ["a sub that is an object", INVALID, "claims", signing({ sub: ODD })],
  ["an issuer that is an object", INVALID, "issuer", signing({ iss: ODD })],
  ["an nbf ahead", INVALID, "not_yet_valid", signing({ nbf: NOW + 1 })],
];

/** Expects every way to verify a token to accept it. @param service with a control API */
export async function expectAccepted(service: Service, make: Make): Promise<void> {
  const { acme, globex, fetch } = service;
  const token = make(acme, globex);
  const own = { valid: true, email: "ada@acme.test", name: "Ada Lovelace", avatar_url: "", provider: "google" };
  const body = { id: ADA, resource: "token", data: own };
  expect(await answer(await verify(service, acme, { token }))).toEqual([200, body]);
  expect(await report(fetch, token)).toMatchObject({ status: 200, answer: body, problem: null });
  for (const check of checks(service))
    expect(await check(token)).toMatchObject({ ok: true, claims: { sub: ADA, instance_id: acme.id } });
  const now = (): number => service.clock.now().getTime();
  expect(await service.client(acme, { now }).tokens.verifyLocal(token)).toMatchObject({ sub: ADA });
}

/** Expects the service alone to miss a user. */
export async function expectUnknown(service: Service, make: Make): Promise<void> {
  const { acme, globex, fetch } = service;
  const token = make(acme, globex);
  const body = { error: "User not found" };
  expect(await answer(await verify(service, acme, { token }))).toEqual([404, body]);
  expect(await report(fetch, token)).toMatchObject({ status: 404, answer: body, problem: null });
  const [remote, ...alone] = checks(service);
  expect(await remote!(token)).toMatchObject({ ok: false, error: { code: "user_not_found" } });
  for (const check of alone) expect(await check(token)).toMatchObject({ ok: true });
}

/** Expects every way to verify a token to refuse it for the same reason, and the service's answer to be the same as ever. */
export async function expectRefused(service: Service, make: Make, error: string, reason: TokenProblem): Promise<void> {
  const { acme, globex, fetch, log } = service;
  const token = make(acme, globex);
  const response = await verify(service, acme, { token });
  expect([response.status, await response.text()]).toEqual([401, `{"valid":false,"error":"${error}"}`]);
  expect(response.headers.get("svc-reason")).toBe(reason);
  const logged = error === INVALID ? `${error}: ${reason}` : error;
  // What the clock decided is explained by times: the two clocks may differ.
  const explained = reason === "expired" ? ". It expired " : reason === "not_yet_valid" ? ". It " : "";
  const entry = log.requests.at(-1)!.reason ?? "";
  expect(entry.startsWith(logged + explained)).toBe(true);
  if (explained === "") expect(entry).toBe(logged);
  const answered = { status: 401, answer: { valid: false, error }, problem: reason };
  expect(await report(fetch, token)).toMatchObject(answered);
  for (const check of checks(service))
    expect(await check(token)).toMatchObject({ ok: false, error: { name: "TokenError", error, reason } });
}

type Result = { ok: true; claims: object } | { ok: false; error: TokenError };

/** A client asks the service; the key alone decides. */
function checks(service: Service): ((token: string) => Promise<Result>)[] {
  const { acme, clock } = service;
  const client = service.client(acme, { now: () => clock.now().getTime() });
  return [
    (token) => client.tokens.check(token) as Promise<Result>,
    (token) => checkToken(token, { secretKey: acme.secret_key, instanceId: acme.id, now: clock.now }),
  ];
}

async function report(fetch: Service["fetch"], token: string): Promise<unknown> {
  const headers = { authorization: `Bearer ${CONTROL_KEY}`, "content-type": "application/json" };
  const body = JSON.stringify({ token, instance: "acme" });
  return (await fetch("/__svc/v1/tokens/verify", { method: "POST", headers, body })).json();
}
