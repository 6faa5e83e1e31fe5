import { describe, expect, it } from "vitest";
import type { Fetch } from "../../src/http/fetch.ts";
import { PROVIDERS } from "../../src/wire/providers.ts";
import { locationOf } from "../_answers.ts";
import { APP, decodePart, setup } from "../_setup.ts";
import { authorizePath, begun, CREDENTIALS, expectRefusedState, recordOf, untilCallback } from "../_sign-in.ts";

/** Headers that a page cannot make a browser omit. */
const BROWSER = {
  "user-agent": "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0",
  "sec-fetch-site": "cross-site",
  "sec-fetch-mode": "navigate",
};

describe("The state", () => {
  it("is recorded as the specification says", async () => {
    const service = await setup();
    const state = await begun(service, "google");
    expect(state).toMatch(/^[0-9a-f]{64}$/);
    expect(await recordOf(service, state)).toEqual({
      state,
      instance_id: service.acme.id,
      provider: "google",
      redirect_uri: APP,
      code_verifier: null,
      binding: null,
      created_at: "2026-06-01T12:00:00.000Z",
      expires_at: "2026-06-01T12:10:00.000Z",
    });
  });

  it.each(["sec-purpose", "purpose", "x-moz", "x-purpose"])(
    "is not used up by a browser that fetches the callback before the user goes there: %s",
    async (name) => {
      const service = await setup();
      const toCallback = await untilCallback(service, "google");
      const headers = { [name]: name === "x-purpose" ? "preview" : "prefetch" };
      const ahead = await service.fetch(toCallback.href, { headers });
      expect([ahead.status, ahead.headers.get("location")]).toEqual([400, null]);
      expect(locationOf(await service.fetch(toCallback.href)).searchParams.has("token")).toBe(true);
    },
  );

  it("T04: gives one token to fifty simultaneous callbacks", async () => {
    const service = await setup();
    const toCallback = await untilCallback(service, "google");
    const responses = await Promise.all(Array.from({ length: 50 }, () => service.fetch(toCallback.href)));
    const outcomes = responses.map(({ status, headers }) => [status, headers.get("location")?.split("=")[0]]);
    expect(outcomes.filter(([status]) => status === 302)).toEqual([[302, `${APP}?token`]]);
    expect(outcomes.filter(([status]) => status === 400)).toHaveLength(49);
  });

  it("T04: is taken before any request to the provider", async () => {
    const found: unknown[] = [];
    const fetch: Fetch = async () => {
      found.push(await service.store.claimState(state));
      throw new Error("enough seen");
    };
    const service = await setup({ credentials: CREDENTIALS, fetch });
    const state = await begun(service, "google");
    await service.fetch(`/oauth/google/callback?code=c&state=${state}`);
    expect(found).toEqual([undefined]);
  });

  it.each(
    PROVIDERS.flatMap((begunAt) =>
      PROVIDERS.filter((other) => other !== begunAt).map((endedAt) => [begunAt, endedAt] as const),
    ),
  )("of %s is rejected and used up at the callback of %s", async (begunAt, endedAt) => {
    let calls = 0;
    const fetch: Fetch = () => {
      calls++;
      return Promise.reject(new Error("must not be asked"));
    };
    const service = await setup({ credentials: CREDENTIALS, fetch });
    const state = await begun(service, begunAt);
    await expectRefusedState(await service.fetch(`/oauth/${endedAt}/callback?code=c&state=${state}`));
    await expectRefusedState(await service.fetch(`/oauth/${begunAt}/callback?code=c&state=${state}`));
    expect(calls).toBe(0);
  });

  it("T06: of an instance gives a token of that instance, with the code of whichever sign-in", async () => {
    const service = await setup();
    const callbackOf = async (host: string): Promise<URL> => {
      const toProvider = locationOf(await service.fetch(`http://${host}${authorizePath("google")}`));
      return locationOf(await service.fetch(toProvider.href));
    };
    const [acme, globex] = [await callbackOf("localhost:7820"), await callbackOf("globex.localhost:7820")];
    const code = globex.searchParams.get("code")!;
    globex.searchParams.set("code", acme.searchParams.get("code")!);
    acme.searchParams.set("code", code);
    for (const [callback, { id }] of [
      [globex, service.globex],
      [acme, service.acme],
    ] as const) {
      const { searchParams } = locationOf(await service.fetch(callback.href));
      expect(decodePart(searchParams.get("token")!, 1)["instance_id"]).toBe(id);
    }
  });

  it("is rejected with a page and no redirect if a browser asks for one", async () => {
    const { fetch } = await setup();
    const response = await fetch("/oauth/google/callback?code=c&state=x", {
      headers: { ...BROWSER, accept: "text/html" },
    });
    expect([response.status, response.headers.get("content-type")]).toEqual([400, "text/html; charset=utf-8"]);
    expect(response.headers.get("location")).toBeNull();
    const page = await response.text();
    expect(page).toContain('<h1 data-testid="error-title">Invalid or expired state</h1>');
    expect(page).toContain("in the browser that began it");
  });
});
