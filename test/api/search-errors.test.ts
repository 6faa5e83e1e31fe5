import { describe, expect, it } from "vitest";
import { SESSION_FIELDS, USER_FIELDS } from "../../src/wire/search/fields.ts";
import { search, SEED } from "../_search.ts";
import { answer } from "../_answers.ts";
import { setup } from "../_setup.ts";

const noField = (name: string, fields: object): string =>
  `unknown field "${name}". Fields: ${Object.keys(fields).join(", ")}`;

const noTerm = (token: string): string =>
  `"${token}" is not a search term. Write field:value, e.g. email:*@acme.com. A value cannot contain a space.`;

const noDate = (name: string, text: string): string =>
  `"${text}" is not a valid date for ${name}. Write 2026-01-31 or 2026-01-31T23:59:59Z.`;

const noText = (token: string, name: string): string =>
  `"${token}" compares ${name}, which is text. Write ${name}:value.`;

const noWildcard = (name: string): string =>
  `"${name}" is a date and takes no wildcard. Write ${name}:2026-01-31 or ${name}>=2026-01-31.`;

const noWildcardOrNull = (name: string): string =>
  `"${name}" is a date and takes no wildcard. Write ${name}:null, ${name}:2026-01-31 or ${name}>=2026-01-31.`;

describe("A search that cannot be parsed", () => {
  it.each([
    ["nickname:ada", noField("nickname", USER_FIELDS)],
    ["-nickname:ada", noField("nickname", USER_FIELDS)],
    ["nickname>2026-01-01", noField("nickname", USER_FIELDS)],
    ["email:ada* nickname:ada", noField("nickname", USER_FIELDS)],
    ["Email:ada", noField("Email", USER_FIELDS)],
    ["providers:google", noField("providers", USER_FIELDS)],
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
  ])("of users answers 400: %s", async (query, message) => {
    const response = await search(await setup({ seed: SEED }), "users", query);
    expect([response.status, await response.json()]).toEqual([400, { error: `Invalid query: ${message}` }]);
  });

  it.each([
    ["nickname:ada", noField("nickname", SESSION_FIELDS)],
    ["active:yes", '"active" is true or false. Write active:true or active:false.'],
    ["active:TRUE", '"active" is true or false. Write active:true or active:false.'],
    ["active:t*", '"active" is true or false. Write active:true or active:false.'],
    ["active:null", '"active" is true or false. Write active:true or active:false.'],
    ["active>false", '"active" is true or false. Write active:true or active:false.'],
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
  ])("of sessions answers 400: %s", async (query, message) => {
    const response = await search(await setup({ seed: SEED }), "sessions", query);
    expect([response.status, await response.json()]).toEqual([400, { error: `Invalid query: ${message}` }]);
  });
});

function terms(count: number): string {
  return Array.from({ length: count }, (_, i) => `name:x${i}`).join(" ");
}

/** A query of that many bytes. */
function bytes(count: number, letter = "x"): string {
  const term = `name:${letter.repeat(3000 / Buffer.byteLength(letter))}`;
  const rest = count - Buffer.byteLength(`${term} ${term} name:`);
  return `${term} ${term} name:${"x".repeat(rest)}`;
}

describe("The maximum length of a search", () => {
  it.each([
    ["256 terms", terms(256)],
    ["8,192 bytes", bytes(8192)],
    ["8,192 bytes that are fewer characters", bytes(8192, "é")],
    ["one value of 8,187 characters", `name:${"x".repeat(8187)}`],
    ["one pattern of 8,185 characters", `name:*${"x".repeat(8185)}*`],
  ])("allows %s", async (_, query) => {
    const response = await search(await setup({ seed: SEED }), "users", query);
    expect([response.status, await response.json()]).toEqual([200, []]);
  });

  it.each([
    ["257 terms", terms(257), "the query has more than 256 terms"],
    ["8,193 bytes", bytes(8193), "the query is longer than 8192 bytes"],
    ["8,193 bytes that are fewer characters", bytes(8193, "é"), "the query is longer than 8192 bytes"],
  ])("refuses %s", async (_, query, message) => {
    const response = await search(await setup({ seed: SEED }), "users", query);
    expect([response.status, await response.json()]).toEqual([400, { error: `Invalid query: ${message}` }]);
  });
});

it.each(["users", "sessions"])("A list of %s refuses a query, which would be taken for a search", async (name) => {
  const { as, acme, fetch } = await setup();
  for (const query of ["query=email:x", "query=", "limit=1&query=email:x"]) {
    expect(await answer(await as(acme, `/api/v1/${name}?${query}`))).toEqual([
      400,
      { error: `Bad request: this list takes no query; search with /api/v1/${name}/search` },
    ]);
  }
  expect((await fetch(`/api/v1/${name}?query=email:x`)).status).toBe(401);
  expect((await as(acme, `/api/v1/${name}?colour=blue`)).status).toBe(200);
});
