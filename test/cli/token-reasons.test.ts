// Below the faces: the reasons of the command and of the control API are compared.
import { expect, it } from "vitest";
import { whyNot } from "../../src/cli/commands/tokens/verdict.ts";
import { claimsOf, NOW as ISSUED, sign } from "../_tokens.ts";
import { CONTROL_KEY, decodePart, setup, START } from "../_setup.ts";

const NOW = new Date("2026-06-01T12:00:00.000Z");
const expiring = (at: string): Parameters<typeof whyNot>[2] => ({
  header: {},
  claims: { exp: Date.parse(at) / 1000 },
});

it("The error for an expired token says when it expired", () => {
  expect(whyNot("token_expired", "", expiring("2026-06-01T11:57:00Z"), NOW)).toBe(
    "It expired 3 minutes ago (2026-06-01T11:57:00Z).",
  );
});

it("The error for a token that expired by the service's clock only says that this clock is ahead", () => {
  expect(whyNot("token_expired", "", expiring("2026-06-01T12:48:00Z"), NOW)).toBe(
    "It expires in 48 minutes (2026-06-01T12:48:00Z) here, but the service's clock is ahead.",
  );
});

it.each<[changes: object, reason: string]>([
  [{ iss: null }, "Its issuer is null, not svc."],
  [{ iss: "other" }, "Its issuer is other, not svc."],
  [{ exp: undefined }, "It has no exp."],
  [
    { iat: "soon" },
    "A claim has another type than it must have: sub and instance_id are text, iat and exp whole seconds, nbf a number.",
  ],
  [
    { exp: { valueOf: 1, toString: 1 } },
    "A claim has another type than it must have: sub and instance_id are text, iat and exp whole seconds, nbf a number.",
  ],
  [{ iat: ISSUED + 50, exp: ISSUED + 20 }, "Its lifetime is -30 seconds; it must be from 1 to 3600."],
  [
    { iat: undefined, exp: ISSUED + 7200 },
    "It has no iat, and expires in 2 hours (2026-06-01T14:00:00Z): the maximum is 3600 seconds from now.",
  ],
  [
    { iat: ISSUED + 600, exp: ISSUED + 4200 },
    "It was issued in the future: in 10 minutes (2026-06-01T12:10:00Z). Check the clocks.",
  ],
  [{ nbf: ISSUED + 60 }, "It is not valid yet: its nbf is in 1 minute (2026-06-01T12:01:00Z)."],
  [{ nbf: ISSUED - 60, iat: ISSUED - 60 }, "Its lifetime is 3660 seconds; it must be from 1 to 3600."],
])("The command and the control API give the same reason for a token with %j", async (changes, reason) => {
  const { acme, fetch } = await setup({ control: true });
  const token = sign(acme.secret_key, claimsOf(acme, changes));
  const decoded = { header: decodePart(token, 0), claims: decodePart(token, 1) };
  expect(whyNot("token_invalid", token, decoded, START)).toBe(reason);
  const headers = { authorization: `Bearer ${CONTROL_KEY}`, "content-type": "application/json" };
  const sent = { method: "POST", headers, body: JSON.stringify({ token, instance: acme.id }) };
  expect(await (await fetch("/__svc/v1/tokens/verify", sent)).json()).toMatchObject({ status: 401, reason });
});
