import { describe, expect, it } from "vitest";
import { serve, ServeError } from "../../src/server/index.ts";
import type { ProvidersMode } from "../../src/wire/serve.ts";
import type { Credentials } from "../../src/server/providers/offers.ts";
import { PROVIDERS, type Provider } from "../../src/wire/providers.ts";
import { locationOf } from "../_answers.ts";
import { seedFile } from "../_seed-file.ts";
import { APP, CONTROL_KEY, decodePart, FRONT, SEED, setup, type Service } from "../_setup.ts";

function seedWith(connections: Credentials): object {
  return { ...SEED, instances: [{ ...SEED.instances[0], connections }, SEED.instances[1]] };
}

async function askedOf({ fetch }: Service, subdomain: string, provider: Provider): Promise<[string, string | null]> {
  const query = new URLSearchParams({ provider, redirect_uri: APP });
  const url = locationOf(await fetch(`http://${subdomain}.localhost:7820/oauth/authorize?${query.toString()}`));
  return [url.origin, url.searchParams.get("client_id")];
}

describe("The credentials of a provider", () => {
  const OWN = { client_id: "own", client_secret: "own-secret" };
  const GLOBAL = { client_id: "global", client_secret: "global-secret" };
  const GOOGLE = "https://accounts.google.com";

  it.each([
    ["auto", "own", "global", GOOGLE, "own"],
    ["auto", "own", "no", GOOGLE, "own"],
    ["auto", "no", "global", GOOGLE, "global"],
    ["auto", "no", "no", FRONT, "svc-simulator"],
    ["real", "own", "global", GOOGLE, "own"],
    ["real", "no", "global", GOOGLE, "global"],
    ["simulated", "own", "global", FRONT, "own"],
    ["simulated", "own", "no", FRONT, "own"],
    ["simulated", "no", "global", FRONT, "global"],
    ["simulated", "no", "no", FRONT, "svc-simulator"],
  ] as const)(
    "in mode %s, with %s and %s ones, send the browser to %s as %s",
    async (mode: ProvidersMode, own, global, origin, client_id) => {
      const service = await setup({
        seed: seedWith(own === "own" ? { google: OWN } : {}),
        credentials: global === "global" ? { google: GLOBAL } : {},
        providers: mode,
      });
      expect(await askedOf(service, "acme", "google")).toEqual([origin, client_id]);
    },
  );

  it("can belong to an instance and to a single provider", async () => {
    const service = await setup({ seed: seedWith({ google: OWN }), credentials: { google: GLOBAL, github: GLOBAL } });
    expect(await askedOf(service, "acme", "google")).toEqual([GOOGLE, "own"]);
    expect(await askedOf(service, "acme", "github")).toEqual(["https://github.com", "global"]);
    expect(await askedOf(service, "acme", "twitter")).toEqual([FRONT, "svc-simulator"]);
    expect(await askedOf(service, "globex", "google")).toEqual([GOOGLE, "global"]);
  });

  it.each(PROVIDERS)("of an instance sign in at a simulated %s, which needs no network", async (provider) => {
    const odd = { client_id: "id: with %41+é", client_secret: "a:b%c d+é&=" };
    const { tokenFor } = await setup({ seed: seedWith({ [provider]: odd }), providers: "simulated" });
    expect(decodePart(await tokenFor(provider, "mary"), 1)["provider"]).toBe(provider);
  });

  it("that a simulated provider uses are described so by the control API", async () => {
    const { fetch } = await setup({ seed: seedWith({ google: OWN }), providers: "simulated", control: true });
    const response = await fetch("/__svc/v1/instances/acme/connections", {
      headers: { authorization: `Bearer ${CONTROL_KEY}` },
    });
    const [google] = (await response.json()) as { data: { client_id: string; why: string } }[];
    expect(google?.data).toMatchObject({
      client_id: OWN.client_id,
      why: "--providers simulated: the credentials are used at the simulated provider",
    });
  });

  it("are required in mode real for an instance's default provider: without them the server does not start", async () => {
    const seed = seedFile(seedWith({ google: OWN, twitter: OWN }));
    const starting = serve({ port: 0, store: "memory", seed, providers: "real", credentials: { google: GLOBAL } });
    await expect(starting).rejects.toThrow(ServeError);
    await expect(starting).rejects.toThrow("the default_provider of Globex (github)");
  });
});
