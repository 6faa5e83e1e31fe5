import { describe, expect, it } from "vitest";
import type { IdentityRecord, UserRecord } from "../../src/server/store/records.ts";
import { PROVIDERS, type Provider } from "../../src/wire/providers.ts";
import { contents, type Fake, setupProvider } from "../_provider.ts";
import { APP, decodePart, FRONT, SEED, setup } from "../_setup.ts";
import { failure } from "../_sign-in.ts";
import { type Answer, FORM_TYPE, type ProviderRequest, json, raw } from "./_reply.ts";
import { GOOGLE_USER } from "./_google.ts";
import { REAL } from "./_real.ts";

/** The user that a sign-in's token names. */
async function userOf({ service, signIn }: Fake): Promise<UserRecord> {
  const url = await signIn();
  expect([...url.searchParams.keys()]).toEqual(["token"]);
  const { sub } = decodePart(url.searchParams.get("token")!, 1);
  return (await service.store.findUser(service.acme.id, String(sub)))!.user;
}

function shown({ method, path, headers, body }: ProviderRequest): object {
  return {
    request: `${method} ${path}`,
    accept: headers.accept,
    agent: headers["user-agent"],
    authorization: headers.authorization,
    ...(method === "POST" && { type: headers["content-type"], form: Object.fromEntries(new URLSearchParams(body)) }),
  };
}

function email(address: string, primary: boolean, verified: boolean): object {
  return { email: address, primary, verified };
}

describe("The requests to a provider", () => {
  const common = { accept: "application/json", agent: "svc-identity" };
  const exchange = (provider: Provider, authorization: string | undefined, more: object): object => ({
    ...common,
    request: "POST /token",
    authorization,
    type: "application/x-www-form-urlencoded",
    form: {
      grant_type: "authorization_code",
      code: "the-code",
      redirect_uri: `${FRONT}/oauth/${provider}/callback`,
      client_id: "our-id",
      ...more,
    },
  });
  const get = (path: string, token: string): object => ({
    ...common,
    request: `GET ${path}`,
    authorization: `Bearer ${token}`,
  });

  it("of google send the secret in the body, then read the profile", async () => {
    const { signIn, requests } = await setupProvider("google");
    await signIn();
    expect(requests.map(shown)).toEqual([
      exchange("google", undefined, { client_secret: "s3cret" }),
      get("/userinfo", "ya29.token"),
    ]);
  });

  it("of github send the secret in the body, then read the profile and the e-mail addresses", async () => {
    const { signIn, requests } = await setupProvider("github");
    await signIn();
    expect(requests.map(shown)).toEqual([
      exchange("github", undefined, { client_secret: "s3cret" }),
      get("/user", "gho_token"),
      get("/user/emails?per_page=100", "gho_token"),
    ]);
  });

  it("of twitter send the secret by HTTP Basic only and the verifier, then read the profile", async () => {
    const { signIn, requests } = await setupProvider("twitter");
    await signIn();
    const basic = `Basic ${Buffer.from("our-id:s3cret").toString("base64")}`;
    expect(requests.map(shown)).toEqual([
      exchange("twitter", basic, { code_verifier: expect.stringMatching(/^[\w-]{43}$/) as string }),
      get("/2/users/me?user.fields=profile_image_url", "tw-token"),
    ]);
  });

  it("keep every character of a secret in HTTP Basic", async () => {
    const { signIn, requests } = await setupProvider("twitter", {}, "a:b%c d+é");
    await signIn();
    const basic = Buffer.from(requests[0]!.headers.authorization!.slice("Basic ".length), "base64").toString();
    expect(basic).toBe("our-id:a%3Ab%25c%20d%2B%C3%A9");
  });

  it("go to the provider's own addresses unless these are replaced", async () => {
    const connections = {
      google: { client_id: "i", client_secret: "s", endpoints: { token: "http://127.0.0.1:9/t" } },
    };
    const { fetch } = await setup({ seed: { ...SEED, instances: [{ ...SEED.instances[0], connections }] } });
    const response = await fetch(`/oauth/authorize?provider=google&redirect_uri=${encodeURIComponent(APP)}`);
    expect(response.headers.get("location")).toMatch("https://accounts.google.com/o/oauth2/v2/auth?");
  });

  it.each([
    ["http://idp.acme.test/token", "must be an https address, or one on loopback"],
    ["http://localhost.evil.test/token", "must be an https address, or one on loopback"],
    ["ftp://localhost/token", "must be an https address, or one on loopback"],
  ])("are never sent in plain text to another machine: %s", async (token, why) => {
    const connections = { google: { client_id: "i", client_secret: "s", endpoints: { token } } };
    const seed = { ...SEED, instances: [{ ...SEED.instances[0], connections }] };
    await expect(setup({ seed })).rejects.toThrow(`instances[0].connections.google.endpoints.token: ${why}`);
  });
});

describe("The answer of a provider", () => {
  it.each(PROVIDERS)("of %s becomes a user", async (provider) => {
    const { uid: _, ...user } = REAL[provider].user;
    const verified = REAL[provider].verifiesEmail ? "2026-01-05T09:00:00.000Z" : null;
    expect(await userOf(await setupProvider(provider))).toMatchObject({ ...user, email_verified_at: verified });
  });

  it.each([
    [true, null],
    ["true", null],
    [false, "email_not_verified"],
    ["false", "email_not_verified"],
    ["FALSE", "email_not_verified"],
    [undefined, null],
    [null, null],
    ["TRUE", null],
    [1, null],
  ] as const)("of google with email_verified %j gives the error %j", async (email_verified, code) => {
    const { signIn } = await setupProvider("google", { "/userinfo": json({ ...GOOGLE_USER, email_verified }) });
    const url = await signIn();
    if (code === null) expect([...url.searchParams.keys()]).toEqual(["token"]);
    else expect(url.href).toBe(failure(code));
  });

  it("of google may have a number as sub, which is the same account", async () => {
    const fake = await setupProvider("google", { "/userinfo": json({ ...GOOGLE_USER, sub: 1001 }) });
    expect((await userOf(fake)).id).toBe("00000000-0000-4000-8000-0000000000a1");
  });

  it.each([
    ["one", [email("a@x.test", true, true)], "a@x.test"],
    ["the primary one of several", [email("a@x.test", false, true), email("b@x.test", true, true)], "b@x.test"],
    [
      "the verified one of two primary ones",
      [email("a@x.test", true, false), email("b@x.test", true, true)],
      "b@x.test",
    ],
    ["a private one", [email("1+o@users.noreply.github.com", true, true)], "1+o@users.noreply.github.com"],
  ])("of github has a usable e-mail address: %s", async (_what, emails, expected) => {
    const fake = await setupProvider("github", { "/user/emails": json(emails) });
    expect((await userOf(fake)).email).toBe(expected);
  });

  it("of github has its primary address behind thirty others, which is a page of its", async () => {
    const many = [
      ...Array.from({ length: 40 }, (_, i) => email(`a${i}@x.test`, false, true)),
      email("b@x.test", true, true),
    ];
    const paged: Answer = (response, requests) => {
      const { searchParams } = new URL(requests.path, FRONT);
      json(many.slice(0, Number(searchParams.get("per_page") ?? 30)))(response, requests);
    };
    expect((await userOf(await setupProvider("github", { "/user/emails": paged }))).email).toBe("b@x.test");
  });

  it.each([
    ["there is none", []],
    ["none is verified", [email("a@x.test", true, false), email("b@x.test", false, false)]],
    ["the primary one is not verified", [email("a@x.test", true, false), email("b@x.test", false, true)]],
    ["none is primary", [email("a@x.test", false, true)]],
  ])("of github without a usable e-mail address is rejected: %s", async (_what, emails) => {
    const { service, signIn } = await setupProvider("github", { "/user/emails": json(emails) });
    const before = await contents(service);
    expect((await signIn()).href).toBe(failure("email_not_verified"));
    expect(await contents(service)).toEqual(before);
  });

  it("of github is JSON because the request asks for it", async () => {
    const form = raw("access_token=gho_token&token_type=bearer", 200, FORM_TYPE);
    const token: Answer = (response, asked) => {
      const answer = asked.headers.accept === "application/json" ? REAL.github.answers["/token"]! : form;
      answer(response, asked);
    };
    const { signIn } = await setupProvider("github", { "/token": token });
    expect([...(await signIn()).searchParams.keys()]).toEqual(["token"]);
  });

  it.each([
    ["https://acme.test/ada.png?s=96", "https://acme.test/ada.png?s=96"],
    ["http://localhost:9000/ada.png", "http://localhost:9000/ada.png"],
    ["http://acme.test/ada.png", "http://acme.test/ada.png"],
    ["https://acme.test", "https://acme.test"],
    ["HTTPS://Acme.Test:443/a/../ada.png?q='%7e#x", "HTTPS://Acme.Test:443/a/../ada.png?q='%7e#x"],
    ["https://acme.test/\u00e9.png", "https://acme.test/\u00e9.png"],
    [`https://acme.test/${"x".repeat(2030)}`, `https://acme.test/${"x".repeat(2030)}`],
    [`https://acme.test/${"x".repeat(2031)}`, null],
    ["https://acme.test/a b.png", null],
    ["https://acme.test/\u0000.png", null],
    ["https://[::1", null],
    ["javascript:alert(1)", null],
    ["data:image/svg+xml,<svg/>", null],
    ["file:///etc/passwd", null],
    ["//acme.test/ada.png", null],
    ["ada.png", null],
    ["", null],
    [null, null],
    [undefined, null],
  ])("with a picture at %j keeps it as %j and does not fetch it", async (picture, expected) => {
    const fake = await setupProvider("google", { "/userinfo": json({ ...GOOGLE_USER, picture }) });
    expect((await userOf(fake)).avatar_url).toBe(expected);
    expect(fake.requests.map(({ path }) => path)).toEqual(["/token", "/userinfo"]);
  });

  it.each(PROVIDERS)("without a name at %s gives a new user another name", async (provider) => {
    const { profile, profileWith, nameless } = REAL[provider];
    const [changes, expected] = nameless;
    for (const name of [undefined, null, "", "   ", { first: "Ada" }]) {
      const fake = await setupProvider(provider, { [profile]: profileWith({ ...changes, name }) });
      expect((await userOf(fake)).name).toBe(expected);
    }
  });

  it("has its name cut to 256 characters", async () => {
    const fake = await setupProvider("google", { "/userinfo": json({ ...GOOGLE_USER, name: "a".repeat(300) }) });
    expect((await userOf(fake)).name).toBe("a".repeat(256));
  });

  it("without a new refresh token keeps the old one", async () => {
    const { service, signIn, answers } = await setupProvider("google");
    const stored: (string | null)[] = [];
    const look = async (): Promise<void> => {
      await signIn();
      const looking = new Error("only looking");
      const resolveUser = ({ known }: { known?: { identity: IdentityRecord } | undefined }): never => {
        stored.push(known!.identity.access_token, known!.identity.refresh_token);
        throw looking;
      };
      const key = { instance_id: service.acme.id, provider: "google", uid: "1001" } as const;
      const signInAgain = { ...key, email: "ada@acme.test", ip_address: "127.0.0.1", resolveUser };
      const openSession = (): never => resolveUser({});
      await expect(service.store.completeSignIn({ ...signInAgain, openSession })).rejects.toBe(looking);
    };
    answers["/token"] = json({ access_token: "a1", refresh_token: "r1" });
    await look();
    answers["/token"] = json({ access_token: "a2" });
    await look();
    answers["/token"] = json({ access_token: "a3", refresh_token: "r3" });
    await look();
    expect(stored).toEqual(["a1", "r1", "a2", "r1", "a3", "r3"]);
  });
});
