import { describe, expect, it } from "vitest";
import type { RequestEntry } from "../../src/server/index.ts";
import type { Fetch } from "../../src/http/fetch.ts";
import { locationOf, requestOn } from "../_answers.ts";
import { begun, CREDENTIALS, reply } from "../_sign-in.ts";
import { APP, CONTROL_KEY, FRONT, setup, type Service } from "../_setup.ts";

type Line = Pick<RequestEntry, "route" | "instance">;

/** What was logged since it was asked before. */
function logged({ log }: Service): [route: string | null, instance: string | null][] {
  return log.requests.splice(0).map(({ route, instance }: Line) => [route, instance]);
}

function start(instance: string, more: Record<string, string> = {}): string {
  const query = new URLSearchParams({ instance, provider: "github", redirect_uri: APP, login_hint: "ada", ...more });
  return `${FRONT}/oauth/authorize?${query.toString()}`;
}

/** From address to address until the application is reached, or nothing leads on. */
async function follow(service: Service, address: string): Promise<URL> {
  for (let place = new URL(address); ;) {
    const response = await service.fetch(place.href);
    if (!response.headers.has("location")) return place;
    const next = locationOf(response);
    if (next.href.startsWith(APP)) return next;
    place = next;
  }
}

const SIGN_IN = ["/oauth/authorize", "/__svc/simulator/:provider/authorize", "/oauth/:provider/callback"];

it("The log of a service that has no history, as nothing could read it, is that of one that has", async () => {
  const answers = [{ access_token: "t" }, { sub: "1001", email: "ada@acme.test", email_verified: true }];
  const lines = async (control: boolean) => {
    const replies = [...answers, { error: "invalid_grant" }].values();
    const fetch: Fetch = async () => reply(replies.next().value);
    const service = await setup({ control, providers: "real", credentials: CREDENTIALS, fetch });
    for (const code of ["good", "bad"])
      await service.fetch(`/oauth/google/callback?code=${code}&state=${await begun(service, "google")}`);
    const { requests } = service.log;
    return requests.map((line) => ({ ...line, request_id: "", ms: 0, flow_id: line.flow_id?.length }));
  };
  const kept = await lines(true);
  expect(kept.map(({ instance, reason }) => [instance, reason?.slice(0, 12) ?? null])).toEqual([
    ["acme", null],
    ["acme", null],
    ["acme", null],
    ["acme", "server_error"],
  ]);
  expect(await lines(false)).toEqual(kept);
});

describe("The log of a sign-in at the front door", () => {
  it("names the instance that is signed in to at every step", async () => {
    const service = await setup();
    expect((await follow(service, start("globex"))).searchParams.has("token")).toBe(true);
    expect(logged(service)).toEqual(SIGN_IN.map((route) => [route, "globex"]));
  });

  it("names it at the account picker, for each choice, and for a sign-in that fails", async () => {
    const service = await setup();
    const toPicker = locationOf(await service.fetch(start("globex", { login_hint: "" })));
    const picker = requestOn(await (await service.fetch(toPicker.href)).text(), toPicker);
    expect((await follow(service, `${picker.href}&cancel=1`)).searchParams.get("error")).toBe("access_denied");
    const [first, atPicker, callback] = SIGN_IN;
    expect(logged(service)).toEqual([first, atPicker, atPicker, callback].map((route) => [route, "globex"]));
  });

  it("names it for a state that was used before", async () => {
    const service = await setup();
    const toProvider = locationOf(await service.fetch(start("globex")));
    const callback = locationOf(await service.fetch(toProvider.href));
    await service.fetch(callback.href);
    expect((await service.fetch(callback.href)).status).toBe(400);
    const callbackLine = ["/oauth/:provider/callback", "globex"];
    expect(logged(service).slice(-2)).toEqual([callbackLine, callbackLine]);
  });

  it("names it for a sign-in without a browser", async () => {
    const service = await setup({ control: true });
    const headers = { authorization: `Bearer ${CONTROL_KEY}`, "content-type": "application/json" };
    const body = JSON.stringify({ instance: "globex", provider: "github", as: "ada" });
    expect((await service.fetch(`${FRONT}/__svc/v1/sign-ins`, { method: "POST", headers, body })).status).toBe(201);
    expect(logged(service)).toEqual([["/__svc/v1/sign-ins", "globex"]]);
  });
});

describe("The log names as instance", () => {
  it("none where neither host, key nor sign-in tells", async () => {
    const service = await setup();
    for (const path of [`/oauth/github/callback?code=x&state=${"0".repeat(64)}`, "/", "/nothing-here", "/api/v1/users"])
      await service.fetch(FRONT + path);
    expect(logged(service).map(([, instance]) => instance)).toEqual([null, null, null, null]);
  });

  it("the first one where its discovery or sign-in is asked for at the front door", async () => {
    const service = await setup();
    await service.fetch(`${FRONT}/.well-known/openid-configuration`);
    await service.fetch(`${FRONT}/sign-in?${new URLSearchParams({ redirect_uri: APP }).toString()}`);
    expect(logged(service).map(([, instance]) => instance)).toEqual(["acme", "acme"]);
  });

  it("that of the key of an API call, or of the host", async () => {
    const service = await setup();
    await service.fetch(`${FRONT}/api/v1/users`, { headers: { "x-service-secret-key": service.globex.secret_key } });
    await service.fetch(`${service.addresses.instanceUrl(service.globex)}/api/v1/users`);
    expect(logged(service).map(([, instance]) => instance)).toEqual(["globex", "globex"]);
  });
});

const token = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl";

it("The log of a route that the control API does not have repeats no token of its path", async () => {
  const service = await setup({ control: true });
  const headers = { authorization: `Bearer ${CONTROL_KEY}` };
  expect((await service.fetch(`${FRONT}/__svc/v1/tokens/${token}/x`, { headers })).status).toBe(404);
  expect(service.log.requests).toMatchObject([{ route: null, path: "/__svc/v1/tokens/[redacted]/x" }]);
  expect(JSON.stringify(service.log.requests)).not.toContain(token);
});

it("The log has a path where no route has it, and only then", async () => {
  const service = await setup();
  for (const path of ["/oauth/authorise?code=1", `/${token}`, "/api/v1/users", "//sign-in", "/users%20"])
    await service.fetch(FRONT + path);
  expect(service.log.requests.map(({ route, path, reason }) => [route, path, reason])).toEqual([
    [null, "/oauth/authorise", "Not found"],
    [null, "/[redacted]", "Not found"],
    ["/api/v1/users", null, "Unauthorized"],
    [null, "//sign-in", "Not found"],
    [null, "/[redacted]", "Not found"],
  ]);
});
