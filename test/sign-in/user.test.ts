import { createHmac } from "node:crypto";
import { describe, expect, it } from "vitest";
import type { IdentityRecord } from "../../src/server/store/records.ts";
import type { Store } from "../../src/server/store/store.ts";
import { type Provider } from "../../src/wire/providers.ts";
import type { User } from "../../src/wire/resources.ts";
import { locationOf } from "../_answers.ts";
import { decodePart, FRONT, SEED, setup, START } from "../_setup.ts";
import { untilCallback } from "../_sign-in.ts";

const [ACME, GLOBEX] = SEED.instances as [object, object];

/** The stored link of a provider's account, which no endpoint shows. */
async function identityOf(store: Store, instance_id: string, provider: Provider, uid: string): Promise<IdentityRecord> {
  const seen: IdentityRecord[] = [];
  const looking = new Error("only looking");
  const signIn = { instance_id, provider, uid, email: "nobody@nowhere.test", ip_address: "127.0.0.1" };
  await expect(
    store.completeSignIn({
      ...signIn,
      resolveUser({ known }) {
        if (known) seen.push(known.identity);
        throw looking;
      },
      openSession() {
        throw looking;
      },
    }),
  ).rejects.toBe(looking);
  expect(seen).toHaveLength(1);
  return seen[0]!;
}

describe("The token", () => {
  it.each([
    ["google", "ada", { email: "ada@acme.test", name: "Ada Lovelace" }],
    ["github", "ada", { email: "ada@acme.test", name: "Ada Lovelace" }],
    ["twitter", "ada", { email: "3001@twitter.invalid", name: "Ada Lovelace" }],
    ["google", "mary", { email: "mary@geneva.test", name: "mary@geneva.test" }],
    ["github", "mary", { email: "mary@geneva.test", name: "mshelley" }],
    ["twitter", "mary", { email: "3003@twitter.invalid", name: "mshelley" }],
  ] as const)(
    "of a sign-in through %s as %s has exactly the expected claims",
    async (provider, as, { email, name }) => {
      const { tokenFor, client, acme } = await setup();
      const token = await tokenFor(provider, as);
      const [user] = await client(acme).users.search(`email:${email}`);
      expect(decodePart(token, 0)).toEqual({ alg: "HS256", typ: "JWT" });
      expect(decodePart(token, 1)).toEqual({
        iss: "svc",
        sub: user!.id,
        email,
        name,
        avatar_url: `${FRONT}/__svc/simulator/avatars/${as}.svg`,
        provider,
        instance_id: acme.id,
        app_id: acme.app_id,
        iat: START.getTime() / 1000,
        exp: START.getTime() / 1000 + 3600,
      });
    },
  );

  it("is signed with the secret key of the instance", async () => {
    const { tokenFor, globex } = await setup();
    const token = await tokenFor("github", "ada", globex);
    const at = token.lastIndexOf(".");
    const signature = createHmac("sha256", globex.secret_key).update(token.slice(0, at)).digest("base64url");
    expect(token.slice(at + 1)).toBe(signature);
    expect(decodePart(token, 1)).toMatchObject({ instance_id: globex.id, app_id: globex.app_id });
  });

  it("is dated at its issue, not at the start of the sign-in", async () => {
    const service = await setup();
    const toCallback = await untilCallback(service, "google");
    service.clock.advance(60.9);
    const url = locationOf(await service.fetch(toCallback.href));
    const iat = START.getTime() / 1000 + 60;
    expect(decodePart(url.searchParams.get("token")!, 1)).toMatchObject({ iat, exp: iat + 3600 });
  });
});

describe("The user", () => {
  it.each([
    ["google", "mary@geneva.test", "mary@geneva.test", true],
    ["github", "mary@geneva.test", "mshelley", false],
    ["twitter", "3003@twitter.invalid", "mshelley", false],
  ] as const)("is created by the first sign-in through %s", async (provider, email, name, email_verified) => {
    const { tokenFor, as, acme } = await setup();
    const { sub } = decodePart(await tokenFor(provider, "mary"), 1) as { sub: string };
    expect(await (await as(acme, `/api/v1/users/${sub}`)).json()).toEqual({
      id: sub,
      resource: "user",
      data: {
        email,
        name,
        avatar_url: `${FRONT}/__svc/simulator/avatars/mary.svg`,
        email_verified,
        providers: [provider],
        created_at: START.toISOString(),
      },
    } satisfies User);
  });

  it("gets the provider's current name and picture and keeps its e-mail address", async () => {
    const known = {
      id: "00000000-0000-4000-8000-0000000000a9",
      email: "before@acme.test",
      name: "Before",
      avatar_url: "https://acme.test/before.png",
      created_at: "2026-01-05T09:00:00Z",
      identities: [{ provider: "github", uid: "2001", email: "before@acme.test", email_verified: true }],
    };
    const service = await setup({ seed: { ...SEED, instances: [{ ...ACME, users: [known] }, GLOBEX] } });
    await service.tokenFor("github", "ada");
    const { user } = (await service.store.findUser(service.acme.id, known.id))!;
    expect(user).toEqual({
      id: known.id,
      instance_id: service.acme.id,
      email: "before@acme.test",
      name: "Ada Lovelace",
      avatar_url: `${FRONT}/__svc/simulator/avatars/ada.svg`,
      email_verified_at: null,
      password_digest: null,
      created_at: "2026-01-05T09:00:00.000Z",
      updated_at: START.toISOString(),
    });
    expect(await (await service.as(service.acme, "/api/v1/users")).json()).toHaveLength(1);
  });

  it("gets its e-mail address verified by google at the time of the sign-in", async () => {
    const ada = { ...SEED.instances[0]!.users[0]!, email_verified_at: null };
    const service = await setup({ seed: { ...SEED, instances: [{ ...ACME, users: [ada] }, GLOBEX] } });
    await service.tokenFor("google", "ada");
    const { user } = (await service.store.findUser(service.acme.id, ada.id))!;
    expect(user.email_verified_at).toBe(START.toISOString());
  });

  it("keeps the time when its e-mail address was first verified", async () => {
    const service = await setup();
    await service.tokenFor("google", "ada");
    const { user } = (await service.store.findUser(service.acme.id, "00000000-0000-4000-8000-0000000000a1"))!;
    expect(user.email_verified_at).toBe("2026-01-05T09:00:00.000Z");
  });

  it.each([
    ["google", "1003", 3599],
    ["github", "2003", null],
    ["twitter", "3003", 7200],
  ] as const)("has its %s tokens stored, and refreshed at the next sign-in", async (provider, uid, lifetime) => {
    const { tokenFor, store, acme, clock } = await setup();
    const expiry = (): string | null =>
      lifetime === null ? null : new Date(clock.now().getTime() + lifetime * 1000).toISOString();
    const { sub } = decodePart(await tokenFor(provider, "mary"), 1) as { sub: string };
    const first = await identityOf(store, acme.id, provider, uid);
    expect(first).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/) as string,
      instance_id: acme.id,
      user_id: sub,
      provider,
      uid,
      email: provider === "twitter" ? "3003@twitter.invalid" : "mary@geneva.test",
      email_verified: provider !== "twitter",
      access_token: expect.stringMatching(/^[\w-]{43}$/) as string,
      refresh_token: null,
      token_expires_at: expiry(),
      created_at: START.toISOString(),
      updated_at: START.toISOString(),
    });
    clock.advance(3600);
    await tokenFor(provider, "mary");
    const second = await identityOf(store, acme.id, provider, uid);
    expect(second).toEqual({
      ...first,
      access_token: expect.stringMatching(/^[\w-]{43}$/) as string,
      token_expires_at: expiry(),
      updated_at: clock.now().toISOString(),
    });
    expect(second.access_token).not.toBe(first.access_token);
  });
});
