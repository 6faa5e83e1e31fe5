// Below the faces: a pure rule with thousands of queries, of which a sign-in for each would take minutes.

import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { withParameters } from "../../src/server/instances/redirect-uri.ts";
import { APP } from "../_setup.ts";

/** A query as a browser reads it. */
function pairsOf(uri: string): [string, string][] {
  return [...new URL(uri).searchParams];
}

/** A pure rule with thousands of queries, of which a sign-in for each would take minutes. */
describe("withParameters", () => {
  it.each([
    ["", "?token=T"],
    ["?", "?token=T"],
    ["?x=1", "?x=1&token=T"],
    ["?token=old&x=1", "?x=1&token=T"],
    ["?x=1&token&token=&token=2&y=2", "?x=1&y=2&token=T"],
    ["?t%6Fken=old", "?token=T"],
    ["?x=token=1&tokens=2&TOKEN=3&token[]=4", "?x=token=1&tokens=2&TOKEN=3&token[]=4&token=T"],
    ["?b=+%20%zz&a;token=1&b=%2B", "?b=+%20%zz&a;token=1&b=%2B&token=T"],
    ["?a=1&&b=2&", "?a=1&&b=2&&token=T"],
    ["??token=1", "??token=1&token=T"],
    ["?a=1&?token=2", "?a=1&?token=2&token=T"],
  ])("turns %j into %j", (query, expected) => {
    expect(withParameters(APP + query, { token: "T" })).toBe(APP + expected);
  });

  it("removes the named parameters and encodes values", () => {
    const uri = withParameters(`${APP}?token=1&a=1&error=old`, { error: "e", text: "a b&c=d#/?é" }, ["token"]);
    expect(uri).toBe(`${APP}?a=1&error=e&text=a%20b%26c%3Dd%23%2F%3F%C3%A9`);
  });

  const query = fc
    .array(fc.constantFrom(..."t o & = ? + % / ; [ ] token &token &?token %74oken =1 && error".split(" ")), {
      maxLength: 24,
    })
    .map((parts) => parts.join(""));
  it("leaves exactly one token and every other parameter unchanged and in place", () => {
    fc.assert(
      fc.property(query, (text) => {
        const others = pairsOf(`${APP}?${text}`).filter(([name]) => name !== "token");
        expect(pairsOf(withParameters(`${APP}?${text}`, { token: "T" }))).toEqual([...others, ["token", "T"]]);
      }),
      { numRuns: 2000 },
    );
  });

  it("keeps every other byte of the query", () => {
    fc.assert(
      fc.property(query, (text) => {
        const parts = text === "" ? [] : text.split("&");
        const kept = parts.filter((part) => pairsOf(`${APP}?${part}`)[0]?.[0] !== "token");
        expect(withParameters(`${APP}?${text}`, { token: "T" })).toBe(`${APP}?${[...kept, "token=T"].join("&")}`);
      }),
      { numRuns: 2000 },
    );
  });
});
