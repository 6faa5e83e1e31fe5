import { describe, expect, it } from "vitest";
import { ADA } from "../_setup.ts";
import { contents } from "../_provider.ts";
import { EMAIL, outcome, setupWith, VERIFIED_AT } from "./_linking.ts";

describe("An e-mail address in another spelling", () => {
  it.each([
    ["ADA@ACME.TEST", ADA],
    ["Ada@Acme.Test", ADA],
    ["ada@ａｃｍｅ.test", ADA],
    ["ada+work@acme.test", "another user"],
    ["a.da@acme.test", "another user"],
    ["\u0430da@acme.test", "another user"],
    ["ada@acme.test.evil.test", "another user"],
    ["ada@acme.tes", "another user"],
    ["ａｄａ@acme.test", "server_error"],
    ["ad\u00aa@acme.test", "server_error"],
    ["ada@\u0430cme.test", "server_error"],
    ["ada\uff20evil.test@acme.test", "server_error"],
    ["ada@acme.test\uff20evil.test", "server_error"],
    ["ada\u200d@acme.test", "server_error"],
    ["ada@acme.test\u200b", "server_error"],
    ["ada@acme.test.", "server_error"],
    ["ada@-acme.test", "server_error"],
    [`${"a".repeat(243)}@acme.test\ufdfa`, "server_error"],
  ])("%j belongs to: %s", async (email, expected) => {
    const service = await setupWith(
      [{ id: ADA, email: EMAIL, name: "Ada", email_verified_at: VERIFIED_AT }],
      [{ id: "x", name: "X", email, google: { sub: "77", email_verified: true } }],
    );
    const before = await contents(service);
    const sub = await outcome(service, "google", "x");
    const { users, sessions } = await contents(service);
    if (expected === "another user") expect(users.map(({ user }) => user.id).toSorted()).toEqual([ADA, sub].toSorted());
    else expect(sub).toBe(expected);
    if (expected === "server_error") expect({ users, sessions }).toEqual(before);
  });
});

describe("An e-mail address with accents", () => {
  it("is the same whether they are composed or not", async () => {
    const google = { sub: "77", email_verified: true };
    const service = await setupWith(
      [{ id: ADA, email: "zo\u00eb@acme.test", name: "Zoë", email_verified_at: VERIFIED_AT }],
      [{ id: "x", name: "X", email: "zoe\u0308@acme.test", google }],
    );
    expect(await outcome(service, "google", "x")).toBe(ADA);
  });
});
