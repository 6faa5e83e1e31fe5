import { describe, expect, it } from "vitest";
import { answer, type Answered } from "../_answers.ts";
import { SEED, setup, ADA } from "../_setup.ts";

const UNKNOWN = "no_such_field";

const HIDDEN = [
  "password_digest",
  "PASSWORD_DIGEST",
  "password_digest_",
  "digest",
  "password",
  "users.password_digest",
  "user.email",
  "data.email",
  "$email",
  "access_token",
  "refresh_token",
  "token_expires_at",
  "secret_key",
  "publishable_key",
  "client_secret",
  "connections",
  "code_verifier",
  "state",
  "binding",
  "uid",
  "identities",
  "sessions",

  "name;--",
  "name'",
  "*",
  "constructor",
  "__proto__",
  "prototype",
  "hasOwnProperty",
  "toString",
  "valueOf",
  "__defineGetter__",
  "length",
  "0",
  "email\u0000",
  "ｅmail",
  "Email",
  "email[]",
  "email[0]",
];

describe("Searching", () => {
  it.each(["users", "sessions"])(
    "T29: a hidden column of %s is reported exactly like an unknown one",
    async (resource) => {
      const { as, acme } = await setup();
      const told = async (term: string, field: string): Promise<Answered> => {
        const response = await as(
          acme,
          `/api/v1/${resource}/search?query=${encodeURIComponent(term.replace("FIELD", field))}`,
        );
        return [
          response.status,
          JSON.stringify(await response.json()).replaceAll(JSON.stringify(field).slice(1, -1), "FIELD"),
        ];
      };
      for (const term of ["FIELD:digest*", "FIELD:*nobody*", "-FIELD:x", "FIELD>2026-01-01"]) {
        const unknown = await told(term, UNKNOWN);
        expect(unknown[0]).toBe(400);
        for (const field of HIDDEN) expect([field, ...(await told(term, field))]).toEqual([field, ...unknown]);
      }
    },
  );

  it("T29: a hidden column is in no response", async () => {
    const { as, acme, signIn } = await setup();
    await signIn("google", "ada");
    const paths = [
      "/users",
      "/sessions",
      `/users/${ADA}`,
      "/users/search?query=name:*",
      "/sessions/search?query=name:*",
      `/instances/search?query=publishable_key:${acme.publishable_key}`,
    ];
    const texts = await Promise.all(paths.map(async (path) => (await as(acme, `/api/v1${path}`)).text()));
    expect(texts.every((text) => text.length > 100)).toBe(true);
    expect(texts.join()).not.toMatch(/digest|access_token|refresh_token|secret|connections|binding|verifier|sk_/);
  });

  it.each([
    ["stars within a value", `name:*${"a*".repeat(40)}a`],
    ["stars within a value between stars", `name:*${"a*".repeat(40)}a*`],
    ["a regular expression", "name:(a+)+$"],
    ["a regular expression between stars", "name:*(a+)+*"],
    ["a class", "name:[a-z]+"],
    ["SQL", "name:'OR'1'='1"],
    ["SQL wildcards", "name:%"],
    ["SQL single wildcards", `name:${"_".repeat(200)}`],
    ["a comment", "name:*'--"],
  ])("T28: a query with %s is matched literally", async (_, query) => {
    const users = Array.from({ length: 1000 }, (__, i) => ({ email: `u${i}@x.test`, name: "a".repeat(200) }));
    const { as, acme } = await setup({ seed: { instances: [{ ...SEED.instances[0], users }] } });
    const response = await as(acme, `/api/v1/users/search?query=${encodeURIComponent(query)}`);
    expect(await answer(response)).toEqual([200, []]);
  });
});
