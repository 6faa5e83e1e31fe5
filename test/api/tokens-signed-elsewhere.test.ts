import { describe, expect, it } from "vitest";
import { setup } from "../_setup.ts";
import { ACCEPTED, expectAccepted, expectRefused, expectUnknown, REFUSED, UNKNOWN } from "../_signed-elsewhere.ts";
import { claimsOf, NOW, sign, verify } from "../_tokens.ts";

describe("A token that another program signed with the instance's key", () => {
  it.each(ACCEPTED)("is valid with %s", async (_, make) => {
    await expectAccepted(await setup({ control: true }), make);
  });

  it.each(UNKNOWN)("gives User not found if its sub is %s", async (_, make) => {
    await expectUnknown(await setup({ control: true }), make);
  });

  it.each(REFUSED)("with %s gives %s, with the reason %s", async (_, error, reason, make) => {
    await expectRefused(await setup({ control: true }), make, error, reason);
  });

  it("names a provider of its user if it names none itself", async () => {
    const service = await setup();
    const { acme } = service;
    const provider = async (changes: object): Promise<string> => {
      const response = await verify(service, acme, { token: sign(acme.secret_key, claimsOf(acme, changes)) });
      return ((await response.json()) as { data: { provider: string } }).data.provider;
    };
    expect(await provider({ provider: "twitter" })).toBe("twitter");
    expect(await provider({ provider: undefined })).toBe("google");
    expect(await provider({ provider: null })).toBe("google");
  });

  it("expires at its own exp, whatever was found out about it before", async () => {
    const service = await setup();
    const { acme, clock } = service;
    const token = sign(acme.secret_key, claimsOf(acme, { exp: NOW + 10 }));
    const status = async (): Promise<number> => (await verify(service, acme, { token })).status;
    expect(await status()).toBe(200);
    clock.advance(9.999);
    expect(await status()).toBe(200);
    clock.advance(0.001);
    expect(await status()).toBe(401);
  });

  it("is shown on the page after a sign-in, though it says neither who nor how", async () => {
    const { acme, fetch } = await setup();
    const { id: instance_id, secret_key } = acme;
    for (const odd of [{}, { name: 5, provider: null }]) {
      const token = sign(secret_key, { sub: "<b>", instance_id, exp: NOW + 60, ...odd });
      const response = await fetch(`/__svc/signed-in?token=${token}`);
      expect(response.status).toBe(200);
      expect(await response.text()).toContain("Welcome, <bdi>&#60;b&#62;</bdi>");
    }
  });
});
