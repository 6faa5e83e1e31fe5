import { describe, expect, it } from "vitest";
import { type Simulator } from "../../src/server/simulator/simulator.ts";
import { addressOf, authorization, authorize, codeFor, create, exchange, get, jsonOf } from "../_picker.ts";

describe("Two processes on one store", () => {
  const redeem = async (simulator: Simulator, code: string): Promise<[number, unknown]> =>
    jsonOf(await exchange(simulator, "twitter", code));
  const answer = async (simulator: Simulator, query: ReadonlyMap<string, string>): Promise<URLSearchParams> => {
    const outcome = await authorize(simulator, "twitter", query);
    if (!("location" in outcome)) throw new Error("a page instead of an address");
    return new URL(outcome.location).searchParams;
  };
  const requestAt = async (simulator: Simulator): Promise<string> => {
    const outcome = await authorize(simulator, "twitter", authorization("twitter", { login_hint: undefined }));
    if (!("request" in outcome)) throw new Error("no page");
    return outcome.request;
  };

  it("accept each other's requests and codes, also for an account typed in at one of them", async () => {
    const [one, two, three] = [create().simulator, create().simulator, create().simulator];
    const typed = { request: await requestAt(one), email: "new@acme.test", name: "New One" };
    const chosen = await answer(two, new Map(Object.entries(typed)));
    expect(chosen.get("state")).toBe("the-state");
    const code = chosen.get("code")!;
    const [status, body] = await redeem(three, code);
    expect(status).toBe(200);
    const { access_token } = body as { access_token: string };
    const [, profile] = await jsonOf(await get(three, addressOf(three, "twitter", "me"), access_token));
    expect(profile).toMatchObject({ data: { name: "New One", username: "new" } });
    expect((await redeem(three, code))[0]).toBe(400);
  });

  it("issue codes and requests short enough for an address", async () => {
    const { simulator } = create();
    const typed = {
      request: await requestAt(simulator),
      email: `${"a".repeat(240)}@acme.test`,
      name: "名".repeat(256),
    };
    expect(typed.request.length).toBeLessThan(512);
    expect((await codeFor(simulator, "twitter")).length).toBeLessThan(512);
    expect((await answer(simulator, new Map(Object.entries(typed)))).get("code")!.length).toBeLessThan(2048);
  });

  it("reject values that were altered, made with other keys or issued for another purpose", async () => {
    const { simulator, clock } = create();
    const code = await codeFor(simulator, "twitter");
    for (let at = 0; at < code.length; at += 7) {
      const changed = code.slice(0, at) + (code[at] === "A" ? "B" : "A") + code.slice(at + 1);
      expect((await redeem(simulator, changed))[0], `character ${at}`).toBe(400);
    }
    expect((await redeem(create(Buffer.from("key_of_others")).simulator, code))[0]).toBe(400);
    const request = await requestAt(simulator);
    expect((await redeem(simulator, request))[0]).toBe(400);
    await expect(authorize(simulator, "twitter", new Map([["request", code]]))).rejects.toThrow(
      "this request is no longer valid",
    );
    await expect(authorize(simulator, "google", new Map([["request", request]]))).rejects.toThrow(
      "this request is no longer valid",
    );
    clock.advance(601);
    expect((await redeem(simulator, code))[0]).toBe(400);
    await expect(authorize(simulator, "twitter", new Map([["request", request]]))).rejects.toThrow(
      "this request is no longer valid",
    );
  });

  it("show neither state nor person in the values they issue", async () => {
    const { simulator } = create();
    const code = Buffer.from(await codeFor(simulator, "google"), "base64url").toString("latin1");
    expect(code).not.toMatch(/ada|acme|state|google/);
  });
});
