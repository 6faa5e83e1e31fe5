// Below the faces: what a configuration makes of a provider's addresses, which are real ones.

import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { serveOptions } from "../../src/cli/commands/serve/options.ts";
import { parseConfig } from "../../src/server/index.ts";
import type { IdentityRecord, UserRecord } from "../../src/server/store/records.ts";
import { PROVIDERS, type Provider } from "../../src/wire/providers.ts";
import { locationOf, requestOn } from "../_answers.ts";
import { createContext } from "../_cli.ts";
import { temporaryDirectory } from "../_files.ts";
import { type Fake, setupProvider } from "../_provider.ts";
import { APP, decodePart, FRONT, SEED, setup } from "../_setup.ts";
import { failure } from "../_sign-in.ts";
import { type Answer, FORM_TYPE, json, raw } from "./_reply.ts";
import { GITHUB_EMAILS, GITHUB_USER } from "./_github.ts";
import { GOOGLE_USER } from "./_google.ts";
import { REAL } from "./_real.ts";

/** The user and the identity that result from a sign-in. */
async function resultOf(
  { service, signIn }: Fake,
  provider: Provider,
  uid: string,
): Promise<[UserRecord, IdentityRecord]> {
  const url = await signIn();
  expect([...url.searchParams.keys()]).toEqual(["token"]);
  const { sub } = decodePart(url.searchParams.get("token")!, 1);
  const { user } = (await service.store.findUser(service.acme.id, String(sub)))!;
  let identity: IdentityRecord | undefined;
  const looking = new Error("only looking");
  const resolveUser = ({ known }: { known?: { identity: IdentityRecord } | undefined }): never => {
    identity = known?.identity;
    throw looking;
  };
  const lookup = { instance_id: service.acme.id, provider, uid, email: user.email, ip_address: "127.0.0.1" };
  const openSession = (): never => resolveUser({});
  await expect(service.store.completeSignIn({ ...lookup, resolveUser, openSession })).rejects.toBe(looking);
  return [user, identity!];
}

/** The answer of a provider's profile with changes to the account. */
function profileOf(provider: Provider, changes: object): Record<string, Answer> {
  return { [REAL[provider].profile]: REAL[provider].profileWith(changes) };
}

describe("A sign-in succeeds with an incomplete answer", () => {
  it.each<[provider: Provider, what: string, sent: object, user: object]>([
    ["google", "no email_verified", { email_verified: undefined }, { email: "ada@acme.test" }],
    ["github", "no login", { login: undefined }, { name: "monalisa octocat" }],
    ["github", "no login and no name", { login: undefined, name: null }, { name: "octocat@github.test" }],
    ["github", "a login that is a number", { login: 7, name: null }, { name: "octocat@github.test" }],
    ["twitter", "no username", { username: undefined }, { name: "X Dev" }],
    ["twitter", "no username and no name", { username: null, name: null }, { name: "2244994945@twitter.invalid" }],
    ["google", "a picture that is an object", { picture: { url: "x" } }, { name: "Ada Lovelace", avatar_url: null }],
    ["twitter", "a name that is a list", { name: ["X"] }, { name: "TwitterDev" }],
  ])("of %s: %s", async (provider, _, sent, user) => {
    const fake = await setupProvider(provider, profileOf(provider, sent));
    expect((await resultOf(fake, provider, REAL[provider].user.uid))[0]).toMatchObject(user);
  });

  it.each<[what: string, emails: unknown[]]>([
    ["without primary", [{ email: "a@x.test", verified: true }, ...GITHUB_EMAILS]],
    ["with an email of null", [{ email: null, primary: true, verified: true }, ...GITHUB_EMAILS]],
    ["that is null", [null, ...GITHUB_EMAILS]],
    ["that is text", [...GITHUB_EMAILS, "a@x.test"]],
    ["whose verified is text", [{ email: "a@x.test", primary: true, verified: "true" }, ...GITHUB_EMAILS]],
  ])("of github: an e-mail entry %s beside a good one", async (_, emails) => {
    const fake = await setupProvider("github", { "/user/emails": json(emails) });
    expect((await resultOf(fake, "github", "583231"))[0].email).toBe("octocat@github.test");
  });

  it("of github: the only e-mail entry, without primary", async () => {
    const fake = await setupProvider("github", { "/user/emails": json([{ email: "a@x.test", verified: true }]) });
    expect((await resultOf(fake, "github", "583231"))[0].email).toBe("a@x.test");
  });

  it.each([
    ["without verified", [{ email: "a@x.test", primary: true }]],
    ["with a verified that is text", [{ email: "a@x.test", primary: true, verified: "true" }]],
    ["that is null", [null]],
  ])("unless github's address is %s", async (_, emails) => {
    const fake = await setupProvider("github", { "/user/emails": json(emails) });
    expect((await fake.signIn()).href).toBe(failure("email_not_verified"));
  });

  it.each([" ", "\u200b", "\u200d\u200d", "\u3164", "\u2800", "\u2060\u00ad \ufe0f", "\u061c\u202e"])(
    "of github: a name of nothing that can be seen, %j, is no name",
    async (name) => {
      const fake = await setupProvider("github", { "/user": json({ ...GITHUB_USER, name }) });
      expect((await resultOf(fake, "github", "583231"))[0].name).toBe("octocat");
    },
  );

  it.each<[sent: unknown, expires: string | null]>([
    [3600, "2026-06-01T13:00:00.000Z"],
    ["3600", "2026-06-01T13:00:00.000Z"],
    [0, null],
    ["0", null],
    [null, null],
    [-1, null],
    ["soon", null],
    [1e300, null],
  ])("with an expires_in of %j", async (expires_in, expires) => {
    const fake = await setupProvider("google", { "/token": json({ access_token: "t", expires_in }) });
    const [, identity] = await resultOf(fake, "google", "1001");
    expect([identity.access_token, identity.token_expires_at]).toEqual(["t", expires]);
  });

  it.each(PROVIDERS)("with a form-encoded body, of %s", async (provider) => {
    for (const type of [FORM_TYPE, { "content-type": "text/plain" }, {}]) {
      const form = raw(
        "access_token=a%2Bb&token_type=bearer&expires_in=60&refresh_token=r",
        200,
        type as typeof FORM_TYPE,
      );
      const fake = await setupProvider(provider, { "/token": form });
      const [, identity] = await resultOf(fake, provider, REAL[provider].user.uid);
      expect([identity.access_token, identity.refresh_token, identity.token_expires_at]).toEqual([
        "a+b",
        "r",
        "2026-06-01T12:01:00.000Z",
      ]);
    }
  });

  it.each<[provider: Provider, uid: string, email: string]>([
    ["google", "auth0|ada/1", "new@acme.test"],
    ["google", "ada@corp.test", "new@acme.test"],
    ["github", "MDQ6VXNlcjE=/+", "octocat@github.test"],
    ["twitter", "1@evil.test", "1%40evil.test@twitter.invalid"],
    ["twitter", "1/2%40", "1/2%2540@twitter.invalid"],
  ])("of %s with the uid %s", async (provider, uid, email) => {
    const id = provider === "google" ? { sub: uid, email } : { id: uid };
    const fake = await setupProvider(provider, profileOf(provider, id));
    const [user, identity] = await resultOf(fake, provider, uid);
    expect([user.email, identity.uid]).toEqual([email, uid]);
  });
});

describe("An unusable value in a provider's answer", () => {
  const SECRET = "s3cret-VALUE-9999";
  it.each<[provider: Provider, at: string, answer: Answer, logged: string]>([
    [
      "google",
      "/token",
      json({ error: "invalid_client", error_description: SECRET }, 401),
      "Google rejected the client credentials (invalid_client). Check client_id and client_secret.",
    ],
    [
      "github",
      "/token",
      json({ error: "incorrect_client_credentials", error_description: SECRET }),
      "GitHub rejected the client credentials (incorrect_client_credentials). Check client_id and client_secret.",
    ],
    [
      "google",
      "/token",
      json({ error: "invalid_grant" }, 400),
      "Google's token endpoint answered 400, error invalid_grant. The code is wrong, used or expired: start a new sign-in.",
    ],
    [
      "github",
      "/token",
      json({ error: "bad_verification_code" }),
      "GitHub's token endpoint answered 200, error bad_verification_code. The code is wrong, used or expired: start a new sign-in.",
    ],
    [
      "github",
      "/token",
      raw(`error=bad_verification_code&error_uri=${SECRET}`, 200, FORM_TYPE),
      "GitHub's token endpoint answered 200, error bad_verification_code. The code is wrong, used or expired: start a new sign-in.",
    ],
    [
      "google",
      "/token",
      json({ error: SECRET }, 400),
      "Google's token endpoint answered 400. Check the settings of the application at Google.",
    ],
    [
      "google",
      "/token",
      json({ access_token: [SECRET] }),
      "Google's token endpoint answered 200, but access_token is missing or has the wrong form. Check the endpoint's address.",
    ],
    [
      "google",
      "/userinfo",
      json({ sub: "1001 ", email: 7 }),
      "Google's userinfo endpoint answered 200, but sub, email are missing or have the wrong form. Check the endpoint's address.",
    ],
    [
      "google",
      "/userinfo",
      json({ error: { code: 401, message: SECRET, status: "UNAUTHENTICATED" } }, 401),
      "Google's userinfo endpoint answered 401, error UNAUTHENTICATED. Check that the application may read the profile and the e-mail address at Google.",
    ],
    [
      "google",
      "/userinfo",
      raw(`<h1>${SECRET}</h1>`),
      "Google's userinfo endpoint answered 200, but not with JSON of the expected form. Check the endpoint's address.",
    ],
    [
      "google",
      "/userinfo",
      json({ ...GOOGLE_USER, email: `${SECRET} @x` }),
      "Google sent an e-mail address that can't be used. The user must set another one there.",
    ],
    [
      "github",
      "/user/emails",
      json({ message: SECRET }, 404),
      "GitHub's emails endpoint answered 404. Check that the application may read the profile and the e-mail address at GitHub.",
    ],
    [
      "twitter",
      "/2/users/me",
      json({ data: { name: SECRET } }),
      "Twitter's me endpoint answered 200, but data.id is missing or has the wrong form. Check the endpoint's address.",
    ],
    [
      "twitter",
      "/2/users/me",
      json({ errors: [{ title: SECRET }] }, 403),
      "Twitter's me endpoint answered 403. Check that the application may read the profile and the e-mail address at Twitter.",
    ],
    [
      "google",
      "/userinfo",
      json({ message: SECRET }, 503),
      "Google's userinfo endpoint answered 503. The fault is at Google: try again later.",
    ],
  ])("is named in the log without its value: %s %s", async (provider, at, answer, logged) => {
    const { service, signIn } = await setupProvider(provider, { [at]: answer });
    const error = (await signIn()).searchParams.get("error")!;
    expect(service.log.failures).toEqual([`${provider}: ${error}: ${logged}`]);
    expect(JSON.stringify(service.log)).not.toContain(SECRET);
  });

  it("in a redirect is named by the provider's code, if it is a known one", async () => {
    const { fetch, log } = await setup();
    const states: string[] = [];
    for (const error of ["invalid_scope", `x-${SECRET}`]) {
      const started = await fetch(`/oauth/authorize?provider=google&redirect_uri=${encodeURIComponent(APP)}`);
      const toPicker = locationOf(started);
      const picker = requestOn(await (await fetch(toPicker.href)).text(), toPicker);
      const cancelled = await fetch(`${picker.href}&cancel=1`);
      const callback = new URL(cancelled.headers.get("location")!);
      states.push(callback.searchParams.get("state")!);
      callback.searchParams.set("error", error);
      await fetch(callback.href);
    }
    expect(log.failures).toEqual([
      "google: server_error: Google reported invalid_scope instead of a code. Check the settings of the application at Google.",
      "google: server_error: Google reported an error instead of a code. Check the settings of the application at Google.",
    ]);
  });
});

describe("A user's picture and name", () => {
  it("do not change when another account is linked", async () => {
    const user = { email: "octocat@github.test", name: "Her own name", avatar_url: "https://own.test/a.png" };
    const fake = await setupProvider("github");
    const service = await setup({
      seed: {
        ...SEED,
        instances: [{ ...SEED.instances[0], users: [{ ...user, email_verified_at: "2026-01-05T09:00:00Z" }] }],
        personas: [
          {
            id: "x",
            name: null,
            email: user.email,
            github: { id: 9, login: "x", emails: [{ email: user.email, primary: true, verified: true }] },
          },
        ],
      },
    });
    await service.signIn("github", "x");
    const [found] = await service.client(service.acme).users.list();
    expect(found!.data).toMatchObject({ ...user, providers: ["github"] });
    expect(fake.requests).toEqual([]);
  });

  it("are those of a linked account: no picture too, while a user keeps its name", async () => {
    const fake = await setupProvider("github");
    const [before] = await resultOf(fake, "github", "583231");
    expect(before.avatar_url).not.toBeNull();
    for (const sent of [
      { name: null, avatar_url: null },
      { name: "  ", avatar_url: "javascript:alert(1)" },
    ]) {
      fake.answers["/user"] = json({ ...GITHUB_USER, ...sent });
      const [after] = await resultOf(fake, "github", "583231");
      expect([after.name, after.avatar_url]).toEqual([before.name, null]);
    }
    fake.answers["/user"] = json({ ...GITHUB_USER, name: "New", avatar_url: "http://new.test/a.png" });
    const [renamed] = await resultOf(fake, "github", "583231");
    expect([renamed.name, renamed.avatar_url]).toEqual(["New", "http://new.test/a.png"]);
  });
});

describe("The configured addresses of a provider", () => {
  const endpoints = { token: "http://127.0.0.1:9/token" };

  it("are combined with credentials from the environment", async () => {
    const directory = temporaryDirectory();
    const providers = { google: { endpoints }, github: { client_id: "file", client_secret: "file", endpoints } };
    await writeFile(join(directory, "svc.config.json"), JSON.stringify({ providers }));
    const env = {
      SVC_GOOGLE_CLIENT_ID: "env",
      SVC_GOOGLE_CLIENT_SECRET: "env-secret",
      SVC_GITHUB_CLIENT_ID: "env",
      SVC_GITHUB_CLIENT_SECRET: "env-secret",
    };
    const { credentials } = await serveOptions(createContext({ env, cwd: directory }), { config: "svc.config.json" });
    const joined = { client_id: "env", client_secret: "env-secret", endpoints };
    expect(credentials).toEqual({ google: joined, github: joined });
  });

  it("without credentials leave the provider simulated", async () => {
    const credentials = { google: { endpoints: { authorize: "https://idp.test/auth" } } };
    const service = await setup({ credentials });
    expect((await service.signIn("google", "ada")).searchParams.has("token")).toBe(true);
  });

  it("are those of an instance's own connection, or else those of the configuration", async () => {
    const own = { client_id: "own", client_secret: "own", endpoints: { authorize: "https://own.test/auth" } };
    const credentials = {
      google: {
        client_id: "all",
        client_secret: "all",
        endpoints: { authorize: "https://all.test/auth", ...endpoints },
      },
    };
    const [acme, globex] = SEED.instances;
    const seed = { ...SEED, instances: [{ ...acme, connections: { google: own } }, globex] };
    const service = await setup({ seed, credentials });
    const start = async (instance: string): Promise<string> => {
      const query = new URLSearchParams({ instance, provider: "google", redirect_uri: APP });
      const location = new URL(
        (await service.fetch(`${FRONT}/oauth/authorize?${query.toString()}`)).headers.get("location")!,
      );
      return `${location.origin} ${location.searchParams.get("client_id")}`;
    };
    expect([await start("acme"), await start("globex")]).toEqual(["https://own.test own", "https://all.test all"]);
  });

  it("keep the query of the address that they replace", async () => {
    const fake = await setupProvider("twitter");
    await fake.signIn();
    expect(fake.requests.at(-1)!.path).toBe("/2/users/me?user.fields=profile_image_url");
  });

  it("may use plain http to another host only with insecure set", async () => {
    const google = { client_id: "i", client_secret: "s", endpoints: { token: "http://idp:8080/token" } };
    const read = async (provider: object): Promise<unknown> =>
      (await parseConfig(JSON.stringify({ providers: { google: provider } }), "svc.config.json")).credentials;
    await expect(read(google)).rejects.toThrow(
      "providers.google.endpoints.token: must be an https address, or one on loopback",
    );
    await expect(read({ ...google, insecure: false })).rejects.toThrow("must be an https address");
    expect(await read({ ...google, insecure: true })).toEqual({ google });
    const ftp = { ...google, insecure: true, endpoints: { token: "ftp://idp/token" } };
    await expect(read(ftp)).rejects.toThrow("must be an https");
  });
});
