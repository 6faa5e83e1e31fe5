import { describe, expect, it } from "vitest";
import type { Session, User } from "../src/wire/resources.ts";
import { setup, type Service } from "./_setup.ts";

const CHARLES = "00000000-0000-4000-8000-0000000000c1";

/** Users are told apart by the first letter of their address, sessions by the last digit of their id. */
const SEED = {
  instances: [
    {
      name: "Acme",
      subdomain: "acme",
      users: [
        {
          email: "grace@navy.test",
          name: "Grace Hopper",
          created_at: "2026-02-14T12:30:00Z",
          email_verified_at: "2026-02-14T12:30:00Z",
        },
        { email: "jose@navy.test", name: "Jose\u0301 ﬁeld", created_at: "2026-01-05T23:59:59.999Z" },
        {
          email: "ada@acme.test",
          name: "Ada Lovelace",
          avatar_url: "https://cdn.test/ada.png?v=1",
          created_at: "2026-01-05T09:00:00Z",
          email_verified_at: "2026-01-05T09:00:00Z",
          sessions: [
            {
              session_id: "svc_session_00000000-0000-4000-8000-000000000001",
              provider: "google",
              ip_address: "203.0.113.7",
              logged_in_at: "2026-05-01T08:00:00Z",
              last_signin_at: "2026-05-20T08:00:00Z",
            },
            {
              session_id: "svc_session_00000000-0000-4000-8000-000000000002",
              provider: "github",
              ip_address: "198.51.100.23",
              logged_in_at: "2026-03-11T17:40:00Z",
              revoked_at: "2026-03-12T08:00:00Z",
            },
          ],
        },
        { email: "s_t%@ACME.test", name: "S*r.(x)+", created_at: "2026-01-05T00:00:00Z" },
        {
          id: CHARLES,
          email: "charles@acme.test",
          name: "Charles Babbage",
          created_at: "2025-12-24T18:00:00Z",
          password_digest: "digest",
          sessions: [
            {
              id: "00000000-0000-4000-8000-00000000003a",
              session_id: "svc_session_00000000-0000-4000-8000-000000000003",
              provider: "password",
              ip_address: "192.0.2.44",
              logged_in_at: "2025-12-24T18:00:00Z",
            },
            {
              session_id: "svc_session_00000000-0000-4000-8000-000000000004",
              provider: "twitter",
              ip_address: "2001:db8::1",
              logged_in_at: "2026-05-10T00:00:00Z",
            },
          ],
        },
      ],
    },
    {
      name: "Globex",
      subdomain: "globex",
      users: [
        {
          email: "x@acme.test",
          name: "Ada Lovelace",
          created_at: "2026-01-05T09:00:00Z",
          sessions: [{ provider: "google", ip_address: "203.0.113.7", logged_in_at: "2026-05-01T08:00:00Z" }],
        },
      ],
    },
  ],
};

function search({ acme, as }: Service, noun: "users" | "sessions", query: string): Promise<Response> {
  return as(acme, `/api/v1/${noun}/search?query=${encodeURIComponent(query)}`);
}

type Row = [query: string, found: string];

describe("a search of users", () => {
  const ALL = "gjasc";

  it.each<[string, Row[]]>([
    [
      "field:value is an exact match",
      [
        ["email:ada@acme.test", "a"],
        ["name:Ada", ""],
        ["name:Lovelace", ""],
        [`id:${CHARLES}`, "c"],
        ["name:S*r.(x)+", "s"],
        ["avatar_url:https://cdn.test/ada.png?v=1", "a"],
      ],
    ],
    [
      "field:value* is what starts with it",
      [
        ["email:ada*", "a"],
        ["name:Grace*", "g"],
        ["email:cme*", ""],
        ["email:ada@acme.test*", "a"],
        [`id:${CHARLES.slice(0, -2)}*`, "c"],
        ["avatar_url:https://*", "a"],
      ],
    ],
    [
      "field:*value is what ends with it",
      [
        ["email:*@navy.test", "gj"],
        ["name:*Lovelace", "a"],
        ["email:*@navy", ""],
        ["email:*ada@acme.test", "a"],
      ],
    ],
    [
      "field:*value* is what contains it",
      [
        ["email:*acme*", "asc"],
        ["name:*a*", "gac"],
        ["name:*Ada*", "a"],
        ["email:*@acme.test*", "asc"],
      ],
    ],
    [
      "field>value is later",
      [
        ["created_at>2026-01-05", "gja"],
        ["created_at>2026-01-05T09:00:00Z", "gj"],
        ["updated_at>2026-01-05", "gja"],
        ["email_verified_at>2026-01-05", "ga"],
      ],
    ],
    [
      "field<value is earlier",
      [
        ["created_at<2026-01-05", "c"],
        ["created_at<2026-01-05T09:00:00Z", "sc"],
        ["created_at<2026-01-05T09:00:00.001Z", "asc"],
        ["email_verified_at<2026-02-01", "a"],
      ],
    ],
    [
      "field>=value is later or the same",
      [
        ["created_at>=2026-01-05", "gjas"],
        ["created_at>=2026-01-05T09:00:00Z", "gja"],
        ["email_verified_at>=2026-01-05T09:00:00Z", "ga"],
      ],
    ],
    [
      "field<=value is earlier or the same",
      [
        ["created_at<=2026-01-05", "sc"],
        ["created_at<=2026-01-05T09:00:00Z", "asc"],
        ["updated_at<=2025-12-24T18:00:00Z", "c"],
      ],
    ],
    [
      "-field:value is everything else",
      [
        ["-email:ada@acme.test", "gjsc"],
        ["-email:ada*", "gjsc"],
        ["-email:*@acme.test", "gj"],
        ["-name:*a*", "js"],
        ["-created_at:2026-01-05", "gc"],
      ],
    ],
    [
      "one field with several values: any of them",
      [
        ["email:ada@acme.test email:grace@navy.test", "ga"],
        ["email:ada* email:*navy*", "gja"],
        ["email:ada* email:ada*", "a"],
        ["created_at:2025-12-24 created_at:2026-02-14", "gc"],
      ],
    ],
    [
      "different fields: all of them",
      [
        ["email:*acme* name:Ada*", "a"],
        ["email:*navy* name:Ada*", ""],
        ["name:Ada* name:Grace* email:*acme*", "a"],
        ["name:Ada* email:*acme* name:Grace*", "a"],
        ["email:*acme* created_at>2026-01-01", "as"],
      ],
    ],
    [
      "one field with several comparisons: a range",
      [
        ["created_at>=2026-01-05 created_at<2026-01-06", "jas"],
        ["created_at<2026-01-06 created_at>=2026-01-05", "jas"],
        ["created_at>2026-02-01 created_at<2026-01-01", ""],
        ["created_at>=2026-01-01 created_at>=2026-02-01", "g"],
      ],
    ],
    [
      "one field with values and a range: any of the values, or the range",
      [
        ["created_at:2025-12-24 created_at>=2026-02-01 created_at<2026-03-01", "gc"],
        ["created_at>=2026-01-05T09:00:00Z created_at:2025-12-24 created_at<2026-02-01", "jac"],
      ],
    ],
    [
      "one field with several negations: none of them",
      [
        ["-email:ada* -email:grace*", "jsc"],
        ["email:*acme.test -email:ada*", "sc"],
        ["-email:ada* email:*acme.test", "sc"],
        ["email:ada* -email:ada*", ""],
        ["created_at>=2026-01-05 -created_at:2026-01-05", "g"],
        ["created_at:2025-12-24 created_at>2026-01-01 -created_at:2026-01-05", "gc"],
      ],
    ],
    [
      "text is compared without regard to case",
      [
        ["email:ADA@ACME.TEST", "a"],
        ["email:S_T%@acme.test", "s"],
        ["email:*@Acme.Test", "asc"],
        ["name:gRACE*", "g"],
        ["-name:ADA*", "gjsc"],
      ],
    ],
    [
      "text is compared without regard to Unicode's ways of spelling it",
      [
        ["name:Jos\u00e9*", "j"],
        ["name:Jose\u0301*", "j"],
        ["name:*field", "j"],
        ["name:*ﬁeld", "j"],
        ["name:ＡＤＡ*", "a"],
      ],
    ],
    [
      "an asterisk inside a value is an asterisk",
      [
        ["name:S*r*", "s"],
        ["name:**r*", "s"],
        ["name:G*e*", ""],
        ["email:*a*a*", ""],
      ],
    ],
    [
      "no other character is a wildcard",
      [
        ["email:%*", ""],
        ["email:a_a*", ""],
        ["email:s_t%*", "s"],
        ["email:ada.acme.test", ""],
        ["name:.*", ""],
        ["name:*(x)+", "s"],
        ["name:?da*", ""],
      ],
    ],
    [
      "an asterisk alone is any text",
      [
        ["name:*", ALL],
        ["name:**", ALL],
        ["avatar_url:*", "a"],
        ["-avatar_url:*", "gjsc"],
      ],
    ],
    [
      "a date is that whole UTC day",
      [
        ["created_at:2026-01-05", "jas"],
        ["created_at:2026-01-06", ""],
        ["email_verified_at:2026-01-05", "a"],
        ["created_at>2024-02-29", ALL],
      ],
    ],
    [
      "a timestamp is that moment, however it is written",
      [
        ["created_at:2026-01-05T09:00:00Z", "a"],
        ["created_at:2026-01-05T09:00Z", "a"],
        ["created_at:2026-01-05T09:00:00.0Z", "a"],
        ["created_at:2026-01-05T10:30:00+01:30", "a"],
        ["created_at:2026-01-04T23:00:00-10:00", "a"],
        ["created_at:2026-01-05T09:00:01Z", ""],
        ["created_at:2026-01-05T23:59:59.999Z", "j"],
        ["-created_at:2026-01-05T09:00:00Z", "gjsc"],
      ],
    ],
    [
      "a comparison holds to the ends of time",
      [
        ["created_at>=0000-01-01", ALL],
        ["created_at<9999-12-31T23:59:59Z", ALL],
        ["created_at>2026-12-31", ""],
      ],
    ],
    [
      "field:null is the absence of a value",
      [
        ["avatar_url:null", "gjsc"],
        ["-avatar_url:null", "a"],
        ["email_verified_at:null", "jsc"],
        ["-email_verified_at:null", "ga"],
        ["name:null", ""],
        ["-name:null", ALL],
      ],
    ],
    [
      "no value satisfies nothing else, and so every negation",
      [
        ["email_verified_at<2030-01-01", "ga"],
        ["email_verified_at>=0000-01-01", "ga"],
        ["-email_verified_at:2026-01-05", "gjsc"],
        ["-avatar_url:*cdn*", "gjsc"],
        ["email_verified_at:null email_verified_at>=2026-02-01", "gjsc"],
        ["email_verified_at:null -email_verified_at:null", ""],
      ],
    ],
    [
      "spaces between terms may be many, and nothing else is between terms",
      [
        ["name:Ada*\nemail:*acme*", ""],
        ["name:Ada*\temail:*acme*", ""],
        ["  email:*acme*   name:Ada*  ", "a"],
        [" -email:ada*", "gjsc"],
      ],
    ],
  ])("%s", async (_, rows) => {
    const service = await setup({ seed: SEED });
    const found = rows.map(async ([query]): Promise<Row> => {
      const users = (await (await search(service, "users", query)).json()) as User[];
      return [query, users.map(({ data }) => data.email[0]).join("")];
    });
    expect(await Promise.all(found)).toEqual(rows);
  });

  it("knows the two small sigmas for one letter, which only their place in a word tells apart", async () => {
    const users = [{ email: "sisyphos@acme.test", name: "ΣΙΣΥΦΟΣ" }];
    const service = await setup({ seed: { instances: [{ ...SEED.instances[0], users }, SEED.instances[1]] } });
    for (const query of ["name:ΣΙΣΥΦΟΣ", "name:σισυφος", "name:ΣΙΣ*", "name:σισ*", "name:*ΟΣ", "name:*Σ*"]) {
      expect([query, await (await search(service, "users", query)).json()]).toMatchObject([
        query,
        [{ data: users[0] }],
      ]);
    }
  });
});

describe("a search of sessions", () => {
  it.each<[string, Row[]]>([
    [
      "provider is text like any other",
      [
        ["provider:google", "1"],
        ["provider:GitHub", "2"],
        ["provider:password", "3"],
        ["provider:twitter", "4"],
        ["provider:g*", "12"],
        ["provider:*r", "4"],
        ["provider:*e*", "14"],
        ["-provider:g*", "43"],
        ["provider:google provider:password", "13"],
        ["-provider:google -provider:github", "43"],
      ],
    ],
    [
      "ip_address takes wildcards",
      [
        ["ip_address:203.0.113.7", "1"],
        ["ip_address:203.0.*", "1"],
        ["ip_address:*.44", "3"],
        ["ip_address:*.100.*", "2"],
        ["ip_address:2001:db8::1", "4"],
        ["ip_address:2001:DB8:*", "4"],
        ["ip_address:19*", "23"],
      ],
    ],
    [
      "email and name are those of the sign-in",
      [
        ["email:ada@acme.test", "12"],
        ["email:*@acme.test", "1423"],
        ["name:*Babbage", "43"],
        ["-name:Ada*", "43"],
      ],
    ],
    [
      "ids are text",
      [
        [`user_id:${CHARLES}`, "43"],
        ["session_id:svc_session_00000000-0000-4000-8000-000000000002", "2"],
        ["session_id:svc_session_*", "1423"],
        ["id:00000000-0000-4000-8000-00000000003a", "3"],
      ],
    ],
    [
      "logged_in_at, last_signin_at and created_at are dates",
      [
        ["logged_in_at>=2026-05-01", "14"],
        ["logged_in_at:2026-05-01", "1"],
        ["last_signin_at>=2026-05-10", "14"],
        ["last_signin_at>2026-05-10", "1"],
        ["last_signin_at:2026-05-01", ""],
        ["last_signin_at>=2026-03-01 last_signin_at<2026-05-20", "42"],
        ["created_at<2026-01-01", "3"],
        ["created_at<=2026-05-01T08:00:00Z", "123"],
      ],
    ],
    [
      "revoked_at is a date or nothing",
      [
        ["revoked_at:null", "143"],
        ["-revoked_at:null", "2"],
        ["revoked_at:2026-03-12", "2"],
        ["-revoked_at:2026-03-12", "143"],
        ["revoked_at>=2026-03-12T08:00:00Z", "2"],
        ["revoked_at<2030-01-01", "2"],
      ],
    ],
    [
      "fields combine",
      [
        ["provider:g* revoked_at:null", "1"],
        ["email:ada@acme.test -provider:github", "1"],
        ["email:charles* provider:google provider:twitter", "4"],
        ["provider:g* logged_in_at<2026-04-01 -revoked_at:null", "2"],
      ],
    ],
  ])("%s", async (_, rows) => {
    const service = await setup({ seed: SEED });
    const found = rows.map(async ([query]): Promise<Row> => {
      const sessions = (await (await search(service, "sessions", query)).json()) as Session[];
      return [query, sessions.map(({ data }) => data.session_id.at(-1)).join("")];
    });
    expect(await Promise.all(found)).toEqual(rows);
  });
});

const USER_FIELDS = "id, email, name, avatar_url, created_at, updated_at, email_verified_at";
const SESSION_FIELDS =
  "id, session_id, user_id, provider, email, name, ip_address, logged_in_at, last_signin_at, revoked_at, created_at";

const noField = (name: string, fields: string): string => `there is no field "${name}". Fields: ${fields}`;
const noTerm = (token: string): string =>
  `"${token}" is not a term. Write field:value, e.g. email:*@acme.com. A value cannot contain a space.`;
const noDate = (name: string, text: string): string =>
  `"${text}" is no date for ${name}. Write 2026-01-31 or 2026-01-31T23:59:59Z.`;
const noText = (token: string, name: string): string =>
  `"${token}" compares ${name}, which is text. Write ${name}:value.`;
const noWildcard = (name: string): string =>
  `${name} is a date and takes no wildcard. Write ${name}:2026-01-31 or ${name}>=2026-01-31.`;
const noWildcardOrNull = (name: string): string =>
  `${name} is a date and takes no wildcard. Write ${name}:null, ${name}:2026-01-31 or ${name}>=2026-01-31.`;

describe("a search that can't be understood", () => {
  it.each([
    ["nickname:ada", noField("nickname", USER_FIELDS)],
    ["-nickname:ada", noField("nickname", USER_FIELDS)],
    ["nickname>2026-01-01", noField("nickname", USER_FIELDS)],
    ["email:ada* nickname:ada", noField("nickname", USER_FIELDS)],
    ["Email:ada", noField("Email", USER_FIELDS)],
    ["provider:google", noField("provider", USER_FIELDS)],
    ["constructor:x", noField("constructor", USER_FIELDS)],
    ["__proto__:x", noField("__proto__", USER_FIELDS)],
    [":ada", noField("", USER_FIELDS)],
    ["--email:ada", noField("-email", USER_FIELDS)],
    ["*:ada", noField("*", USER_FIELDS)],
    ["ada", noTerm("ada")],
    ["-", noTerm("-")],
    ["ada@acme.test", noTerm("ada@acme.test")],
    ["email=ada", noTerm("email=ada")],
    ["created_at=>2026-01-01", noTerm("created_at=>2026-01-01")],
    ["name:Ada Lovelace", noTerm("Lovelace")],
    ["email: ada", '"email:" has no value. Write email:value.'],
    ["-email:", '"-email:" has no value. Write email:value.'],
    ["created_at>", '"created_at>" has no value. Write created_at>value.'],
    ["created_at<=", '"created_at<=" has no value. Write created_at<=value.'],
    ["email>ada", noText("email>ada", "email")],
    ["name<ada", noText("name<ada", "name")],
    ["avatar_url>=ada", noText("avatar_url>=ada", "avatar_url")],
    ["id<=ada", noText("id<=ada", "id")],
    ["-email>ada", noText("-email>ada", "email")],
    ["-created_at>2026-01-01", '"-created_at>2026-01-01" negates a comparison. Turn the comparison round instead.'],
    ["created_at:2026*", noWildcard("created_at")],
    ["created_at:*", noWildcard("created_at")],
    ["updated_at:*-01-05", noWildcard("updated_at")],
    ["-created_at:*01*", noWildcard("created_at")],
    ["email_verified_at:*", noWildcardOrNull("email_verified_at")],
    ["created_at>*", noDate("created_at", "*")],
    ["created_at:yesterday", noDate("created_at", "yesterday")],
    ["created_at:2026", noDate("created_at", "2026")],
    ["created_at:2026-1-5", noDate("created_at", "2026-1-5")],
    ["created_at:20260105", noDate("created_at", "20260105")],
    ["created_at:2026-02-30", noDate("created_at", "2026-02-30")],
    ["created_at:2025-02-29", noDate("created_at", "2025-02-29")],
    ["created_at>2026-13-01", noDate("created_at", "2026-13-01")],
    ["created_at>2026-02-30T00:00:00Z", noDate("created_at", "2026-02-30")],
    ["created_at:2026-01-05T09:00:00", noDate("created_at", "2026-01-05T09:00:00")],
    ["created_at:2026-01-05T25:00:00Z", noDate("created_at", "2026-01-05T25:00:00Z")],
    ["created_at:2026-01-05T09:60:00Z", noDate("created_at", "2026-01-05T09:60:00Z")],
    ["created_at:2026-01-05T09:00:00+99:99", noDate("created_at", "2026-01-05T09:00:00+99:99")],
    ["created_at:2026-01-05T", noDate("created_at", "2026-01-05T")],
    ["created_at>1767603600", noDate("created_at", "1767603600")],
    ["created_at:null", noDate("created_at", "null")],
    ["email_verified_at>null", noDate("email_verified_at", "null")],
    ["email_verified_at:NULL", noDate("email_verified_at", "NULL")],
    ["created_at<9999-12-31T23:59:59-01:00", noDate("created_at", "9999-12-31T23:59:59-01:00")],
    ["created_at>0000-01-01T00:00:00+01:00", noDate("created_at", "0000-01-01T00:00:00+01:00")],
  ])("of users: %s", async (query, message) => {
    const response = await search(await setup({ seed: SEED }), "users", query);
    expect([response.status, await response.json()]).toEqual([400, { error: `Invalid query: ${message}` }]);
  });

  it.each([
    ["nickname:ada", noField("nickname", SESSION_FIELDS)],
    ["active:true", noField("active", SESSION_FIELDS)],
    ["updated_at>2026-01-01", noField("updated_at", SESSION_FIELDS)],
    ["google", noTerm("google")],
    ["provider:", '"provider:" has no value. Write provider:value.'],
    ["provider>google", noText("provider>google", "provider")],
    ["ip_address<=203.0.113.7", noText("ip_address<=203.0.113.7", "ip_address")],
    ["logged_in_at:2026*", noWildcard("logged_in_at")],
    ["last_signin_at:*", noWildcard("last_signin_at")],
    ["created_at:*-05-*", noWildcard("created_at")],
    ["revoked_at:*", noWildcardOrNull("revoked_at")],
    ["revoked_at:true", noDate("revoked_at", "true")],
    ["last_signin_at:null", noDate("last_signin_at", "null")],
    ["-revoked_at<2026-01-01", '"-revoked_at<2026-01-01" negates a comparison. Turn the comparison round instead.'],
  ])("of sessions: %s", async (query, message) => {
    const response = await search(await setup({ seed: SEED }), "sessions", query);
    expect([response.status, await response.json()]).toEqual([400, { error: `Invalid query: ${message}` }]);
  });

  it.each(["digest", "*", "null", "d*"])("names the password's digest like a field that is none: %s", async (value) => {
    const service = await setup({ seed: SEED });
    for (const query of [`password_digest:${value}`, `-password_digest:${value}`, `password_digest>${value}`]) {
      const hidden = await search(service, "users", query);
      const unknown = await search(service, "users", query.replace("password_digest", "nickname"));
      expect(hidden.status).toBe(400);
      expect((await hidden.text()).replace("password_digest", "nickname")).toBe(await unknown.text());
      expect([...hidden.headers]).toEqual([...unknown.headers]);
    }
  });
});

function terms(count: number): string {
  return Array.from({ length: count }, (_, i) => `name:x${i}`).join(" ");
}

/** Terms that have so many bytes together, most of them in such letters. */
function bytes(count: number, letter = "x"): string {
  const term = `name:${letter.repeat(240 / Buffer.byteLength(letter))}`;
  const others = Array.from({ length: 8 }, () => term).join(" ");
  const rest = count - Buffer.byteLength(others) - " name:".length;
  return `${others} name:${"x".repeat(rest)}`;
}

describe("a search that is too long", () => {
  it.each([
    ["32 terms", terms(32)],
    ["2,048 bytes", bytes(2048)],
    ["2,048 bytes that are fewer letters", bytes(2048, "é")],
    ["a value of 256 letters", `name:${"x".repeat(256)}`],
    ["a pattern of 256 letters", `name:*${"x".repeat(254)}*`],
  ])("is answered at %s", async (_, query) => {
    const response = await search(await setup({ seed: SEED }), "users", query);
    expect([response.status, await response.json()]).toEqual([200, []]);
  });

  it.each([
    ["33 terms", terms(33), "more than 32 terms"],
    ["2,049 bytes", bytes(2049), "longer than 2048 bytes"],
    ["2,049 bytes that are fewer letters", bytes(2049, "é"), "longer than 2048 bytes"],
    ["a value of 257 letters", `name:${"x".repeat(257)}`, "the value of name is longer than 256 characters"],
  ])("is refused at %s", async (_, query, message) => {
    const response = await search(await setup({ seed: SEED }), "users", query);
    expect([response.status, await response.json()]).toEqual([400, { error: `Invalid query: ${message}` }]);
  });
});
