import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { PROVIDERS } from "../../src/wire/providers.ts";
import { locationOf } from "../_answers.ts";
import { BROWSER, CookieJar } from "../_cookie-jar.ts";
import { APP, decodePart, SEED, setup, START, type Service } from "../_setup.ts";
import { authorizePath, expectRefusedState, recordOf, untilCallback } from "../_sign-in.ts";
import { ask, listening, type Told } from "../_sockets.ts";

function cookieOf(response: Response): string {
  return response.headers.getSetCookie()[0]!.split(";")[0]!;
}

describe("A sign-in in a browser", () => {
  /** Starts in a browser. @returns the callback's address and the cookie that it needs */
  async function halfway(service: Service): Promise<{ toCallback: string; cookie: string }> {
    const response = await service.fetch(authorizePath("google"), { headers: BROWSER });
    const toCallback = locationOf(await service.fetch(locationOf(response).href, { headers: BROWSER }));
    return { toCallback: toCallback.href, cookie: cookieOf(response) };
  }

  it("sets a cookie with the time at which it began, and removes it at the callback", async () => {
    const { fetch } = await setup();
    const response = await fetch(authorizePath("google"), { headers: BROWSER });
    const state = locationOf(response).searchParams.get("state")!;
    const name = `svc_oauth_${createHash("sha256").update(state).digest("hex").slice(0, 8)}`;
    const scope = "Path=/; HttpOnly; SameSite=Lax";
    const time = START.getTime() / 1000;
    expect(response.headers.getSetCookie()).toEqual([
      expect.stringMatching(new RegExp(`^${name}=[\\w-]{43}\\.${time}; Max-Age=600; ${scope}$`)),
    ]);
    const toCallback = locationOf(await fetch(locationOf(response).href, { headers: BROWSER }));
    const end = await fetch(toCallback.href, { headers: { ...BROWSER, cookie: cookieOf(response) } });
    expect(locationOf(end).searchParams.has("token")).toBe(true);
    expect(end.headers.getSetCookie()).toEqual([`${name}=; Max-Age=0; ${scope}`]);
  });

  it("stores only a hash of the cookie", async () => {
    const service = await setup();
    const response = await service.fetch(authorizePath("google"), { headers: BROWSER });
    const { binding } = await recordOf(service, locationOf(response).searchParams.get("state")!);
    const [secret] = cookieOf(response).split("=")[1]!.split(".");
    expect(binding).toBe(createHash("sha256").update(secret!).digest("hex"));
  });

  it("binds the cookie to the host over https", async () => {
    const options = { publicUrl: "https://auth.example.test", providers: "simulated" } as const;
    const seed = { ...SEED, instances: [{ ...SEED.instances[0], redirect_uris: [APP] }] } as never;
    const { port } = await listening({ ...options, seed });
    const get = (path: string, ...headers: string[]) =>
      ask(port, { path, host: "auth.example.test", headers: [...Object.entries(BROWSER).flat(), ...headers] });
    const pathOf = ({ headers }: Told): string => headers.location!.replace(options.publicUrl, "");
    const begun = await get(authorizePath("google"));
    const state = new URL(begun.headers.location!).searchParams.get("state")!;
    const name = `__Host-svc_oauth_${createHash("sha256").update(state).digest("hex").slice(0, 8)}`;
    const end = "Path=/; HttpOnly; Secure; SameSite=Lax";
    const [cookie = ""] = begun.headers["set-cookie"]!;
    expect(cookie).toMatch(new RegExp(`^${name}=[\\w-]{43}\\.\\d+; Max-Age=600; ${end}$`));
    const ended = await get(pathOf(await get(pathOf(begun))), "cookie", cookie.split(";")[0]!);
    expect(ended.headers.location).toMatch(`${APP}?token=`);
    expect(ended.headers["set-cookie"]).toEqual([`${name}=; Max-Age=0; ${end}`]);
  });

  it.each([
    ["without the cookie", () => ""],
    ["with an empty cookie", (own: string) => own.replace(/=.*/, "=")],
    ["with another flow's cookie", (_own: string, other: string) => other],
    [
      "with another flow's secret under its own name",
      (own: string, other: string) => `${own.split("=")[0]}=${other.split("=")[1]}`,
    ],
    ["with its secret under another name", (own: string) => `x${own}`],
    ["with its secret cut short", (own: string) => own.replace(/.\./, ".")],
    ["without its time", (own: string) => own.replace(/\..*/, "")],
    ["with a second cookie of its name behind it", (own: string) => `${own}; ${own.split("=")[0]}=planted`],
    ["with a second cookie of its name before it", (own: string) => `${own.split("=")[0]}=planted; ${own}`],
  ])("T03: cannot be finished %s, and the state is used up", async (_what, change) => {
    const service = await setup();
    const [own, other] = [await halfway(service), await halfway(service)];
    const cookie = change(own.cookie, other.cookie);
    const headers = { ...BROWSER, ...(cookie && { cookie }) };
    await expectRefusedState(await service.fetch(own.toCallback, { headers }));
    await expectRefusedState(await service.fetch(own.toCallback, { headers: { ...BROWSER, cookie: own.cookie } }));
    const honest = await service.fetch(other.toCallback, { headers: { ...BROWSER, cookie: other.cookie } });
    expect(locationOf(honest).searchParams.has("token")).toBe(true);
  });

  it("cannot be finished without the cookie by a program", async () => {
    const service = await setup();
    await expectRefusedState(await service.fetch((await halfway(service)).toCallback));
  });

  it.each([
    ["User-Agent", { "user-agent": BROWSER["user-agent"] }],
    ["Sec-Fetch-Site", { "sec-fetch-site": "none", "sec-fetch-mode": "navigate" }],
  ])("T03: that a program started cannot be finished there, as recognized by %s", async (_what, headers) => {
    const service = await setup();
    const [one, two] = [await untilCallback(service, "google"), await untilCallback(service, "google")];
    await expectRefusedState(await service.fetch(one.href, { headers }));
    const stolen = (await halfway(service)).cookie;
    await expectRefusedState(await service.fetch(two.href, { headers: { ...headers, cookie: stolen } }));
  });

  it("is not what a program starts that sends the headers of Node's fetch", async () => {
    const { fetch } = await setup();
    const response = await fetch(authorizePath("google"), {
      headers: { "user-agent": "node", "sec-fetch-mode": "cors" },
    });
    expect(locationOf(response).searchParams.has("state")).toBe(true);
    expect(response.headers.getSetCookie()).toEqual([]);
  });

  it.each(PROVIDERS)("ends with a token through %s and leaves no cookie behind", async (provider) => {
    const browser = new CookieJar(await setup());
    const url = await browser.follow(authorizePath(provider), "/callback");
    expect([...url.searchParams.keys()]).toEqual(["token"]);
    expect(browser.cookies).toEqual([]);
  });

  it("does not interfere with another one in the same browser", async () => {
    const browser = new CookieJar(await setup());
    const one = await browser.follow(authorizePath("google", "ada"), "/oauth/google/callback");
    const two = await browser.follow(authorizePath("google", "mary"), "/oauth/google/callback");
    expect(browser.cookies).toHaveLength(2);
    const emails = [];
    for (const toCallback of [two, one]) {
      const url = locationOf(await browser.get(toCallback.href));
      emails.push(decodePart(url.searchParams.get("token")!, 1)["email"]);
    }
    expect(emails).toEqual(["mary@geneva.test", "ada@acme.test"]);
  });

  it("leaves no more than five open: a sixth takes the place of the oldest", async () => {
    const service = await setup();
    const browser = new CookieJar(service);
    const callbacks: URL[] = [];
    for (let n = 0; n < 6; n++) {
      callbacks.push(await browser.follow(authorizePath("google"), "/oauth/google/callback"));
      service.clock.advance(1);
    }
    expect(browser.cookies).toHaveLength(5);
    await expectRefusedState(await browser.get(callbacks[0]!.href));
    expect(locationOf(await browser.get(callbacks[1]!.href)).searchParams.has("token")).toBe(true);
  });

  describe.each([
    ["/sign-in?", "github"],
    ["/oauth/authorize?provider=twitter&", "twitter"],
  ])("that starts at an instance's own host, %s,", (path, provider) => {
    const query = new URLSearchParams({ redirect_uri: APP, login_hint: "ada" }).toString();
    const start = `http://globex.localhost:7820${path}${query}`;

    it("ends with a token of that instance and provider", async () => {
      const service = await setup();
      const jar = new CookieJar(service);
      const url = await jar.follow(start, "/callback");
      const claims = decodePart(url.searchParams.get("token")!, 1);
      expect([claims["instance_id"], claims["provider"]]).toEqual([service.globex.id, provider]);
      expect(jar.cookies).toEqual([]);
    });
  });

  it.each(["nobody", "", "api"])("does not start for the unknown instance %j", async (instance) => {
    const { fetch } = await setup();
    const query = new URLSearchParams({ instance, provider: "google", redirect_uri: APP });
    const response = await fetch(`/__svc/begin?${query.toString()}`, { headers: BROWSER });
    expect([response.status, await response.json()]).toEqual([404, { error: "Instance not found" }]);
  });

  it.each(["127.0.0.1:7820", "[::1]:7820", "auth.internal:7820"])(
    "ends with a token when it starts at another name of the server, %s",
    async (host) => {
      const browser = new CookieJar(await setup({ allowedHosts: ["auth.internal"] }));
      const url = await browser.follow(`http://${host}${authorizePath("google")}`, "/callback");
      expect([...url.searchParams.keys()]).toEqual(["token"]);
    },
  );
});
