// Below the faces: the rule is asked about each of a million letters.

import { describe, expect, it } from "vitest";
import { ADA } from "../_setup.ts";
import { contents, setupProvider } from "../_provider.ts";
import { json } from "../providers/_reply.ts";
import { REAL } from "../providers/_real.ts";
import { normalizeEmail } from "../../src/text/email.ts";
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
    ["ad\u0430@acme.test", "another user"],
    ["ada@acme-test.evil", "another user"],
    ["ada@\uff41cm\u00e9.test", "another user"],
    ["ada@\u0251cme.test", "another user"],
    ["ada@acm\u1eb9.test", "another user"],
    ["\u1d43da@acme.test", "email_invalid"],
    ["ａｄａ@acme.test", "email_invalid"],
    ["ad\u00aa@acme.test", "email_invalid"],
    ["ada@\u0430cme.test", "another user"],
    ["ada@acme\u3002test", "email_invalid"],
    ["ada@acme\u00ad.test", "email_invalid"],
    ["ada@ac\u200dme.test", "email_invalid"],
    ["ada@ac\ufe0fme.test", "email_invalid"],
    ["ada@\u00adacme.test", "email_invalid"],
    ["ada@acme%2Etest", "email_invalid"],
    ["ada@acm%65.test", "email_invalid"],
    ["ada@acme.test/\u00fc", "email_invalid"],
    ["ada@acme.test:80", "email_invalid"],
    ["ada@acme.test#\u00fc", "email_invalid"],
    ["ada\uff20evil.test@acme.test", "email_invalid"],
    ["ada@acme.test\uff20evil.test", "email_invalid"],
    ["ada\u200d@acme.test", "email_invalid"],
    ["ada@acme.test\u200b", "email_invalid"],
    ["ada@acme.test.", "email_invalid"],
    ["ada@-acme.test", "email_invalid"],
    [`${"a".repeat(243)}@acme.test\ufdfa`, "email_invalid"],
  ])("T21: %j belongs to: %s", async (email, expected) => {
    const service = await setupWith(
      [{ id: ADA, email: EMAIL, name: "Ada", email_verified_at: VERIFIED_AT }],
      [{ id: "x", name: "X", email, google: { sub: "77", email_verified: true } }],
    );
    const before = await contents(service);
    const sub = await outcome(service, "google", "x");
    const { users, sessions } = await contents(service);
    if (expected === "another user") expect(users.map(({ user }) => user.id).toSorted()).toEqual([ADA, sub].toSorted());
    else expect(sub).toBe(expected);
    if (expected === "email_invalid") expect({ users, sessions }).toEqual(before);
  });
});

it("T21: An e-mail address with a second @ is refused, if a provider sends one", async () => {
  const profile = json({ sub: "77", email: "ada@evil.test@acme.test", email_verified: true });
  const { signIn } = await setupProvider("google", { [REAL.google.endpoints["userinfo"]!]: profile });
  expect((await signIn()).searchParams.get("error")).toBe("email_invalid");
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

describe("An address at a domain beyond ASCII", () => {
  const signInWith = async (stored: string, sent: string): Promise<string> => {
    const service = await setupWith(
      [{ id: ADA, email: stored, name: "Hans", email_verified_at: VERIFIED_AT }],
      [{ id: "x", name: "X", email: sent, google: { sub: "77", email_verified: true } }],
    );
    const sub = await outcome(service, "google", "x");
    const { users } = await contents(service);
    const owner = users.find(({ user }) => user.id === sub);
    return owner === undefined ? sub : `${sub === ADA ? "the same" : "another"}: ${owner.user.email}`;
  };

  it.each([
    ["hans@m\u00fcller.test", "hans@m\u00fcller.test", "the same: hans@xn--mller-kva.test"],
    ["hans@xn--mller-kva.test", "Hans@M\u00dcLLER.test", "the same: hans@xn--mller-kva.test"],
    ["hans@m\u00fcller.test", "hans@XN--MLLER-KVA.test", "the same: hans@xn--mller-kva.test"],
    ["hans@m\u00fcller.test", "hans@mu\u0308ller.test", "the same: hans@xn--mller-kva.test"],
    [
      "s\u00f8ren@\u4f8b\u3048.\u30c6\u30b9\u30c8",
      "s\u00f8ren@\u4f8b\u3048.\u30c6\u30b9\u30c8",
      "the same: s\u00f8ren@xn--r8jz45g.xn--zckzah",
    ],
    // Look-alikes of the domain of someone who has an account.
    ["hans@m\u00fcller.test", "hans@muller.test", "another: hans@muller.test"],
    ["hans@m\u00fcller.test", "hans@mu\u0308\u0308ller.test", "another: hans@xn--mller-kva287a.test"],
    ["hans@acme.test", "hans@acm\u0435.test", "another: hans@xn--acm-tdd.test"],
    ["hans@strasse.test", "hans@stra\u00dfe.test", "another: hans@xn--strae-oqa.test"],
    ["hans@strasse.test", "hans@stra\u1e9ee.test", "email_invalid"],
    ["hans@m\u00fcss.test", "hans@m\u00fc\u1e9e.test", "email_invalid"],
    ["hans@m\u00fcller.test", "hans@m\u00fc\u00adller.test", "email_invalid"],
    ["hans@m\u00fcller.test", "hans@m\u00fc\ufe0fller.test", "email_invalid"],
    ["hans@m\u00fcller.test", "hans@m\u00fc\u3164ller.test", "email_invalid"],
    ["hans@m\u00fcller.test", "hans@m\u00fcller\u3002test", "email_invalid"],
    ["hans@m\u00fcller.test", "hans@m\u00fcll%65r.test", "email_invalid"],
    ["hans@m\u00fcller.test", "hans@m\u00fcller.test/x", "email_invalid"],
    ["hans@m\u00fcller.test", "x:y@m\u00fcller.test", "another: x:y@xn--mller-kva.test"],
    ["hans@127.0.0.1", "hans@\uff10\uff58\uff17\uff46.1", "another: hans@0x7f.1"],
    ["hans@m\u00fcller.test", "hans@xn--m\u00fcller.test", "email_invalid"],
    ["hans@m\u00fcller.test", `hans@${"m\u00fc".repeat(120)}.test`, "email_invalid"],
  ])("of a user with %j, signed in with %j, is %s", async (stored, sent, expected) => {
    expect(await signInWith(stored, sent)).toBe(expected);
  });

  it("is found as it is written, whole or by its domain", async () => {
    const service = await setupWith([{ id: ADA, email: "hans@m\u00fcller.test", name: "Hans" }], []);
    const found = async (query: string): Promise<string[]> => {
      const emails: string[] = [];
      for await (const { data } of service.client(service.acme).users.search(query)) emails.push(data.email);
      return emails;
    };
    for (const value of [
      "hans@m\u00fcller.test",
      "hans@M\u00dcLLER.test",
      "*@m\u00fcller.test",
      "*@xn--mller-kva.test",
    ])
      expect(await found(`email:${value}`), value).toEqual(["hans@xn--mller-kva.test"]);
    for (const value of ["hans@muller.test", "*@m\u00fc\u00adller.test", "*@m\u00fcller%2Etest"])
      expect(await found(`email:${value}`), value).toEqual([]);
  });
});

it("No two domains of one letter each become one, but for the case and the forms of that letter", () => {
  const letters = Array.from({ length: 0x110000 - 0x80 }, (_, i) => i + 0x80).filter(
    (code) => code < 0xd800 || code > 0xdfff,
  );
  const written = new Map<string, string>();
  for (const code of letters) {
    const domain = `a${String.fromCodePoint(code)}.test`;
    const stored = normalizeEmail(`hans@${domain}`)?.toLowerCase();
    if (stored === undefined) continue;
    // Capitals of a letter and of its variants are the same: В of в and of ᲀ.
    const form = domain.normalize("NFKC").toUpperCase().normalize("NFKC");
    expect(written.get(stored) ?? form).toBe(form);
    written.set(stored, form);
  }
  expect(written.size).toBeGreaterThan(50_000);
});
