import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Refusal } from "../../src/server/errors.ts";
import { redirectRule } from "../../src/server/sign-in/redirect-rule.ts";
import { withParameters } from "../../src/server/instances/redirect-uri.ts";
import { anyCharacter } from "../_characters.ts";
import { APP } from "../_setup.ts";
import { REGISTERED } from "./_registered.ts";

/** Whether an address is accepted; any error but the expected one is a bug. */
function isAccepted(uri: string, registered: readonly string[]): boolean {
  try {
    const acme = { name: "Acme", redirect_uris: [...registered], preview: false };
    redirectRule(uri, acme, { isPlainClient: true }, true);
    return true;
  } catch (error) {
    if (error instanceof Refusal && error.code === "invalid_redirect_uri") return false;
    throw error;
  }
}

describe("Any redirect_uri", () => {
  const LOOPBACK = ["localhost", "127.0.0.1", "[::1]"];
  const piece = fc.constantFrom(
    ..."@#\\/.:?&=%a1 \t\n\r\u0000[]é".split(""),
    ..."// /.. /../ %2e %2f %40 %0d%0a :80 :443 :8080 ?x=1 localhost 127.0.0.1 [::1] .evil.test evil.test/".split(" "),
    ..."ada@ http:// https:// callback".split(" "),
  );
  const edit = fc.record({ at: fc.nat(48), drop: fc.nat(2), put: piece });
  const edited = fc
    .tuple(fc.constantFrom(...REGISTERED), fc.array(edit, { maxLength: 3 }))
    .map(([uri, edits]) =>
      edits.reduce((text, { at, drop, put }) => text.slice(0, at) + put + text.slice(at + drop), uri),
    );
  const withPort = fc
    .tuple(fc.constantFrom(...REGISTERED), fc.integer({ min: 1, max: 65_535 }))
    .map(([uri, port]) => uri.replace(/^(https?:\/\/(?:\[[^\]]+\]|[^/:?]+))(?::\d+)?/, `$1:${port}`));
  const anyUri = fc.oneof(
    edited,
    withPort,
    fc.webUrl({ withQueryParameters: true }),
    fc.string({ unit: anyCharacter }),
  );

  it("is accepted only if a browser would reach the origin and path of a registered one", () => {
    let accepted = 0;
    fc.assert(
      fc.property(anyUri, (uri) => {
        if (!isAccepted(uri, REGISTERED)) return;
        accepted++;
        const url = new URL(uri);
        const same = REGISTERED.map((entry) => new URL(entry)).filter(
          (entry) =>
            entry.protocol === url.protocol &&
            entry.hostname === url.hostname &&
            entry.pathname === url.pathname &&
            (entry.port === url.port || LOOPBACK.includes(entry.hostname)),
        );
        expect(same).not.toEqual([]);
        expect([url.username, url.password, url.hash]).toEqual(["", "", ""]);
      }),
      { numRuns: 5000 },
    );
    expect(accepted).toBeGreaterThan(500);
  });

  it("is rejected for an invalid character at any place", () => {
    const wrong = fc.oneof(
      fc.constantFrom("#", "\\", "\u007f"),
      fc.integer({ min: 0, max: 0x20 }).map((code) => String.fromCharCode(code)),
      fc.integer({ min: 0x80, max: 0xffff }).map((code) => String.fromCharCode(code)),
    );
    fc.assert(
      fc.property(fc.constantFrom(...REGISTERED), fc.nat(48), wrong, (uri, at, character) => {
        const text = uri.slice(0, at) + character + uri.slice(at);
        expect([isAccepted(text, []), isAccepted(text, REGISTERED)]).toEqual([false, false]);
      }),
      { numRuns: 1000 },
    );
  });

  it("is rejected for a user name or a password", () => {
    const userinfo = fc.stringMatching(/^[a-z0-9%:.-]{0,12}$/);
    fc.assert(
      fc.property(fc.constantFrom(...REGISTERED), userinfo, (uri, user) => {
        expect(isAccepted(uri.replace("//", `//${user}@`), [])).toBe(false);
      }),
      { numRuns: 300 },
    );
  });
});

/** A query as a browser reads it. */
function pairsOf(uri: string): [string, string][] {
  return [...new URL(uri).searchParams];
}

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
