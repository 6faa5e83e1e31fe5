import { describe, expect, it } from "vitest";
import { PROVIDERS, type Provider } from "../../src/wire/providers.ts";
import { startServer, type ControlledServer } from "../_control.ts";
import { setupProvider, type Fake } from "../_provider.ts";
import { APP } from "../_setup.ts";
import { json } from "./_reply.ts";
import { GOOGLE_USER } from "./_google.ts";
import { REAL } from "./_real.ts";

const ROWS = PROVIDERS.flatMap((provider) =>
  Object.entries(REAL[provider].outcomes).map(([outcome, answers]) => [outcome, provider, answers] as const),
);

describe("A provider's failure and its simulated outcome send the application the same", () => {
  let server: ControlledServer;

  const chosen = async (outcome: string, provider: Provider): Promise<string> => {
    const { body } = await server.control("POST /sign-ins", { outcome, provider, as: "ada", redirect_uri: APP });
    return body.location as string;
  };
  const begun = async (fake: Fake, provider: Provider): Promise<string> => {
    const query = new URLSearchParams({ provider, redirect_uri: APP });
    const response = await fake.service.fetch(`/oauth/authorize?${query.toString()}`);
    return new URL(response.headers.get("location")!).searchParams.get("state")!;
  };

  it.each(ROWS)("for %s at %s", async (outcome, provider, answers) => {
    server = await startServer();
    const genuine = await (await setupProvider(provider, answers)).signIn();
    expect(genuine.searchParams.get("error")).toMatch(/^[a-z_]+$/);
    expect(await chosen(outcome, provider)).toBe(genuine.href);
  });

  it.each([
    ...PROVIDERS.map((provider) => ["access_denied", provider] as const),
    ["temporarily_unavailable", "google"] as const,
  ])("for %s at %s, which the browser brings back", async (error, provider) => {
    server = await startServer();
    const fake = await setupProvider(provider);
    const state = await begun(fake, provider);
    const answer = await fake.service.fetch(`/oauth/${provider}/callback?error=${error}&state=${state}`);
    expect(await chosen(error, provider)).toBe(answer.headers.get("location"));
  });

  it("for name_missing at google, a token with a name from the e-mail address", async () => {
    server = await startServer();
    const { name: _, given_name: __, family_name: ___, ...nameless } = GOOGLE_USER;
    const genuine = await (await setupProvider("google", { "/userinfo": json(nameless) })).signIn();
    const names = [genuine.href, await chosen("name_missing", "google")].map((location) => {
      const [, payload = ""] = new URL(location).searchParams.get("token")!.split(".");
      return (JSON.parse(Buffer.from(payload, "base64url").toString()) as { name: string }).name;
    });
    expect(new Set(names).size).toBe(1);
  });
});
