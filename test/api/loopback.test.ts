// Below the faces: a pure rule of thirty names, of which a server could have few.

import { describe, expect, it } from "vitest";
import { isConfidential, isLoopback } from "../../src/http/address.ts";

describe("A host name", () => {
  it.each(["localhost", "LocalHost", "acme.localhost", "a.b.localhost", "127.0.0.1", "127.255.0.9", "[::1]", "::1"])(
    "is loopback: %s",
    (name) => {
      expect(isLoopback(name)).toBe(true);
    },
  );

  it.each([
    "",
    "localhost.",
    "localhost.evil.test",
    "notlocalhost",
    ".localhost",
    "127.0.0.1.evil.test",
    "127.0.0",
    "1127.0.0.1",
    "128.0.0.1",
    "0.0.0.0",
    "::",
    "[::2]",
    "::1.evil.test",
    "localhost:80",
    "local host",
    "evil.test\nlocalhost",
  ])("is not loopback: %j", (name) => {
    expect(isLoopback(name)).toBe(false);
  });

  it("is judged in the form that URL gives it", () => {
    for (const spelt of ["http://127.1/", "http://0x7f.1/", "http://2130706433/", "http://[0:0:0:0:0:0:0:1]/"])
      expect([spelt, isLoopback(new URL(spelt).hostname)]).toEqual([spelt, true]);
  });
});

describe("An address", () => {
  it.each([
    ["https://evil.test", true],
    ["https://localhost", true],
    ["http://127.0.0.2:8080", true],
    ["http://acme.localhost", true],
    ["http://acme.test", false],
    ["http://localhost.evil.test", false],
    ["ftp://localhost", false],
    ["ws://localhost", false],
  ])("%s is confidential (https or loopback): %s", (address, expected) => {
    expect(isConfidential(new URL(address))).toBe(expected);
  });
});
