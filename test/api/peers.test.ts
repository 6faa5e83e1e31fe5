import type { IncomingMessage } from "node:http";
import type { LookupFunction } from "node:net";
import {
  OAuth2Server,
  type MutableRedirectUri,
  type MutableResponse,
  type TokenRequestIncomingMessage,
} from "oauth2-mock-server";
import * as oauth from "oauth4webapi";
import { Agent, fetch as undiciFetch } from "undici";
import { describe, expect, it, onTestFinished } from "vitest";
import type { RunningServer } from "../../src/server/index.ts";
import { SIGN_IN_ERRORS } from "../../src/wire/errors.ts";
import { seedFile } from "../_seed-file.ts";
import { APP, decodePart, SEED } from "../_setup.ts";
import { listening } from "../_sockets.ts";

/** The service on a real port, with changes to the seed's first instance. */
function start(changed: object = {}): Promise<RunningServer> {
  const [acme, globex] = SEED.instances;
  return listening({ seed: seedFile({ ...SEED, instances: [{ ...acme, ...changed }, globex] }) });
}

function get(url: string | URL, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(url, { redirect: "manual", headers: { "user-agent": "a test", connection: "close", ...headers } });
}

/** Follows redirects, over the sockets, until they lead to the application. */
async function follow(url: string | URL): Promise<URL> {
  const response = await get(url);
  expect(response.status).toBe(302);
  const next = new URL(response.headers.get("location")!);
  return next.origin + next.pathname === APP ? next : follow(next);
}

function signInUrl({ url }: RunningServer, provider: string): string {
  return `${url}/oauth/authorize?${new URLSearchParams({ provider, redirect_uri: APP }).toString()}`;
}

function verify(server: RunningServer, token: string): Promise<Response> {
  return fetch(`${server.url}/api/v1/tokens/verify`, {
    method: "POST",
    headers: { "x-service-secret-key": server.instances[0]!.secret_key, "content-type": "application/json" },
    body: JSON.stringify({ token }),
  });
}

describe("oauth2-mock-server", () => {
  const CLIENT = { client_id: "acme-id", client_secret: "acme-secret" };
  const PERSON = { sub: "johndoe", email: "john@peer.test", email_verified: true, name: "John Doe" };

  interface Peer {
    readonly server: RunningServer;
    readonly mock: OAuth2Server;
    /** The parameters that the peer was given: of the authorization request, and of the code exchange. */
    readonly asked: { authorize?: object; token?: object; authorization?: string | undefined };
  }

  async function startPeer(provider: "google" | "twitter", profile: object = PERSON): Promise<Peer> {
    const mock = new OAuth2Server();
    await mock.issuer.keys.generate("ES256");
    await mock.start(0, "127.0.0.1");
    onTestFinished(() => mock.stop());
    const origin = `http://127.0.0.1:${mock.address().port}`;
    const endpoints = {
      authorize: `${origin}/authorize`,
      token: `${origin}/token`,
      [provider === "google" ? "userinfo" : "me"]: `${origin}/userinfo`,
    };
    const asked: Peer["asked"] = {};
    mock.service.on("beforeAuthorizeRedirect", (_redirect: MutableRedirectUri, request: IncomingMessage) => {
      asked.authorize = Object.fromEntries(new URL(request.url!, origin).searchParams);
    });
    mock.service.on("beforeResponse", (_response: MutableResponse, request: TokenRequestIncomingMessage) => {
      asked.token = request.body;
      asked.authorization = request.headers.authorization;
    });
    mock.service.on("beforeUserinfo", (response: MutableResponse) => {
      response.body = { ...profile };
    });
    return { server: await start({ connections: { [provider]: { ...CLIENT, endpoints } } }), mock, asked };
  }

  it("can act as google: a sign-in through it ends with a valid token", async () => {
    const { server, asked } = await startPeer("google");
    const token = (await follow(signInUrl(server, "google"))).searchParams.get("token")!;
    const verified = await verify(server, token);
    expect([verified.status, await verified.json()]).toEqual([
      200,
      {
        id: decodePart(token, 1)["sub"],
        resource: "token",
        data: { valid: true, email: "john@peer.test", name: "John Doe", avatar_url: "", provider: "google" },
      },
    ]);
    const redirect_uri = `${server.callback_url}/oauth/google/callback`;
    expect(asked.authorize).toEqual({
      response_type: "code",
      client_id: "acme-id",
      redirect_uri,
      scope: "openid email profile",
      state: expect.stringMatching(/^[0-9a-f]{64}$/) as string,
    });
    expect(asked.token).toEqual({
      grant_type: "authorization_code",
      code: expect.stringMatching(/^[0-9a-f-]{36}$/) as string,
      redirect_uri,
      ...CLIENT,
    });
  });

  it("can act as twitter and accepts the PKCE verifier for its challenge", async () => {
    const profile = { data: { id: "42", username: "johndoe", name: "John Doe" } };
    const { server, asked } = await startPeer("twitter", profile);
    const token = (await follow(signInUrl(server, "twitter"))).searchParams.get("token")!;
    expect(decodePart(token, 1)).toMatchObject({ email: "42@twitter.invalid", name: "John Doe", provider: "twitter" });
    expect(asked.authorize).toMatchObject({ code_challenge_method: "S256" });
    expect(Object.keys(asked.token!).toSorted()).toEqual([
      "client_id",
      "code",
      "code_verifier",
      "grant_type",
      "redirect_uri",
    ]);
    expect(asked.authorization).toBe(`Basic ${Buffer.from("acme-id:acme-secret").toString("base64")}`);
  });

  it("redirects with an error instead of a code: the application gets that error", async () => {
    const { server, mock } = await startPeer("google");
    mock.service.on("beforeAuthorizeRedirect", ({ url }: MutableRedirectUri) => {
      url.searchParams.delete("code");
      url.searchParams.set("error", "access_denied");
      url.searchParams.set("error_description", "outside text");
    });
    const url = await follow(signInUrl(server, "google"));
    expect(Object.fromEntries(url.searchParams)).toEqual({
      error: "access_denied",
      error_description: SIGN_IN_ERRORS.access_denied,
    });
  });
});

/** Not every system can resolve `globex.localhost`. */
const loopback: LookupFunction = (_name, _options, found) => found(null, [{ address: "127.0.0.1", family: 4 }]);

interface Discovered {
  readonly server: RunningServer;
  readonly as: oauth.AuthorizationServer;
  readonly client: oauth.Client;
}

/** The discovery document as an independent client reads it. */
async function discover(): Promise<Discovered> {
  const server = await start();
  const issuer = new URL(server.url);
  const response = await oauth.discoveryRequest(issuer, { [oauth.allowInsecureRequests]: true });
  const as = await oauth.processDiscoveryResponse(issuer, response);
  return { server, as, client: { client_id: server.instances[0]!.publishable_key } };
}

describe("oauth4webapi", () => {
  const STATE = "the-application's own";

  /** Where an authorization request built from the discovery document ends. */
  async function authorize({ as }: Discovered, hint: string): Promise<URL> {
    const url = new URL(as.authorization_endpoint!);
    url.searchParams.set("provider", "google");
    url.searchParams.set("redirect_uri", `${APP}?${new URLSearchParams({ state: STATE }).toString()}`);
    url.searchParams.set("login_hint", hint);
    return follow(url);
  }

  it("reads the discovery document and finds the expected issuer", async () => {
    const { server, as } = await discover();
    expect(as).toEqual({
      issuer: server.url,
      authorization_endpoint: `${server.url}/oauth/authorize`,
      token_endpoint: `${server.url}/api/v1/tokens/verify`,
      userinfo_endpoint: `${server.url}/api/v1/users`,
      response_types_supported: ["code"],
      subject_types_supported: ["public"],
      id_token_signing_alg_values_supported: ["HS256"],
    });
  });

  it("finds the expected issuer at an instance's own host", async () => {
    const server = await start();
    const issuer = new URL(server.instances[1]!.url);
    expect(issuer.hostname).toBe("globex.localhost");
    const dispatcher = new Agent({ connect: { lookup: loopback } });
    onTestFinished(() => dispatcher.close());
    const response = await oauth.discoveryRequest(issuer, {
      [oauth.allowInsecureRequests]: true,
      [oauth.customFetch]: async (url, { headers }) =>
        (await undiciFetch(url, { headers, dispatcher })) as unknown as Response,
    });
    expect(await oauth.processDiscoveryResponse(issuer, response)).toMatchObject({ issuer: issuer.origin });
  });

  it("rejects the document for another issuer", async () => {
    const server = await start();
    const response = await oauth.discoveryRequest(new URL(server.url), { [oauth.allowInsecureRequests]: true });
    await expect(oauth.processDiscoveryResponse(new URL(server.instances[0]!.url), response)).rejects.toMatchObject({
      code: oauth.JSON_ATTRIBUTE_COMPARISON,
    });
  });

  it("reads a failed sign-in as an OAuth error with the state it sent", async () => {
    const discovered = await discover();
    const url = await authorize(discovered, "alan");
    const parse = (state: string): unknown => oauth.validateAuthResponse(discovered.as, discovered.client, url, state);
    expect(() => parse(STATE)).toThrow(oauth.AuthorizationResponseError);
    expect(() => parse(STATE)).toThrow(
      expect.objectContaining({
        code: oauth.AUTHORIZATION_RESPONSE_ERROR,
        error: "email_not_verified",
        error_description: SIGN_IN_ERRORS.email_not_verified,
      }) as Error,
    );
    expect(() => parse("another state")).toThrow('unexpected "state" response parameter value');
  });

  it("accepts a successful sign-in except that it returns a token, as specified, instead of a code", async () => {
    const discovered = await discover();
    const url = await authorize(discovered, "ada");
    expect([...url.searchParams.keys()]).toEqual(["state", "token"]);
    const parse = (): unknown => oauth.validateAuthResponse(discovered.as, discovered.client, url, STATE);
    expect(parse).toThrow(oauth.UnsupportedOperationError);
    expect((await verify(discovered.server, url.searchParams.get("token")!)).status).toBe(200);
  });

  it("gets no token for a code and no list of users for a token", async () => {
    const discovered = await discover();
    const { as, client } = discovered;
    const insecure = { [oauth.allowInsecureRequests]: true };
    const parameters = { code: "c", redirect_uri: APP };
    const grant = "authorization_code";
    const exchanged = await oauth.genericTokenEndpointRequest(as, client, oauth.None(), grant, parameters, insecure);
    expect([exchanged.status, await exchanged.json()]).toEqual([401, { error: "Missing secret key" }]);
    const token = (await authorize(discovered, "ada")).searchParams.get("token")!;
    const listed = await oauth.userInfoRequest(as, client, token, insecure);
    expect([listed.status, await listed.json()]).toEqual([401, { error: "Unauthorized" }]);
  });
});
