// Below the faces: names that only a network's DNS has.
import { describe, expect, it } from "vitest";
import { callerOf } from "../../src/http/headers.ts";

const HTML = { accept: "text/html,application/xhtml+xml", "user-agent": "Mozilla/5.0" };
const NAVIGATION = { ...HTML, "upgrade-insecure-requests": "1" };
const METADATA = { "sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate", "sec-fetch-dest": "document" };

const callerAt = (hostname: string, isHttps: boolean, headers: Record<string, string>): ReturnType<typeof callerOf> =>
  callerOf((name) => headers[name], hostname, isHttps);

describe("Over plain http at a name that is not loopback, where browsers send no Sec-Fetch headers,", () => {
  it.each<[boolean, string, Record<string, string>]>([
    [true, "a navigation", NAVIGATION],
    [false, "a fetch that asks for HTML", HTML],
    [false, "a fetch that accepts anything", { ...NAVIGATION, accept: "*/*" }],
    [false, "a header with another value", { ...NAVIGATION, "upgrade-insecure-requests": "0" }],
    [false, "a prerender", { ...NAVIGATION, "sec-purpose": "prefetch;prerender" }],
    [false, "a prefetch of an older Chrome", { ...NAVIGATION, purpose: "prefetch" }],
    [false, "a prefetch of an older Firefox", { ...NAVIGATION, "x-moz": "prefetch" }],
    [false, "a preview of Safari", { ...NAVIGATION, "x-purpose": "preview" }],
    [false, "a prefetch without a browser's other headers", { purpose: "prefetch" }],
    [true, "a navigation with a purpose of its own", { ...NAVIGATION, purpose: "x" }],
    [true, "a program", { accept: "*/*", "user-agent": "curl/8.5.0" }],
  ])("isNavigation is %j for %s", (expected, _, headers) => {
    expect(callerAt("svc.corp.test", false, headers).isNavigation).toBe(expected);
  });
});

describe.each([
  ["https", "svc.corp.test", true],
  ["loopback", "localhost", false],
])("At an address over %s", (_, hostname, isHttps) => {
  it.each<[boolean, string, Record<string, string>]>([
    [true, "a navigation", { ...NAVIGATION, ...METADATA }],
    [true, "a navigation of a browser without Sec-Fetch headers", HTML],
    [false, "a fetch", { ...NAVIGATION, ...METADATA, "sec-fetch-mode": "no-cors" }],
    [false, "a frame", { ...NAVIGATION, ...METADATA, "sec-fetch-dest": "iframe" }],
  ])("isNavigation is %j for %s", (expected, what, headers) => {
    expect(callerAt(hostname, isHttps, headers).isNavigation, what).toBe(expected);
  });
});
