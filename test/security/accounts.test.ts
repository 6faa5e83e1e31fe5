import { describe, expect, it, onTestFinished } from "vitest";
import { serve, type ServeOptions } from "../../src/server/index.ts";
import type { Provider } from "../../src/wire/providers.ts";
import { everything } from "../_attacks.ts";
import { seedFile } from "../_seed-file.ts";
import { APP, SEED, decodePart, setup } from "../_setup.ts";
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

  it("T19: is not opened with Ada's address where that is verified at github, and the primary one is not", async () => {
    const emails = [
      { email: "ada@acme.test", primary: false, verified: true },
      { email: "m@evil.test", primary: true, verified: false },
    ];
    const github = { id: 666, login: "m", emails };
    expect(await intrude(withPersona({ email: "ada@acme.test", github }), "github")).toEqual(unverified);
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
});
