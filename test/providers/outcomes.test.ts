import { describe, expect, it } from "vitest";
import type { Provider } from "../../src/wire/names.ts";
import type { OutcomeId } from "../../src/wire/outcomes.ts";
import { startServer, type ControlledServer } from "../_control.ts";
import { GITHUB_EMAILS, GOOGLE_USER, json, raw, setupProvider, type Answer, type Fake } from "../_provider.ts";
import { APP } from "../_setup.ts";

const oops = json({ message: "oops" }, 500);
const html = raw("<!doctype html><title>Error</title>", 200, { "content-type": "text/html" });
const limited = json({ message: "Too Many Requests" }, 429);
const broken: Answer = (response) => response.destroy();

/** What each provider documents as its answer in the same situation. */
const GENUINE: Record<Provider, Partial<Record<OutcomeId, Record<string, Answer>>>> = {
  google: {
    code_rejected: { "/token": json({ error: "invalid_grant", error_description: "Bad Request" }, 400) },
    invalid_client: { "/token": json({ error: "invalid_client", error_description: "Unauthorized" }, 401) },
    redirect_uri_mismatch: { "/token": json({ error: "redirect_uri_mismatch" }, 400) },
    token_error: { "/token": oops },
    token_garbage: { "/token": html },
    rate_limited: { "/userinfo": limited },
    profile_error: { "/userinfo": oops },
    email_not_verified: { "/userinfo": json({ ...GOOGLE_USER, email_verified: false }) },
    provider_unreachable: { "/token": broken },
  },
  github: {
    code_rejected: { "/token": json({ error: "bad_verification_code" }) },
    invalid_client: { "/token": json({ error: "incorrect_client_credentials" }) },
    redirect_uri_mismatch: { "/token": json({ error: "redirect_uri_mismatch" }) },
    token_error: { "/token": oops },
    token_garbage: { "/token": html },
    rate_limited: { "/user": limited },
    profile_error: { "/user": oops },
    email_not_verified: { "/user/emails": json(GITHUB_EMAILS.map((one) => ({ ...one, verified: false }))) },
    email_primary_not_verified: {
      "/user/emails": json(GITHUB_EMAILS.map((one) => ({ ...one, verified: !one.primary }))),
    },
    provider_unreachable: { "/token": broken },
  },
  twitter: {
    code_rejected: {
      "/token": json({ error: "invalid_request", error_description: "Value passed was invalid." }, 400),
    },
    invalid_client: { "/token": json({ error: "unauthorized_client" }, 401) },
    redirect_uri_mismatch: { "/token": json({ error: "invalid_request" }, 400) },
    token_error: { "/token": oops },
    token_garbage: { "/token": html },
    rate_limited: { "/2/users/me": limited },
    profile_error: { "/2/users/me": oops },
    provider_unreachable: { "/token": broken },
  },
};
const ROWS = Object.entries(GENUINE).flatMap(([provider, outcomes]) =>
  Object.entries(outcomes).map(([outcome, answers]) => [outcome, provider as Provider, answers] as const),
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
    ["access_denied", "google"],
    ["access_denied", "github"],
    ["access_denied", "twitter"],
    ["temporarily_unavailable", "google"],
  ] as const)("for %s at %s, which the browser brings back", async (error, provider) => {
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
