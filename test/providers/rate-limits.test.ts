import { describe, expect, it } from "vitest";
import { SIGN_IN_ERRORS, type SignInErrorCode } from "../../src/wire/errors.ts";
import type { Provider } from "../../src/wire/providers.ts";
import { setupProvider } from "../_provider.ts";
import { failure } from "../_sign-in.ts";
import { JSON_TYPE, raw } from "./_reply.ts";

const LIMIT = JSON.stringify({
  message: "API rate limit exceeded for user ID 1.",
  documentation_url: "https://x.test",
});
/** What a sign-in's log says after `github: temporarily_unavailable: GitHub's emails endpoint answered 403. `. */
const said = (when: string): RegExp => new RegExp(`GitHub limits the rate: try again ${when}\\.$`);

describe("An answer of GitHub's that limits the rate", () => {
  it.each<[status: number, headers: Record<string, string>, when: string]>([
    [403, { "x-ratelimit-remaining": "0", "x-ratelimit-reset": "1780315200" }, "at 2026-06-01T12:00:00\\.000Z"],
    [403, { "x-ratelimit-remaining": "0" }, "later"],
    [403, { "retry-after": "60" }, "in 60 seconds"],
    [403, { "retry-after": "60", "x-ratelimit-remaining": "4000", "x-ratelimit-reset": "1780315200" }, "in 60 seconds"],
    [403, { "retry-after": "soon" }, "later"],
    [429, { "x-ratelimit-remaining": "0", "x-ratelimit-reset": "now" }, "later"],
    [429, {}, "later"],
  ])("by %d and %j says in the log: try again %3$s", async (status, headers, when) => {
    for (const path of ["/user", "/user/emails"]) {
      const fake = await setupProvider("github", { [path]: raw(LIMIT, status, { ...JSON_TYPE, ...headers }) });
      expect((await fake.signIn()).href).toBe(failure("temporarily_unavailable"));
      expect(fake.service.log.failures).toEqual([expect.stringMatching(said(when))]);
    }
  });

  it.each<[string, Record<string, string>]>([
    ["has requests left", { "x-ratelimit-remaining": "4999", "x-ratelimit-reset": "1780315200" }],
    ["has no such header", {}],
  ])("is no other 403: one that %s", async (_, headers) => {
    const fake = await setupProvider("github", { "/user/emails": raw(LIMIT, 403, { ...JSON_TYPE, ...headers }) });
    expect((await fake.signIn()).href).toBe(failure("server_error"));
    expect(fake.service.log.failures).toEqual([expect.stringContaining("may read the profile")]);
  });
});

it.each<[Provider, string, object, SignInErrorCode, string]>([
  [
    "twitter",
    "/2/users/me",
    { title: "Client Forbidden", reason: "client-not-enrolled" },
    "server_error",
    "client-not-enrolled",
  ],
  ["twitter", "/2/users/me", { reason: "unsupported for ada@acme.test" }, "server_error", "answered 403. Check"],
])("The reason of a 403 of %s at %s, %j, is in the log alone", async (provider, path, body, code, expected) => {
  const fake = await setupProvider(provider, { [path]: raw(JSON.stringify(body), 403) });
  const back = await fake.signIn();
  expect(Object.fromEntries(back.searchParams)).toEqual({ error: code, error_description: SIGN_IN_ERRORS[code] });
  expect(fake.service.log.failures).toEqual([expect.stringContaining(expected)]);
  expect(fake.service.log.failures.join()).not.toContain("ada@acme.test");
});

it("X's limit says its time in a header of its own", async () => {
  const headers = { ...JSON_TYPE, "x-rate-limit-remaining": "0", "x-rate-limit-reset": "1780315200" };
  const fake = await setupProvider("twitter", { "/2/users/me": raw("{}", 429, headers) });
  expect((await fake.signIn()).href).toBe(failure("temporarily_unavailable"));
  expect(fake.service.log.failures).toEqual([expect.stringMatching(/try again at 2026-06-01T12:00:00\.000Z\.$/)]);
});
