import { describe, expect, it } from "vitest";
import { createClient, type Client } from "../../src/client/index.ts";
import { expressAuth, h3Auth, withAuth } from "../../src/client/middleware.ts";
import { authenticateRequest, checkToken, verifyToken } from "../../src/client/verify.ts";
import { answering } from "../_answering.ts";
import { clientWith, KEY } from "../_client.ts";

const APP = "https://app.example.com/callback";
const config = (message: string): object => ({ name: "ConfigError", code: "config", message });

describe("An unknown option", () => {
  const wrong = (name: string): never => ({ secretKey: KEY, [name]: "other" }) as never;
  const request = new Request(APP);

  it.each<[of: string, give: () => unknown, unknown: string]>([
    ["createClient", () => createClient(wrong("baseURL")), "baseURL. Did you mean baseUrl?"],
    ["verifyToken", () => verifyToken("x", wrong("instanceID")), "instanceID. Did you mean instanceId?"],
    ["checkToken", () => checkToken("x", wrong("instanceID")), "instanceID. Did you mean instanceId?"],
    ["checkToken", () => checkToken("x", wrong("appID")), "appID. Did you mean appId?"],
    [
      "checkToken",
      () => checkToken("x", wrong("audience")),
      "audience. The options are appId, instanceId, now, secretKey.",
    ],
    ["authenticateRequest", () => authenticateRequest(request, wrong("cokie")), "cokie. Did you mean cookie?"],
    ["withAuth", () => withAuth(() => new Response(), wrong("cokie")), "cokie. Did you mean cookie?"],
    ["expressAuth", () => expressAuth(wrong("cokie")), "cokie. Did you mean cookie?"],
    ["h3Auth", () => h3Auth(wrong("instance_id")), "instance_id. Did you mean instanceId?"],
  ])("of %s is refused, and the one that was probably meant is named", async (of, give, unknown) => {
    await expect((async () => give())()).rejects.toMatchObject(config(`Unknown option of ${of}: ${unknown}`));
  });

  it.each<[of: string, call: (client: Client) => PromiseLike<unknown>, unknown: string]>([
    ["users.list", ({ users }) => users.list({ limt: 1 } as never), "limt. Did you mean limit?"],
    ["users.search", ({ users }) => users.search("name:a*", { limt: 1 } as never), "limt. Did you mean limit?"],
    [
      "users.list",
      ({ users }) => users.list({}, { retries: 1 } as never),
      "retries. The options are retry, signal, timeoutMs.",
    ],
    ["sessions.list", ({ sessions }) => sessions.list({ afer: "x" } as never), "afer. Did you mean after?"],
    ["tokens.verify", ({ tokens }) => tokens.check("x", { timeout: 5 } as never), "timeout. Did you mean timeoutMs?"],
    [
      "instances.resolve",
      ({ instances }) => instances.resolve("pk_x", { atuh: "secret" } as never),
      "atuh. Did you mean auth?",
    ],
  ])("of %s is refused before anything is sent", async (of, call, unknown) => {
    const fetch = answering(200, "[]");
    const calling = (async () => call(clientWith(fetch)))();
    await expect(calling).rejects.toMatchObject(config(`Unknown option of ${of}: ${unknown}`));
    expect(fetch.calls).toEqual([]);
  });

  it("refuses to iterate a list as well", async () => {
    const fetch = answering(200, "[]");
    const list = clientWith(fetch).users.list({ limt: 1 } as never);
    const users = list[Symbol.asyncIterator]();
    await expect(users.next()).rejects.toMatchObject({ code: "config" });
    expect(fetch.calls).toEqual([]);
  });
});

describe("signInUrl", () => {
  const address = "redirectUri must be an absolute address, such as https://app.example.com/callback";

  const scheme =
    "it is not an absolute address: http, https, or a private-use scheme such as com.example.app:/callback";

  it.each<[parameters: object, message: string]>([
    [{}, address],
    [{ redirectUri: undefined }, address],
    [{ redirectUri: "nope" }, address],
    [{ redirectUri: "/callback" }, address],
    [{ redirectUri: 1 }, address],
    ...["javascript:alert(1)", "data:text/html,x", "ftp://localhost/x", "file:///etc/passwd"].map(
      (redirectUri): [object, string] => [{ redirectUri }, `redirectUri can't be used: ${scheme}`],
    ),
    [{ redirectUri: "http://localhost:3000/cb#x" }, "redirectUri can't be used: it has a fragment"],
    [{ redirectUri: "http://user:pw@localhost:3000/cb" }, "redirectUri can't be used: it has a user name or password"],
    [{ redirectUri: APP, provider: "gitub" }, 'Unknown provider "gitub". Did you mean github?'],
    [{ redirectUri: APP, provider: "" }, 'Unknown provider "". The providers are github, google, twitter.'],
    [{ redirectUri: APP, loginHint: 1 }, "loginHint must be a string"],
    [{ redirect_uri: APP }, "Unknown option of signInUrl: redirect_uri. Did you mean redirectUri?"],
  ])("rejects %j", async (parameters, message) => {
    await expect(clientWith(answering(200, "")).signInUrl(parameters as never)).rejects.toMatchObject(config(message));
  });

  it.each([APP, "http://localhost:3000/callback", "com.example.app:/callback"])("accepts %s", async (redirectUri) => {
    const url = await clientWith(answering(200, "")).signInUrl({ redirectUri, provider: undefined });
    expect(new URL(url).searchParams.get("redirect_uri")).toBe(redirectUri);
  });
});
