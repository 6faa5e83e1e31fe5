import { describe, expect, it } from "vitest";
import { answer, type Answered, locationOf } from "../_answers.ts";
import { begun, BROWSER } from "../_attacks.ts";
import { APP, setup } from "../_setup.ts";

const BAD_STATE: Answered = [400, { error: "Invalid or expired state" }];

describe("Redirects, states and browsers", () => {
  it.each([
    ["another site", "https://evil.example/callback"],
    ["another path", "http://localhost:3000/callback/../steal"],
    ["one character more", "http://localhost:3000/callback/"],
    ["another query", "http://localhost:3000/callback?next=https://evil.example"],
    ["another case", "http://localhost:3000/CALLBACK"],
    ["another scheme", "https://localhost:3000/callback"],
    ["another loopback name", "http://127.0.0.1:3000/callback"],
    ["a name with the same beginning", "http://localhost.evil.example:3000/callback"],
    ["a user name that looks like the host", "http://localhost:3000@evil.example/callback"],
    ["a backslash", "http://localhost:3000\\@evil.example/callback"],
    ["no scheme", "//evil.example/callback"],
    ["a script", "javascript:alert(1)//http://localhost:3000/callback"],
    ["a header of its own", "http://localhost:3000/callback\r\nLocation: https://evil.example"],
    ["a fragment", "http://localhost:3000/callback#@evil.example"],
    ["nothing", ""],
  ])("T01: a token is sent to a registered address only, and not to %s", async (_, redirect_uri) => {
    const { fetch } = await setup();
    const query = new URLSearchParams({ provider: "google", redirect_uri, instance: "globex", login_hint: "ada" });
    for (const path of [
      "http://globex.localhost:7820/oauth/authorize",
      "http://globex.localhost:7820/sign-in",
      "/__svc/begin",
    ]) {
      for (const headers of [{}, BROWSER]) {
        const response = await fetch(`${path}?${query.toString()}`, { headers });
        expect([response.status, response.headers.get("location")]).toEqual([400, null]);
      }
    }
  });

  it("T01: a server that the network can reach sends tokens nowhere without registered addresses", async () => {
    const { fetch } = await setup({ isLocal: false });
    for (const redirect_uri of [APP, "https://evil.example/callback"]) {
      const response = await fetch(
        `/oauth/authorize?${new URLSearchParams({ provider: "google", redirect_uri }).toString()}`,
      );
      expect([response.status, response.headers.get("location")]).toEqual([400, null]);
    }
  });

  it("T05: states are 64 hexadecimal characters and never repeat", async () => {
    const { fetch } = await setup();
    const states = new Set<string>();
    for (let i = 0; i < 500; i++) {
      const start = await fetch(
        `/oauth/authorize?${new URLSearchParams({ provider: "google", redirect_uri: APP }).toString()}`,
      );
      states.add(locationOf(start).searchParams.get("state") ?? "");
    }
    expect([...states].filter((state) => /^[0-9a-f]{64}$/.test(state))).toHaveLength(500);
  });

  it("T05: a state is valid for exactly ten minutes and in one spelling", async () => {
    const service = await setup();
    const [early, late, spelt] = [await begun(service), await begun(service), await begun(service)];
    for (const state of [
      spelt.state.toUpperCase(),
      spelt.state.slice(1),
      `${spelt.state}0`,
      ` ${spelt.state}`,
      "",
      "__proto__",
      `${spelt.state}\n`,
    ]) {
      const response = await service.fetch(
        `/oauth/google/callback?${new URLSearchParams({ code: "c", state }).toString()}`,
      );
      expect(await answer(response)).toEqual(BAD_STATE);
    }
    service.clock.advance(599);
    expect(locationOf(await service.fetch(early.callback)).searchParams.has("token")).toBe(true);
    service.clock.advance(1);
    expect(await answer(await service.fetch(late.callback))).toEqual(BAD_STATE);
  });

  describe("T07: The code challenge cannot be removed, weakened or replaced:", () => {
    it.each<[string, (authorize: URL) => void]>([
      [
        "dropped",
        ({ searchParams }) => ["code_challenge", "code_challenge_method"].forEach((name) => searchParams.delete(name)),
      ],
      ["sent plain", ({ searchParams }) => searchParams.set("code_challenge_method", "plain")],
      ["without its method", ({ searchParams }) => searchParams.delete("code_challenge_method")],
    ])("%s, the provider rejects the code", async (_, change) => {
      const { fetch } = await setup();
      const query = new URLSearchParams({ provider: "twitter", redirect_uri: APP, login_hint: "ada" });
      const authorize = locationOf(await fetch(`/oauth/authorize?${query.toString()}`));
      expect(authorize.searchParams.get("code_challenge")).toMatch(/^[\w-]{43}$/);
      expect(authorize.searchParams.get("code_challenge_method")).toBe("S256");
      change(authorize);
      expect((await fetch(authorize.href)).status).toBe(400);
    });

    it("replaced by an attacker's own, the code is useless", async () => {
      const { fetch, log } = await setup();
      const query = new URLSearchParams({ provider: "twitter", redirect_uri: APP, login_hint: "ada" });
      const authorize = locationOf(await fetch(`/oauth/authorize?${query.toString()}`));
      authorize.searchParams.set("code_challenge", "A".repeat(43));
      const callback = locationOf(await fetch(authorize.href));
      const back = locationOf(await fetch(callback.href)).searchParams;
      expect([back.get("error"), back.get("token")]).toEqual(["server_error", null]);
      expect(log.failures).toEqual([
        "twitter: server_error: Twitter's token endpoint answered 400, error invalid_request. Check the settings of the application at Twitter.",
      ]);
    });
  });
});
