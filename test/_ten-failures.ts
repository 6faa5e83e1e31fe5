import type { RunningServer } from "../src/server/index.ts";
import { controlOf } from "./_dashboard.ts";

/** A sign-in that was made to fail. */
export interface Failed {
  readonly id: string;
  /** What its reason begins with; undefined if the failure was not asked for. */
  readonly asker: string | undefined;
  /** The rest of its reason, up to what differs from run to run. */
  readonly why: string;
}

const CALLBACK = "http://localhost:3000/callback";
const SHOP = { provider: "google", client_id: "shop", client_secret: "shop-secret-0001", redirect_uris: [CALLBACK] };

/** Ten sign-ins with the demo's accounts that fail in ten ways. Five of them were asked for, each by somebody else. */
export async function failTenTimes(svc: RunningServer): Promise<readonly Failed[]> {
  const control = async (route: string, body?: unknown) => (await controlOf(svc, route, body)).body;
  const simulator = `${svc.url}/__svc/simulator`;
  const latest = async (): Promise<string> => (await control("GET /flows?limit=1"))[0].id;
  const get = (url: string, headers: Record<string, string> = {}): Promise<Response> =>
    fetch(url, { redirect: "manual", headers });
  const start = (provider: string, more: Record<string, string> = {}): string =>
    `${svc.url}/oauth/authorize?${new URLSearchParams({ provider, redirect_uri: CALLBACK, ...more }).toString()}`;
  /** Follows redirects as far as an address that has this text. */
  const follow = async (url: string, last: string, headers?: Record<string, string>): Promise<string> => {
    let place = url;
    while (!place.includes(last)) place = new URL((await get(place, headers)).headers.get("location")!, place).href;
    return place;
  };
  const headless = async (body: object): Promise<string> =>
    (await control("POST /sign-ins", { as: "ada", ...body })).flow_id as string;
  const sealed = async (url: string): Promise<string> =>
    /name="request" value="([^"]+)"/.exec(await (await get(url)).text())![1]!;
  /** Chooses an outcome on the picker, and then Ada. */
  const choose = async (picker: string, outcome: string, last: string): Promise<string> => {
    const base = picker.split("?", 1)[0]!;
    const chosen = await sealed(`${base}?request=${await sealed(picker)}&outcome=${outcome}`);
    return follow(`${base}?request=${chosen}&login_hint=ada`, last);
  };
  const failed: Failed[] = [];
  const add = (asker: string | undefined, why: string, id: string): void => void failed.push({ id, asker, why });

  await control("POST /instances/acme/clients", SHOP);
  const application = `${simulator}/google/authorize?${new URLSearchParams({
    response_type: "code",
    client_id: SHOP.client_id,
    redirect_uri: CALLBACK,
    scope: "openid email",
    state: "s",
  }).toString()}`;
  const exchange = (callback: string, client_secret: string): Promise<Response> => {
    const { client_id } = SHOP;
    const code = new URL(callback).searchParams.get("code")!;
    const body = { grant_type: "authorization_code", code, redirect_uri: CALLBACK, client_id, client_secret };
    return fetch(`${simulator}/google/token`, { method: "POST", body: new URLSearchParams(body) });
  };

  await choose(await follow(start("github"), "/simulator/"), "token_error", "error=");
  add("As chosen in the picker", "GitHub's token endpoint answered 500, error server_error.", await latest());
  add(
    "As the outcome rate_limited asked",
    "Twitter's token endpoint answered 429",
    await headless({ provider: "twitter", outcome: "rate_limited" }),
  );
  await control("POST /scenarios", { outcome: "provider_unreachable", as: "ada" });
  await follow(start("google"), "error=");
  add("As the scenario provider_unreachable asked", "Google's token endpoint could not be reached.", await latest());
  const worked = await headless({ provider: "github" });
  const { flow_id } = await control(`POST /flows/${worked}/replay`, { outcome: "profile_error" });
  add("As the replay asked", "GitHub's user endpoint answered 500.", flow_id as string);
  await exchange(await choose(application, "code_rejected", "code="), SHOP.client_secret);
  add("As chosen in the picker", "Google's token endpoint answered 400: it refused the code.", await latest());

  await get(start("github", { instance: "globex", redirect_uri: "https://elsewhere.test/cb" }));
  add(undefined, "The redirect_uri was refused: it is not one of the redirect_uris of Globex", await latest());
  const picker = await follow(start("github"), "/simulator/");
  await get(`${picker.split("?", 1)[0]}?request=${await sealed(picker)}&login_hint=stranger`);
  add(undefined, 'The simulated GitHub has no account "stranger".', await latest());
  add(undefined, "GitHub has no verified primary e-mail address", await headless({ provider: "github", as: "alan" }));
  const browser = { "user-agent": "Mozilla/5.0", accept: "text/html" };
  await get(await follow(start("google", { login_hint: "ada" }), "/callback?", browser));
  add(undefined, "The browser did not send the sign-in's cookie.", await latest());
  await exchange(await follow(`${application}&login_hint=ada`, "code="), "another-secret");
  add(undefined, "Google's token endpoint answered 401: the client_id or the client_secret is wrong.", await latest());
  return failed;
}
