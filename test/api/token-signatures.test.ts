import { describe, expect, it } from "vitest";
import { checkToken } from "../../src/client/verify.ts";
import { decodePart, setup, type Service } from "../_setup.ts";
import { sign } from "../_tokens.ts";

const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/** The result of each way to verify a token: the service, a client of it, and the key alone. */
async function verdicts(service: Service, token: string): Promise<string[]> {
  const { acme, as, clock } = service;
  const response = await as(acme, "/api/v1/tokens/verify", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ token }),
  });
  const { error = "valid" } = (await response.json()) as { error?: string };
  const client = service.client(acme, { now: () => clock.now().getTime() });
  const asked = await client.tokens.check(token);
  const local = await client.tokens.verifyLocal(token).catch((thrown: Error) => thrown);
  const alone = await checkToken(token, { secretKey: acme.secret_key, instanceId: acme.id, now: clock.now });
  return [
    error,
    asked.ok ? "valid" : asked.error.message,
    local instanceof Error ? local.message : "valid",
    alone.ok ? "valid" : alone.error.message,
  ];
}

const all = (message: string): string[] => [message, message, message, message];

describe("The signature of a token", () => {
  it("has one valid last character; with the 63 others the message is Token invalid signature", async () => {
    const service = await setup();
    const token = await service.tokenFor("google", "ada");
    const said = new Map<string, string[]>();
    for (const last of ALPHABET) said.set(last, await verdicts(service, token.slice(0, -1) + last));
    expect(said.get(token.at(-1)!)).toEqual(all("valid"));
    for (const last of ALPHABET.replace(token.at(-1)!, "")) {
      expect([last, ...said.get(last)!]).toEqual([last, ...all("Token invalid signature")]);
    }
  });

  it.each<[what: string, change: (signature: string) => string]>([
    ["is empty", () => ""],
    ["is one character", () => "A"],
    ["is one character short", (signature) => signature.slice(0, -1)],
    ["is one character longer", (signature) => `${signature}A`],
    ["is padded", (signature) => `${signature}=`],
    ["has a line feed in it", (signature) => signature.replace(/.$/, "\n$&")],
    ["is in plain base64", (signature) => `+/${signature.slice(2)}`],
    ["is hexadecimal", (signature) => Buffer.from(signature, "base64url").toString("hex")],
    ["is of 64 bytes, as for HS512", () => "A".repeat(86)],
    ["is not ASCII", () => "é".repeat(43)],
    ["begins with a space", (signature) => ` ${signature}`],
  ])("gives Token invalid signature when it %s", async (_, change) => {
    const service = await setup();
    const [header, claims, signature] = (await service.tokenFor("google", "ada")).split(".");
    expect(await verdicts(service, `${header}.${claims}.${change(signature!)}`)).toEqual(
      all("Token invalid signature"),
    );
  });

  it("covers Bearer before the token, and the client says so", async () => {
    const service = await setup();
    const [asked, ...clients] = await verdicts(service, `Bearer ${await service.tokenFor("google", "ada")}`);
    expect(asked).toBe("Token invalid signature");
    const message = "Token invalid signature: it begins with Bearer. Pass what comes after that";
    expect(clients).toEqual([message, message, message]);
  });

  it.each<[header: unknown]>([[{ alg: "none" }], [{ alg: "HS512" }], [{ alg: "RS256" }], [{}], ["nonsense"]])(
    "is checked before the header %j",
    async (header) => {
      const service = await setup();
      const { secret_key } = service.acme;
      const claims = decodePart(await service.tokenFor("google", "ada"), 1);
      expect(await verdicts(service, sign("sk_another_key", claims, header))).toEqual(all("Token invalid signature"));
      expect(await verdicts(service, sign(secret_key, claims, header))).toEqual(all("Token invalid"));
    },
  );

  it("is checked after the instance that the token names, if that instance exists", async () => {
    const service = await setup();
    const token = `${(await service.tokenFor("google", "ada", service.globex)).slice(0, -3)}AAA`;
    const [service_, asked, local, alone] = await verdicts(service, token);
    expect([service_, asked, alone]).toEqual(Array(3).fill("Token does not belong to this instance"));
    // A client knows its key but not the instance that the key belongs to.
    expect(local).toBe("Token invalid signature");
  });

  it.each(["x", "a.b", "..", ".x.y", "a.b.c.d", "a b.c.d", "e30.W10.AAAA", "e30.IngieQ.AAAA"])(
    "is not right unless the token has three parts with readable claims: %j",
    async (token) => {
      expect(await verdicts(await setup(), token)).toEqual(all("Token invalid signature"));
    },
  );
});

describe("tokens.check", () => {
  it.each<[what: string, token: unknown, code: string]>([
    ["an empty token", "", "missing_token"],
    ["undefined", undefined, "missing_token"],
    ["null", null, "missing_token"],
    ["a number", 5, "missing_token"],
    ["a BigInt, which JSON can't hold", 5n, "missing_token"],
    ["a token of 8,193 characters", "x".repeat(8193), "token_invalid_signature"],
    ["a token of a megabyte", "x".repeat(1 << 20), "token_invalid_signature"],
    ["half a surrogate pair", "\ud800", "token_invalid_signature"],
    ["U+0000", "\0", "token_invalid_signature"],
  ])("returns ok: false for %s", async (_, token, code) => {
    const service = await setup();
    const { check, verify } = service.client(service.acme).tokens;
    expect(await check(token as string)).toMatchObject({ ok: false, error: { name: "TokenError", code } });
    await expect(verify(token as string)).rejects.toMatchObject({ name: "TokenError", code });
  });
});
