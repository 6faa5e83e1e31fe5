import { createHmac } from "node:crypto";
import { encodePart, START, type Service, ADA } from "./_setup.ts";

export const VERIFY = "/api/v1/tokens/verify";

export const NOW = START.getTime() / 1000;

export type Instance = Service["acme"];

export function verify(
  { as }: Service,
  instance: Instance,
  body: unknown,
  type = "application/json",
): Promise<Response> {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  return as(instance, VERIFY, { method: "POST", headers: { "content-type": type }, body: text });
}

export function refusal(message: string): [number, unknown] {
  return [401, { valid: false, error: message }];
}

/** The claims that the service issues for Ada, with changes; `undefined` removes a claim. */
export function claimsOf(instance: Instance, changes: object = {}): object {
  return {
    iss: "svc",
    sub: ADA,
    email: "ada@acme.test",
    name: "Ada Lovelace",
    avatar_url: "",
    provider: "google",
    instance_id: instance.id,
    app_id: instance.app_id,
    iat: NOW,
    exp: NOW + 3600,
    ...changes,
  };
}

/** A part of a token: text as it is, anything else as JSON. */
function encode(part: unknown): string {
  return typeof part === "string" ? Buffer.from(part).toString("base64url") : encodePart(part);
}

/** Signs anything by hand, independently of the service's own code. */
export function sign(
  key: string,
  claims: unknown,
  header: unknown = { alg: "HS256", typ: "JWT" },
  hash = "sha256",
): string {
  const signed = `${encode(header)}.${encode(claims)}`;
  return `${signed}.${createHmac(hash, key).update(signed).digest("base64url")}`;
}
