// Below the faces: random queries are read by the parser of the service.
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  createClient,
  sessionQuery,
  userQuery,
  type Fetch,
  type QueryBuilder,
  type UserFields,
} from "../../src/client/index.ts";
import { SESSION_FIELDS, USER_FIELDS } from "../../src/wire/search/fields.ts";
import { parseQuery } from "../../src/wire/search/query.ts";
import { setup } from "../_setup.ts";

describe("A search built from terms", () => {
  it("is written in the search language", () => {
    expect(
      userQuery((q) => [
        q.endsWith("email", "@acme.com"),
        q.not(q.contains("name", "test")),
        q.gte("created_at", "2026-01-01"),
        q.lt("created_at", new Date("2026-02-01T00:00:00Z")),
        q.not(q.isNull("email_verified_at")),
      ]),
    ).toBe(
      "email:*@acme.com -name:*test* created_at>=2026-01-01 created_at<2026-02-01T00:00:00.000Z -email_verified_at:null",
    );
    expect(
      sessionQuery((q) => [
        q.oneOf("provider", ["google", "password"]),
        q.startsWith("ip_address", "10."),
        q.not(q.oneOf("user_id", ["a", "b"])),
        q.eq("logged_in_at", "2026-01-01"),
        q.gt("last_signin_at", "2026-01-01T00:00:00+01:00"),
        q.lte("last_signin_at", "2026-01-01T10:00Z"),
      ]),
    ).toBe(
      "provider:google provider:password ip_address:10.* -user_id:a -user_id:b logged_in_at:2026-01-01 " +
        "last_signin_at>2025-12-31T23:00:00.000Z last_signin_at<=2026-01-01T10:00:00.000Z",
    );
    expect(userQuery((q) => [q.not(q.startsWith("provider", "goo")), q.isNull("provider")])).toBe(
      "-provider:goo* provider:null",
    );
    expect(sessionQuery((q) => [q.not(q.eq("active", true))])).toBe("-active:true");
  });

  it("can be a query that was parsed before", async () => {
    const text = "email:*@acme.test -name:Ada* created_at>=2025-01-01";
    const query = parseQuery(text, USER_FIELDS);
    expect(userQuery(query)).toBe(text);
    const service = await setup();
    const { users } = service.client(service.acme);
    expect((await users.search(query)).map(({ data }) => data.name)).toEqual(["Charles Babbage"]);
  });

  it("is sent unchanged if it is text", () => {
    expect([userQuery("email:*@acme.com"), sessionQuery("anything")]).toEqual(["email:*@acme.com", "anything"]);
  });

  it("finds the users that it describes", async () => {
    const service = await setup();
    const { users, sessions } = service.client(service.acme);
    const names = (
      await users.search((q) => [q.endsWith("email", "@acme.test"), q.lt("created_at", "2026-01-01")])
    ).map(({ data }) => data.name);
    expect(names).toEqual(["Charles Babbage"]);
    const found = await sessions.search((q) => [
      q.oneOf("provider", ["google", "github"]),
      q.not(q.isNull("revoked_at")),
    ]);
    expect(found.map(({ data }) => data.provider)).toEqual(["github"]);
  });

  it("never lets a value become an operator", () => {
    const fields = { users: USER_FIELDS, sessions: SESSION_FIELDS };
    const methods = ["eq", "startsWith", "endsWith", "contains"] as const;
    const hostile = fc.stringMatching(/^[-*: ><=a"%&\\]{0,8}$/);
    fc.assert(
      fc.property(
        fc.oneof(fc.string(), fc.string({ unit: "grapheme" }), hostile),
        fc.constantFrom(...methods),
        (value, method) => {
          let text: string;
          try {
            text = userQuery((q) => [q[method]("avatar_url", value)]);
          } catch (error) {
            expect(error).toMatchObject({ code: "invalid_query" });
            return;
          }
          const [clause, ...others] = parseQuery(text, fields.users);
          expect([others, clause!.range, clause!.excluded]).toEqual([[], [], []]);
          expect(clause!.values).toMatchObject([{ field: "avatar_url", value, negated: false }]);
        },
      ),
    );
  });

  const bad: [what: string, build: (q: QueryBuilder<UserFields>) => readonly never[] | object, message: RegExp][] = [
    ["a text", () => ["email:x"] as never, /a term must be what q makes/],
    ["no term", () => [], /the builder returned no term/],
    ["no value to choose from", (q) => [q.oneOf("email", [])], /oneOf\("email"\) needs at least one value/],
    ["an empty value", (q) => [q.contains("name", "")], /the value of name is empty/],
    ["two words", (q) => [q.eq("name", "Ada Lovelace")], /"Ada Lovelace" has a space in it/],
    ["another term in the value", (q) => [q.eq("name", "x email:*")], /has a space in it/],
    ["a tab", (q) => [q.eq("name", "a\tb")], /has a space in it/],
    ["a control character", (q) => [q.eq("name", "a\u0000")], /has a space in it/],
    ["a wildcard", (q) => [q.eq("email", "*@acme.com")], /a meaning of its own/],
    ["a second wildcard", (q) => [q.startsWith("email", "*ada")], /a meaning of its own/],
    ["the word null as text", (q) => [q.eq("avatar_url", "null")], /a meaning of its own/],
    ["an invalid date", (q) => [q.gt("created_at", "2026-02-30")], /"2026-02-30" is not a valid date for created_at/],
    ["an invalid Date", (q) => [q.gt("created_at", new Date("x"))], /the Date for created_at is invalid/],
    ["a second term in a date", (q) => [q.gt("created_at", "2026-01-01T00:00Z email:*")], /is not a valid date/],
    [
      "too many terms",
      (q) => [
        q.oneOf(
          "email",
          Array.from({ length: 257 }, (_, i) => `u${i}@acme.com`),
        ),
      ],
      /more than 256/,
    ],
    ["too long a value", (q) => [q.eq("email", "x".repeat(8200))], /longer than 8192/],
  ];

  it.each(bad)("is rejected with %s, before any request", async (_, build, message) => {
    let calls = 0;
    const fetch: Fetch = async () => Response.json(calls++ && []) as never;
    const { users } = createClient({ secretKey: "sk_0123456789", baseUrl: "https://acme.svc.test", fetch });
    const query = build as Parameters<typeof users.search>[0];
    await expect(users.search(query)).rejects.toMatchObject({ name: "ServiceError", code: "invalid_query", message });
    expect(() => userQuery(query)).toThrow(message);
    expect(calls).toBe(0);
  });

  it("does not negate a term that cannot be negated, even without type checks", () => {
    expect(() => userQuery((q) => [q.not(q.gt("created_at", "2026-01-01") as never)])).toThrow(/can't be negated/);
    expect(() => userQuery((q) => [q.not(q.not(q.eq("name", "a")) as never)])).toThrow(/negated already/);
  });
});

/** Never run: each line must fail to compile, or the one above it does. */
export function refusedByTheCompiler(): void {
  userQuery((q) => [
    // @ts-expect-error no such field
    q.eq("emial", "a"),
    // @ts-expect-error a hidden column is no field
    q.eq("password_digest", "a"),
    // @ts-expect-error a field of sessions
    q.eq("ip_address", "a"),
    // @ts-expect-error a wildcard on a datetime
    q.startsWith("created_at", "2026"),
    // @ts-expect-error a comparison on text
    q.gt("email", "2026-01-01"),
    // @ts-expect-error no date
    q.gte("created_at", "yesterday"),
    // @ts-expect-error no date
    q.eq("created_at", "x"),
    // @ts-expect-error no text
    q.eq("email", new Date()),
    // @ts-expect-error never null
    q.isNull("email"),
    // @ts-expect-error a comparison is turned round, not negated
    q.not(q.gt("created_at", "2026-01-01")),
    // @ts-expect-error negated twice
    q.not(q.not(q.eq("email", "a"))),
  ]);
  sessionQuery((q) => [
    // @ts-expect-error no such provider
    q.eq("provider", "gogle"),
    // @ts-expect-error no such provider
    q.oneOf("provider", ["google", "email"]),
    // @ts-expect-error a field of users
    q.isNull("email_verified_at"),
  ]);
  // @ts-expect-error a term of users in a search for sessions
  userQuery((users) => [sessionQuery(() => [users.eq("email", "a")])]);
  let stolen: QueryBuilder<UserFields> | undefined;
  userQuery((q) => ((stolen = q), []));
  // @ts-expect-error the same, and nothing else wrong with it
  sessionQuery(() => [stolen!.eq("email", "a")]);
  const { users, sessions } = createClient();
  // @ts-expect-error no such field
  void users.search((q) => [q.eq("ip_address", "192.0.2.1")]);
  // @ts-expect-error an identity is of no such provider
  void users.search((q) => [q.eq("provider", "password")]);
  // @ts-expect-error a number is no search
  void sessions.search(1);
}
