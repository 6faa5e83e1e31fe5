import { rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { SIGN_IN_ERRORS } from "../../src/wire/errors.ts";
import { PROVIDER_TITLES, PROVIDERS } from "../../src/wire/providers.ts";
import { locationOf, requestOn } from "../_answers.ts";
import { connected, openProvider } from "../_attacks.ts";
import { temporaryDirectory } from "../_files.ts";
import { APP, SEED, setup } from "../_setup.ts";
import {
  authorizePath,
  begun,
  CREDENTIALS,
  expectRefusedState,
  failure,
  unknownProvider,
  untilCallback,
} from "../_sign-in.ts";
import { ask, listening } from "../_sockets.ts";

describe("GET /oauth/:provider/callback", () => {
  it("T02: answers 302 with an empty body and with headers that protect the token", async () => {
    const service = await setup();
    const response = await service.fetch((await untilCallback(service, "google")).href);
    expect([response.status, await response.text()]).toEqual([302, ""]);
    const token = new URL(response.headers.get("location")!).searchParams.get("token")!;
    expect(Object.fromEntries(response.headers)).toMatchObject({
      "cache-control": "no-store",
      "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
      "cross-origin-resource-policy": "same-origin",
      location: `${APP}?token=${token}`,
      pragma: "no-cache",
      "referrer-policy": "no-referrer",
      "x-content-type-options": "nosniff",
    });
    expect([...response.headers].filter(([, value]) => value.includes(token)).map(([name]) => name)).toEqual([
      "location",
    ]);
    expect([response.headers.has("content-type"), response.headers.has("set-cookie")]).toEqual([false, false]);
  });

  it("T02: keeps the application's own query parameters and replaces a token among them", async () => {
    const { signIn } = await setup();
    const url = await signIn("google", "ada", {
      redirect_uri: `${APP}?state=a%2Bb&token=forged&t%6Fken=too&next=%2Fhome&x`,
    });
    expect(url.href).toMatch(
      /^http:\/\/localhost:3000\/callback\?state=a%2Bb&next=%2Fhome&x&token=[\w-]+\.[\w-]+\.[\w-]+$/,
    );
  });

  it("replaces what an earlier sign-in has left in the application's address, a token or an error", async () => {
    const { signIn } = await setup();
    const redirect_uri = `${APP}?a=1&error=access_denied&error_description=The+sign-in+was+cancelled.&error%5Fdescription=x`;
    const back = await signIn("google", "ada", { redirect_uri });
    expect([...back.searchParams.keys()]).toEqual(["a", "token"]);
  });

  it("rejects a code together with an error", async () => {
    const service = await setup();
    const response = await service.fetch(`${(await untilCallback(service, "google")).href}&error=access_denied`);
    const error = "Bad request: a callback carries a code or an error, not both";
    expect([response.status, await response.json()]).toEqual([400, { error }]);
  });

  it("rejects an unknown provider", async () => {
    const { fetch } = await setup();
    const response = await fetch("/oauth/facebook/callback?code=c&state=s");
    expect([response.status, await response.json()]).toEqual([400, unknownProvider("facebook")]);
  });

  it("exists at the server's own address only", async () => {
    const service = await setup();
    const toCallback = await untilCallback(service, "google");
    const response = await service.fetch(toCallback.href.replace("//localhost", "//acme.localhost"));
    expect([response.status, await response.json()]).toEqual([404, { error: "Not found" }]);
  });
});

describe("A sign-in that fails after a valid state", () => {
  it.each([
    ["error=access_denied", "access_denied"],
    ["error=temporarily_unavailable", "temporarily_unavailable"],
    ["error=server_error", "server_error"],
    ["error=invalid_scope&error_description=outside+text&error_uri=https%3A%2F%2Fevil.test", "server_error"],
    ["error=%3Cscript%3Ealert(1)%3C%2Fscript%3E", "server_error"],
    ["error=__proto__", "server_error"],
    ["error=", "server_error"],
    ["code=never-given-out", "server_error"],
    ["code=", "server_error"],
    ["scope=openid", "server_error"],
  ] as const)("T04: with %s returns %s with our own description to the application, once", async (query, code) => {
    const service = await setup();
    const state = await begun(service, "google");
    const response = await service.fetch(`/oauth/google/callback?${query}&state=${state}`);
    expect([response.status, response.headers.get("location")]).toEqual([302, failure(code)]);
    expect(await response.text()).toBe("");
    await expectRefusedState(await service.fetch(`/oauth/google/callback?${query}&state=${state}`));
  });

  it.each(PROVIDERS)("returns to the application that the user cancelled at %s", async (provider) => {
    const { fetch } = await setup();
    const query = new URLSearchParams({ provider, redirect_uri: APP });
    const toProvider = locationOf(await fetch(`/oauth/authorize?${query.toString()}`));
    const picker = requestOn(await (await fetch(toProvider.href)).text(), toProvider);
    const toCallback = locationOf(await fetch(`${picker.href}&cancel=1`));
    expect(locationOf(await fetch(toCallback.href)).href).toBe(failure("access_denied"));
  });

  it.each([
    ["google", "alan", "email_not_verified"],
    ["github", "alan", "email_not_verified"],
    ["google", "placeholder", "email_not_verified"],
  ] as const)("returns to the application for %s's account %s: %s", async (provider, as, code) => {
    const google = { sub: "77", email_verified: true };
    const placeholder = { id: "placeholder", name: "P", email: "3001@twitter.invalid", google };
    const { signIn, log } = await setup({ seed: { ...SEED, personas: [...SEED.personas, placeholder] } });
    expect((await signIn(provider, as)).href).toBe(failure(code));
    expect(log.failures).toEqual([expect.stringMatching(`^${provider}: ${code}: `)]);
  });

  it.each(PROVIDERS)("returns to the application that %s cannot be reached", async (provider) => {
    const service = await setup({ credentials: CREDENTIALS });
    const state = await begun(service, provider);
    const response = await service.fetch(`/oauth/${provider}/callback?code=c&state=${state}`);
    expect(locationOf(response).href).toBe(failure("temporarily_unavailable"));
    expect(service.log.failures).toEqual([
      `${provider}: temporarily_unavailable: ${PROVIDER_TITLES[provider]}'s token endpoint could not be reached. Check the network and the endpoint's address.`,
    ]);
  });

  it.each(PROVIDERS)("returns to the application if %s does not answer in time, and says so", async (provider) => {
    const service = await setup();
    const query = new URLSearchParams({ provider, redirect_uri: APP });
    const toProvider = locationOf(await service.fetch(`/oauth/authorize?${query.toString()}`));
    let picker = requestOn(await (await service.fetch(toProvider.href)).text(), toProvider);
    picker = requestOn(await (await service.fetch(`${picker.href}&outcome=token_timeout`)).text(), toProvider);
    const toCallback = locationOf(await service.fetch(`${picker.href}&login_hint=ada`));
    expect(locationOf(await service.fetch(toCallback.href)).href).toBe(failure("temporarily_unavailable"));
    expect(service.log.failures).toEqual([
      `${provider}: temporarily_unavailable: As chosen in the picker: ${PROVIDER_TITLES[provider]}'s token endpoint did not answer in time. Try again later.`,
    ]);
  });

  it("answers 503 if the store cannot be written, as the state could be used again then", async () => {
    const store = join(temporaryDirectory(), "db.json");
    const provider = await openProvider();
    provider.reply = (path) => {
      if (path === "/google/userinfo") rmSync(join(dirname(store), "db.journal"));
      return undefined;
    };
    const bugs: string[] = [];
    const warn = (message: string): void => void (message.startsWith("internal error") && bugs.push(message));
    const server = await listening({ store, seed: connected(provider) as never, warn });
    const start = await ask(server.port, { path: authorizePath("google") });
    const state = new URL(start.headers.location!).searchParams.get("state");
    const answered = await ask(server.port, { path: `/oauth/google/callback?code=c&state=${state}` });
    expect([answered.status, answered.headers.location, bugs]).toEqual([503, undefined, []]);
    const headers = { authorization: `Bearer ${server.control_key}` };
    const [flow] = (await (await fetch(`${server.url}/__svc/v1/flows`, { headers })).json()) as { data: object }[];
    expect(flow!.data).toMatchObject({
      result: "error",
      reason: expect.stringMatching(/^The store is unavailable: /) as string,
    });
  });

  it("removes a token from the application's address and keeps the rest", async () => {
    const { signIn } = await setup();
    const url = await signIn("google", "alan", { redirect_uri: `${APP}?token=forged&a=1&error=old` });
    const description = encodeURIComponent(SIGN_IN_ERRORS.email_not_verified);
    expect(url.href).toBe(`${APP}?a=1&error=email_not_verified&error_description=${description}`);
  });
});

describe("The log of a sign-in", () => {
  it("contains neither code nor state nor token", async () => {
    const service = await setup();
    const toCallback = await untilCallback(service, "twitter");
    const token = locationOf(await service.fetch(toCallback.href)).searchParams.get("token")!;
    await service.fetch(toCallback.href);
    const secrets = [toCallback.searchParams.get("code")!, toCallback.searchParams.get("state")!, token];
    const log = JSON.stringify(service.log);
    expect(service.log.requests.map(({ route }) => route)).toEqual([
      "/oauth/authorize",
      "/__svc/simulator/:provider/authorize",
      "/oauth/:provider/callback",
      "/oauth/:provider/callback",
    ]);
    expect(secrets.filter((secret) => log.includes(secret))).toEqual([]);
  });
});
