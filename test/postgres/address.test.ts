// Below the faces: addresses of servers that are not there.
import { describe, expect, it } from "vitest";
import { parseAddress } from "../../src/server/store/postgres/database/address.ts";
import { openPostgresStore } from "../../src/server/store/postgres/postgres-store.ts";

describe("The address of a database", () => {
  it.each([
    ["postgres://ada:geheim@db.example/svc", "postgres://ada@db.example/svc"],
    ["postgresql://ada:geheim@db.example:6432/svc?sslmode=require", "postgres://ada@db.example:6432/svc"],
    ["postgres://db.example/svc", "postgres://db.example/svc"],
    ["postgres://ada:p%2Fgeheim%40@[::1]:5433/svc", "postgres://ada@[::1]:5433/svc"],
    ["postgres:///svc?host=/var/run/postgresql", "postgres:///var/run/postgresql/svc"],
  ])("%s is shown as %s", (text, shown) => {
    expect(parseAddress(text).location).toBe(shown);
  });

  it.each([
    ["a bare / in the password", "postgres://ada:ge/heim@db.example/svc", /is not valid/],
    ["a bare / behind digits", "postgres://ada:12/geheim@db.example/svc", /%2F, %40 or %3A/],
    ["a bare ? in the password", "postgres://ada:geheim?x@db.example/svc", /is not valid/],
    ["a bare # in the password", "postgres://ada:geheim#x@db.example/svc", /is not valid/],
    ["a bare %", "postgres://ada:geheim%zz@db.example/svc", /write a % as %25/i],
    ["a # after digits in the password", "postgres://ada:12#geheim@db.example/svc", /write it as %23/],
    ["an unknown parameter", "postgres://ada@db.example/svc?password=geheim", /the unknown parameter "password"/],
    ["a ? after digits in the password", "postgres://ada:12?geheim@db.example/svc", /has an unknown parameter\. Known/],
    [
      "an unknown sslmode",
      "postgres://ada@db.example/svc?sslmode=geheim",
      /Use one of disable, require, verify-ca, verify-full/,
    ],
    [
      "a missing certificate",
      "postgres://db/svc?sslmode=verify-full&sslrootcert=/geheim",
      /can't be read: no such file or directory \(ENOENT\)/,
    ],
  ])("with %s is refused, and no message repeats it", async (_, text, message) => {
    const error = await openPostgresStore(text, { warn: () => {} }).catch((refusal: Error) => refusal);
    expect(error).toMatchObject({ name: "ServeError", message: expect.stringMatching(message) as string });
    expect((error as Error).message).not.toContain("geheim");
  });
});
