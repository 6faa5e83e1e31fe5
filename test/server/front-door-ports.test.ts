// Below the faces: ports 80 and 443 are not a test's to take.
import { describe, expect, it } from "vitest";
import { createAddresses } from "../../src/server/instances/addresses.ts";

const FRONT = { kind: "front" };

describe("A server at the default port of its scheme", () => {
  it.each([
    ["http://localhost", 80],
    ["https://localhost", 443],
    ["https://auth.example.test", 443],
  ])("answers for loopback names without a port: %s", (publicUrl, port) => {
    const { scopeOf } = createAddresses(publicUrl, port);
    for (const name of ["localhost", "127.0.0.1", "[::1]", "LOCALHOST"]) {
      expect([name, scopeOf(name)]).toMatchObject([name, FRONT]);
      expect([name, scopeOf(`${name}:${port}`)]).toMatchObject([name, FRONT]);
    }
    for (const host of ["acme.localhost", `acme.localhost:${port}`])
      expect(scopeOf(host)).toEqual({ kind: "instance", subdomain: "acme" });
    for (const host of ["api.localhost", `api.localhost:${port}`]) expect(scopeOf(host)).toEqual({ kind: "api" });
    for (const host of ["127.0.0.2", "evil.test", "localhost.evil.test", "localhost:8080"])
      expect([host, scopeOf(host)]).toEqual([host, undefined]);
  });

  it.each([
    ["https://auth.example.test", 443, 7820],
    ["http://auth.example.test", 80, 7820],
    ["https://auth.example.test", 443, 443],
  ])("answers for the default port of %s written out as %i", (publicUrl, standard, port) => {
    const { scopeOf } = createAddresses(publicUrl, port, ["svc.internal", `proxy.internal:${standard}`]);
    const isCallback = { kind: "front", isCallback: true };
    expect(scopeOf("auth.example.test")).toEqual(isCallback);
    expect(scopeOf(`Auth.Example.Test:${standard}`)).toEqual(isCallback);
    expect(scopeOf(`acme.auth.example.test:${standard}`)).toEqual({ kind: "instance", subdomain: "acme" });
    expect(scopeOf(`api.auth.example.test:${standard}`)).toEqual({ kind: "api" });
    for (const host of [`svc.internal:${standard}`, "svc.internal", `proxy.internal:${standard}`])
      expect([host, scopeOf(host)]).toMatchObject([host, FRONT]);
    for (const host of [
      `auth.example.test:${standard === 443 ? 80 : 443}`,
      `auth.example.test:${standard}:${standard}`,
      `evil.test:${standard}`,
      `auth.example.test${standard}`,
      `127.0.0.2:${standard}`,
    ])
      expect([host, scopeOf(host)]).toEqual([host, undefined]);
  });

  it("answers for no name without a port if it listens on another port", () => {
    const { scopeOf } = createAddresses("http://localhost:7820", 7820);
    for (const host of ["localhost", "127.0.0.1", "[::1]", "acme.localhost"])
      expect([host, scopeOf(host)]).toEqual([host, undefined]);
  });
});
