import { describe, expect, it } from "vitest";
import { locationOf, requestOn } from "../_answers.ts";
import { BROWSER } from "../_attacks.ts";
import { CONTROL_KEY, setup, type Service } from "../_setup.ts";

const EVIL = "https://evil.test/catch";

/** An account picker that names another site, in a browser. */
interface Visit {
  readonly toProvider: URL;
  /** The address that its choices add to. */
  readonly picker: URL;
  readonly cookie: string;
}

function cookiesOf(response: Response): string[] {
  return response.headers.getSetCookie().map((cookie) => cookie.split(";")[0]!);
}

async function visit({ fetch }: Service): Promise<Visit> {
  const query = new URLSearchParams({ provider: "google", redirect_uri: EVIL, login_hint: "ada" });
  const begun = await fetch(`/oauth/authorize?${query.toString()}`, { headers: BROWSER });
  const toHere = locationOf(begun);
  const there = toHere.pathname === "/__svc/begin" ? await fetch(toHere.href, { headers: BROWSER }) : begun;
  const toProvider = locationOf(there);
  const shown = await fetch(toProvider.href, { headers: BROWSER });
  const cookie = [...cookiesOf(there), ...cookiesOf(shown)].join("; ");
  return { toProvider, picker: requestOn(await shown.text(), toProvider), cookie };
}

/** Chooses on the picker. @returns where the browser goes, or the picker that it sees again */
async function choose(
  { fetch }: Service,
  { picker, cookie }: Visit,
  choice: string,
): Promise<{ location: string | null; again: URL | undefined; page: string }> {
  const response = await fetch(`${picker.href}&${choice}`, { headers: { ...BROWSER, cookie } });
  const location = response.headers.get("location");
  const page = await response.text();
  return { location, page, again: location === null ? requestOn(page, picker) : undefined };
}

describe("T46: A click on a page that names another site", () => {
  it.each(["login_hint=ada", "email=ada@acme.test", "email=new@acme.test&name=New"])(
    "chooses no account in the first second: %s",
    async (choice) => {
      const service = await setup();
      const shown = await visit(service);
      service.clock.advance(0.9);
      const { location, page, again } = await choose(service, shown, choice);
      expect([location, page.includes('data-testid="too-soon"')]).toEqual([null, true]);
      // Each click that comes too soon begins the second anew.
      service.clock.advance(0.9);
      expect((await choose(service, { ...shown, picker: again! }, choice)).location).toBeNull();
      service.clock.advance(1);
      expect((await choose(service, { ...shown, picker: again! }, choice)).location).toContain("code=");
    },
  );

  it("chooses no account either after an outcome was chosen, until that page was shown for a second", async () => {
    const service = await setup();
    const shown = await visit(service);
    service.clock.advance(5);
    const { again } = await choose(service, shown, "outcome=token_error");
    expect((await choose(service, { ...shown, picker: again! }, "login_hint=ada")).location).toBeNull();
  });

  it("can cancel at once", async () => {
    const service = await setup();
    expect((await choose(service, await visit(service), "cancel=1")).location).toContain("error=access_denied");
  });

  it("is measured by the real time, however the service's clock runs", async () => {
    const service = await setup({ control: true });
    const shown = await visit(service);
    const headers = { authorization: `Bearer ${CONTROL_KEY}`, "content-type": "application/json" };
    const body = JSON.stringify({ by: "60s" });
    expect((await service.fetch("/__svc/v1/clock/advance", { method: "POST", headers, body })).status).toBe(200);
    expect((await choose(service, shown, "login_hint=ada")).location).toBeNull();
  });

  it("is not spared by leaving out what introduces the application", async () => {
    const service = await setup();
    const { toProvider, cookie } = await visit(service);
    toProvider.searchParams.delete("application");
    toProvider.searchParams.set("login_hint", "ada");
    const response = await service.fetch(toProvider.href, { headers: { ...BROWSER, cookie } });
    expect([response.status, response.headers.get("location")]).toEqual([200, null]);
  });

  it("is followed by no link to that site when the request has expired", async () => {
    const service = await setup();
    const shown = await visit(service);
    service.clock.advance(601);
    const headers = { ...BROWSER, cookie: shown.cookie, accept: "text/html" };
    const expired = await service.fetch(`${shown.picker.href}&login_hint=ada`, { headers });
    expect(expired.status).toBe(400);
    expect(await expired.text()).not.toContain("evil.test");
  });
});

describe("T46: An authorization request that svc did not begin", () => {
  const invented = (login_hint: string, state = "invented"): string => {
    const redirect_uri = "http://localhost:7820/oauth/google/callback";
    const query = {
      response_type: "code",
      client_id: "svc-simulator",
      scope: "openid",
      redirect_uri,
      state,
      login_hint,
    };
    return `/__svc/simulator/google/authorize?${new URLSearchParams(query).toString()}`;
  };

  it("uses up no scenario and adds no account", async () => {
    const service = await setup({ control: true });
    const headers = { authorization: `Bearer ${CONTROL_KEY}`, "content-type": "application/json" };
    const path = "/__svc/v1/scenarios";
    const made = await service.fetch(path, { method: "POST", headers, body: JSON.stringify({ times: 1 }) });
    expect(made.status).toBe(201);
    const answer = await service.fetch(invented("planted@evil.test"), { headers: BROWSER });
    expect([answer.status, await answer.text()]).toEqual([200, expect.not.stringContaining("planted@evil.test")]);
    const listed = await service.fetch(path, { headers });
    expect(await listed.json()).toEqual([expect.objectContaining({ data: expect.objectContaining({ used: 0 }) })]);
  });

  it("has a state of bounded length", async () => {
    const { fetch } = await setup();
    expect((await fetch(invented("ada", "s".repeat(512)))).status).toBe(200);
    const response = await fetch(invented("ada", "s".repeat(513)));
    expect([response.status, await response.json()]).toEqual([
      400,
      { error: "Bad request: google (simulated): state must have at most 512 characters" },
    ]);
  });
});
