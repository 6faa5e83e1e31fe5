import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Fetch } from "../../src/http/fetch.ts";
import { SESSIONS } from "../../src/cli/search/flags.ts";
import { parseQuery, printTerm } from "../../src/wire/search/query.ts";
import { runCli, type CliOptions } from "../_cli.ts";
import { ADA, setup } from "../_setup.ts";

const USERS_SEARCH = ["users", "search"];
const SESSIONS_SEARCH = ["sessions", "search"];

/** A service where no search matches. */
const nobody: Fetch = async () => new Response("[]") as Awaited<ReturnType<Fetch>>;

/** The query that a command sends, or undefined. */
async function queryOf(argv: readonly string[], options: CliOptions = {}): Promise<string | null | undefined> {
  const { requests } = await runCli(argv, { service: await setup(), fetch: nobody, ...options });
  return requests[0] && new URL(requests[0].url).searchParams.get("query");
}

describe("A search term", () => {
  it.each<[wire: string, ...others: string[][]]>([
    ["email:ada@acme.test", ["--email", "ada@acme.test"]],
    ["email:*@acme.test", ["--email-domain", "acme.test"], ["--email-domain", "@acme.test"]],
    ["email:*@xn--bcher-kva.test", ["--email-domain", "b\u00fccher.test"]],
    ["name:ada*", ["--name", "ada*"]],
    ["name:*ada*", ["--name", "ada"]],
    ["created_at>=2026-01-01", ["--since", "2026-01-01"], ["--since", "2026-01"], ["--since", "2026"]],
    ["created_at<2026-02-01", ["--until", "2026-01-31"], ["--until", "2026-01"]],
    ["created_at<2027-01-01", ["--until", "2026"], ["--until", "2026-12"]],
    ["created_at>=2026-06-01", ["--since", "today"]],
    ["created_at>=2026-05-31 created_at<2026-06-01", ["--since", "yesterday", "--until", "yesterday"]],
    ["created_at>=2025-06-01T12:00:00.000Z", ["--since", "1y"], ["--since", "365d"]],
    ["created_at>=2026-05-25T12:00:00.000Z", ["--since", "7d"], ["--since", "168h"], ["--since", "1w"]],
    ["created_at<2026-01-31T10:00:00Z", ["--until", "2026-01-31T10:00:00Z"]],
    ["email_verified_at:null", ["--unverified"]],
    ["name:a -name:b", ["-name:b", "name:a"], ["-name:b name:a"]],
    ["email:a@b.c email:b@b.c", ["--email", "a@b.c", "--email", "b@b.c"]],
  ])("that is %s on the wire can be written as %j", async (wire, ...others) => {
    const [sent] = [await queryOf([...USERS_SEARCH, ...wire.split(" ")])];
    for (const args of others) expect([args, await queryOf([...USERS_SEARCH, ...args])]).toEqual([args, sent]);
  });

  it.each<[wire: string, args: string[]]>([
    ["provider:github", ["--provider", "github"]],
    ["ip_address:203.0.113.7", ["--ip", "203.0.113.7"]],
    ["ip_address:203.0.113.7", ["--ip", "::ffff:203.0.113.7"]],
    [`user_id:${ADA}`, ["--user", ADA]],
    ["last_signin_at>=2026-01-01", ["--since", "2026-01-01"]],
    ["revoked_at:null", ["--active"]],
  ])("of a session, %s, can be written as %j", async (wire, args) => {
    expect(await queryOf([...SESSIONS_SEARCH, ...args])).toBe(wire);
  });

  it("that is negated can start a whole query in one argument", async () => {
    expect(await queryOf([...USERS_SEARCH, "-name:a name:b"])).toBe("name:b -name:a");
  });

  it("with a field unknown to svc is sent as typed", async () => {
    expect(await queryOf([...USERS_SEARCH, "-name:b", "plan:pro", "name:a"])).toBe("-name:b plan:pro name:a");
  });
});

describe("A search that cannot match", () => {
  it.each<[args: string[], message: string | RegExp]>([
    [["email:"], /has no value/],
    [["--email", ""], "--email is empty."],
    [["--email-domain="], "--email-domain is empty."],
    [[""], "No search terms."],
    [["email=ada@acme.test"], /is not a search term/],
    [["email==ada@acme.test"], /is not a search term/],
    [["email.ends=@acme.test"], /is not a search term/],
    [["created_at>=yesterday"], /"yesterday" is not a valid date/],
    [["--verified"], /Unknown option/],
    [["--not", "name:x"], /Unknown option/],
    [["--query", "name:x"], /Unknown option/],
    [["--since", "2026-11-23T00:00"], '--since: "2026-11-23T00:00" is not a time with a zone.'],
    [["--since", "2026-13"], '--since: "2026-13" is not a time.'],
    [["--since", "2026-13-01"], '--since: "2026-13-01" is not a time.'],
    [["--since", "2026-02-31"], '--since: "2026-02-31" is not a time.'],
    [["--since", "2026-02-31T10:00:00Z"], '--since: "2026-02-31T10:00:00Z" is not a time.'],
    [["--email", "--count"], '--email has no value: "--count" is a flag.'],
    [["--since", "7 d"], '--since: "7 d" is not a time.'],
    [["--name", "Ada* Lovelace"], "--name: a value cannot contain a space."],
    [["--name", "Ada Lovelace", "--name", "Gr*"], "--name 'Ada Lovelace' goes with no other term of name."],
    [["--email", "ada"], '--email: "ada" is not an e-mail address.'],
    [["--email-domain", "acme"], '--email-domain: "acme" is not a whole domain, such as acme.test.'],
    [["--email-domain", "*.acme.test"], '--email-domain: "*.acme.test" is not a whole domain, such as acme.test.'],
    [["--email-domain", "a@acme.test"], '--email-domain: "a@acme.test" is not a whole domain, such as acme.test.'],
    [["--email-domain", "a.test,b.test"], '--email-domain: "a.test,b.test" is not a whole domain, such as acme.test.'],
    [["--provider", "foo*"], '--provider: unknown provider "foo*".'],
    [["name:Ada", "Lovelace"], /^"Lovelace" is not a search term\./],
    [["name:Ada Lovelace"], /^"Lovelace" is not a search term\./],
    [["email"], '"email" has no value.'],
    [["!provider:github"], '"!provider:github": ! does not negate a term.'],
    [["email:a", "OR", "email:b"], '"OR" is not a search term.'],
    [["Email:a"], /[Uu]nknown field "Email"/],
    [["email==ada@acme.test"], /is not a search term/],
    [["--ip", "192.0.2.1"], /Unknown option/],
    [["--provider", "password"], '--provider: unknown provider "password".'],
  ])("with %j is refused, and nothing is sent", async (args, message) => {
    const { code, stdout, stderr, requests } = await runCli([...USERS_SEARCH, ...args], { service: await setup() });
    expect([code, stdout, requests]).toEqual([2, "", []]);
    const [first = ""] = stderr.replace(/^(✗|error:) /, "").split("\n");
    if (typeof message === "string") expect(first).toBe(message);
    else expect(first).toMatch(message);
  });

  it("is sent if only its field is unknown to svc", async () => {
    const service = await setup();
    const { requests, stderr } = await runCli([...USERS_SEARCH, "emial:x"], { service, fetch: nobody });
    expect([requests.length, stderr]).toEqual([1, ""]);
  });

  it.each([
    ["users", "emial:x", 'Did you mean "email"?'],
    ["users", "-user_id:x", "Sessions have this field. Use: svc sessions search '-user_id:x'"],
    ["users", "providers:github", "It is shown, but can't be searched for. Use: provider:github"],
    ["sessions", "provder:github", 'Did you mean "provider"?'],
    ["users", "colour:red", undefined],
  ])("with an unknown field in svc %s search %s reports it once with a suggestion", async (noun, term, hint) => {
    const { code, stderr } = await runCli([noun, "search", term], { service: await setup() });
    const field = /\w+/.exec(term)![0];
    const [error = "", ...more] = stderr.trimEnd().split("\n");
    expect([code, error]).toEqual([
      2,
      expect.stringMatching(`^✗ Invalid query: unknown field "${field}". Fields: id, `),
    ]);
    expect(more).toEqual(hint === undefined ? [] : [`  ${hint}`]);
    const json = await runCli([noun, "search", term, "--json"], { service: await setup() });
    expect(JSON.parse(json.stderr)).toMatchObject({ error: { code: "invalid_query", ...(hint && { hint }) } });
  });
});

it("A term that the shell has cut is refused with its quotes", async () => {
  const { code, stderr } = await runCli([...USERS_SEARCH, "created_at"], { service: await setup() });
  expect([code, stderr]).toEqual([
    2,
    '✗ "created_at" has no operator. Your shell probably took a > or < for itself; delete the file that it made here.\n' +
      "  Quote the term: 'created_at>=2026-01-01'\n",
  ]);
});

describe("svc users search --explain", () => {
  const explain = [...USERS_SEARCH, "--explain"];

  it("prints what the query means, and sends nothing", async () => {
    const argv = [...explain, "email:*@acme.test", "-name:bot*", "created_at>=2026-01-01", "--json"];
    const { code, stdout, stderr, requests } = await runCli(argv);
    expect([code, stderr, requests]).toEqual([0, "", []]);
    expect(JSON.parse(stdout)).toEqual({
      query: "email:*@acme.test -name:bot* created_at>=2026-01-01",
      means:
        'users whose email ends with "@acme.test"; and whose name does not start with "bot"; and whose created_at is at or after 2026-01-01 00:00 UTC',
    });
  });

  it.each<[wire: string, words: string]>([
    ["email:a email:b", 'email either is "a" or is "b"'],
    ["-email:a -email:*b*", 'email is not "a", and does not contain "b"'],
    ["email:a* -email:ab", 'email starts with "a", and is not "ab"'],
    [
      "created_at>2026-01-01 created_at<=2026-02-01",
      "created_at is after 2026-01-01 00:00 UTC and is at or before 2026-02-01 00:00 UTC (a range)",
    ],
    [
      "created_at<2026-01-10 created_at>2026-03-04",
      "created_at either is before 2026-01-10 00:00 UTC or is after 2026-03-04 00:00 UTC (these do not overlap, so either is enough)",
    ],
    [
      "created_at>2026-01-01 created_at>2026-03-01 created_at<2026-02-01",
      "created_at is after 2026-01-01 00:00 UTC and is before 2026-02-01 00:00 UTC (a range)",
    ],
    [
      "created_at>2026-01-01 created_at>2026-03-01",
      "created_at either is after 2026-01-01 00:00 UTC or is after 2026-03-01 00:00 UTC",
    ],
    ["provider:github provider:goo*", 'provider either is "github" or starts with "goo"'],
    ["-provider:github -provider:*o*", 'provider is not "github", and does not contain "o"'],
    ["provider:null", "provider is empty"],
    ["-provider:null", "provider is not empty"],
    ["-provider:*", "provider is nothing at all"],
    ["created_at:2026-01-01", "created_at is on 2026-01-01, in UTC"],
    ["email_verified_at:null", "email_verified_at is empty"],
    ["-avatar_url:null", "avatar_url is not empty"],
    ["name:*", "name is anything"],
  ])("describes %s as: %s", async (wire, words) => {
    const { stdout } = await runCli([...explain, ...wire.split(" "), "--json"]);
    expect((JSON.parse(stdout) as { means: string }).means).toBe(`users whose ${words}`);
  });

  it("is for sessions svc sessions search --explain, which sends nothing", async () => {
    const argv = ["sessions", "search", "--explain", "-provider:github", "--json"];
    const { code, stdout, stderr, requests } = await runCli(argv);
    expect([code, stderr, requests]).toEqual([0, "", []]);
    expect(JSON.parse(stdout)).toMatchObject({ query: "-provider:github" });
  });
  it.each<[args: string[], hint: string]>([
    [["ip_address:192.0.2.1"], "svc sessions search 'ip_address:192.0.2.1'"],
    [["--active"], "svc sessions search --active"],
    [["uid:583231"], "email:<id>@twitter.invalid"],
    [["login:octocat"], "email:<id>@twitter.invalid"],
    [["acme"], "svc users search --name acme. An address: svc users search 'email:*acme*'"],
    [["name:Ada", "Lovelace"], "svc users search --name 'Ada Lovelace'"],
    [["name:Ada Lovelace", "created_at<2026-01-01"], "svc users search --name 'Ada Lovelace'\n"],
    [["Ada", "Lovelace"], "svc users search --name 'Ada Lovelace'"],
  ])("says for %j what to write instead", async (args, hint) => {
    const { code, stderr } = await runCli([...explain, ...args]);
    expect([code, stderr]).toEqual([2, expect.stringContaining(hint)]);
  });
});

describe("Random terms at random places of the command line", () => {
  const positive = fc.constantFrom("name:a*", "email:*@acme.test", "created_at>=2026-01-01", "name:-q", "email:--yes");
  const negative = fc.constantFrom("-name:bob", "-email:*x", "-created_at:2026-01-01", "-quiet_name:1");
  const option = fc.constantFrom<string[]>(
    ["--limit", "7"],
    ["--limit=7"],
    ["--output", "csv"],
    ["--output=csv"],
    ["--timeout", "9"],
    ["--utc"],
    ["--count"],
    ["--fields", "id,email"],
  );

  it("never change another option and are never lost", async () => {
    const service = await setup();
    const args = fc.array(fc.oneof(positive, negative, option), { minLength: 1, maxLength: 8 });
    await fc.assert(
      fc.asyncProperty(args, async (parts) => {
        const terms = parts.filter((part) => typeof part === "string");
        fc.pre(terms.length > 0);
        const { code, requests } = await runCli([...USERS_SEARCH, ...parts.flat()], { service, fetch: nobody });
        const { searchParams } = new URL(requests[0]!.url);
        const has = (name: string): boolean => parts.flat().some((part) => part.startsWith(name));
        expect([code, searchParams.get("limit")]).toEqual([0, has("--limit") ? "7" : "1000"]);
        expect(searchParams.get("query")!.split(" ").toSorted()).toEqual(terms.toSorted());
      }),
      { numRuns: 200 },
    );
  });

  it("keep their meaning in the service's parser", () => {
    const wire = parseQuery("-name:bob name:a*", SESSIONS.fields);
    expect(wire.flatMap(({ values, excluded }) => [...values, ...excluded]).map(printTerm)).toEqual([
      "name:a*",
      "-name:bob",
    ]);
  });
});
