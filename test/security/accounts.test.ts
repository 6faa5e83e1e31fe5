import { describe, expect, it, onTestFinished } from "vitest";
import { serve, type ServeOptions } from "../../src/server/index.ts";
import type { Provider } from "../../src/wire/providers.ts";
import { locationOf } from "../_answers.ts";
import { connected, everything, network, openProvider } from "../_attacks.ts";
import { seedFile } from "../_seed-file.ts";
import { ADA, APP, SEED, decodePart, setup } from "../_setup.ts";
import { ask } from "../_sockets.ts";

/** The instance acme with one more persona at the simulated providers. */
function withPersona(persona: object): object {
  return { ...SEED, personas: [...SEED.personas, { id: "mallory", name: "Mallory", ...persona }] };
}

/** The result of Mallory's sign-in, and whether Ada and Charles are unchanged. */
async function intrude(
  seed: object,
  provider: Provider,
): Promise<{ error: string | null; user: string | null; isUntouched: boolean }> {
  const service = await setup({ seed });
  const before = await everything(service, service.acme);
  const { searchParams } = await service.signIn(provider, "mallory");
  const token = searchParams.get("token");
  return {
    error: searchParams.get("error"),
    user: token && String(decodePart(token, 1)["sub"]),
    isUntouched: (await everything(service, service.acme)) === before,
  };
}

describe("A user's account", () => {
  const unverified = { error: "email_not_verified", user: null, isUntouched: true };

  it.each<[string, Provider, object, object]>([
    [
      "google says that the address is not verified",
      "google",
      { google: { sub: "666", email_verified: false } },
      unverified,
    ],
    [
      "github has not verified it",
      "github",
      { github: { id: 666, login: "m", emails: [{ email: "ada@acme.test", primary: true, verified: false }] } },
      unverified,
    ],
    [
      "at github it is verified, and another one is primary and not",
      "github",
      {
        github: {
          id: 666,
          login: "m",
          emails: [
            { email: "ada@acme.test", primary: false, verified: true },
            { email: "m@evil.test", primary: true, verified: false },
          ],
        },
      },
      unverified,
    ],
  ])("T19: is not opened with Ada's address while %s", async (_, provider, account, outcome) => {
    expect(await intrude(withPersona({ email: "ada@acme.test", ...account }), provider)).toEqual(outcome);
  });

  it("T19: is not opened by a placeholder of its twitter account, which google or github sends", async () => {
    const email = "3001@twitter.invalid";
    const twitter = { email, name: "Ada", identities: [{ provider: "twitter", uid: "3001" }] };
    const seed = withPersona({
      email,
      google: { sub: "666", email_verified: true },
      github: { id: 666, login: "m", emails: [{ email, primary: true, verified: true }] },
    });
    const [acme, globex] = SEED.instances as [(typeof SEED.instances)[0], object];
    const instances = [{ ...acme, users: [...acme.users, twitter] }, globex];
    for (const provider of ["google", "github"] as const)
      expect(await intrude({ ...seed, instances }, provider)).toEqual(unverified);
  });

  it("T19: cannot be simulated for the network beside a real provider, as a simulated one confirms any address", async () => {
    const credentials = { google: { client_id: "id", client_secret: "secret" } };
    const seed = seedFile({ ...SEED, instances: [{ ...SEED.instances[0], redirect_uris: [APP] }] });
    const options: ServeOptions = {
      port: 0,
      store: "memory",
      seed,
      publicUrl: "https://auth.example.test",
      credentials,
    };
    const server = await serve(options).catch((error: Error) => error);
    if (server instanceof Error) return expect(server.name).toBe("ServeError");
    onTestFinished(() => server.close());
    const path = `/oauth/authorize?provider=github&login_hint=ada@acme.test&redirect_uri=${APP}`;
    const { status } = await ask(server.port, { path, host: "auth.example.test" });
    return expect(status).toBe(400);
  });

  it("T20: is opened by a second account of one provider only if it has the same address", async () => {
    const google = { sub: "1666", email_verified: true };
    const open = { error: null, user: ADA, isUntouched: false };
    expect(await intrude(withPersona({ email: "ada@acme.test", google }), "google")).toEqual(open);
    const { user } = await intrude(withPersona({ email: "ada@other.test", google }), "google");
    expect(user).not.toBe(ADA);
  });

  it.each([
    ["аda@acme.test", "a Cyrillic letter"],
    ["ada@acme.test.evil.test", "a longer domain"],
    ["ada+1@acme.test", "a tag"],
    ["a.da@acme.test", "a dot"],
    ["adа@acme.test", "another Cyrillic letter"],
    ["ada@acme-test.evil", "a domain that looks alike"],
    ["ada@ａcmé.test", "an accent"],
    ["ada@аcme.test", "a Cyrillic letter in its domain"],
    ["ada@ɑcme.test", "a Latin alpha in its domain"],
    ["ada@acmẹ.test", "a dot below a letter of its domain"],
  ])("T21: of Ada is not opened by %s, which has %s", async (email) => {
    const { user, error, isUntouched } = await intrude(
      withPersona({ email, google: { sub: "666", email_verified: true } }),
      "google",
    );
    expect({ error, isAda: user === ADA, isUntouched }).toEqual({ error: null, isAda: false, isUntouched: false });
  });

  it.each(["ａda@acme.test", "adª@acme.test", "ᵃda@acme.test"])(
    "T21: of Ada is not opened by the owner of %s, which may be another mailbox",
    async (email) => {
      const persona = withPersona({ email, google: { sub: "666", email_verified: true } });
      expect(await intrude(persona, "google")).toEqual({ error: "email_invalid", user: null, isUntouched: true });
    },
  );

  it.each([
    "ada@acme.test＠evil.test",
    "ada@evil.test@acme.test",
    "ada@acme\u3002test\u200b",
    "ada\u00ad@acme.test",
    "ada@acme\u3002test",
    "ada@acme%2Etest",
    "ada@ac\u00adme.test",
    "ada@acme\u200d.test",
  ])("T21: rejects the address %o before and after Unicode normalization", async (email) => {
    const provider = await openProvider();
    provider.reply = (path) =>
      path === "/google/userinfo" ? { body: JSON.stringify({ email, email_verified: true, sub: "666" }) } : undefined;
    const service = await setup({ seed: connected(provider), fetch: network });
    const start = await service.fetch(
      `/oauth/authorize?${new URLSearchParams({ provider: "google", redirect_uri: APP }).toString()}`,
    );
    const back = await service.fetch(
      `/oauth/google/callback?code=c&state=${locationOf(start).searchParams.get("state")}`,
    );
    expect([locationOf(back).searchParams.get("error"), locationOf(back).searchParams.get("token")]).toEqual([
      "email_invalid",
      null,
    ]);
  });
});
