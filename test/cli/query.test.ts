// Below the faces: random terms, and the parser of the service. See transcripts/search.txt for the rest.
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Fetch } from "../../src/http/fetch.ts";
import { SESSIONS } from "../../src/cli/search/flags.ts";
import { parseQuery, printTerm } from "../../src/wire/search/query.ts";
import { runCli } from "../_cli.ts";
import { everyCommand } from "../_every-command.ts";
import { setup } from "../_setup.ts";

const USERS_SEARCH = ["users", "search"];

/** A service where no search matches. */
const nobody: Fetch = async () => new Response("[]") as Awaited<ReturnType<Fetch>>;

it.each([
  ["-name:b plan:pro name:a", ["-name:b", "plan:pro", "name:a"]],
  ["emial:x", ["emial:x"]],
])("The query %s, with a field unknown to svc, is sent as typed", async (query, terms) => {
  const sent = await runCli([...USERS_SEARCH, ...terms], { service: await setup(), fetch: nobody });
  expect([sent.requests.map(({ url }) => new URL(url).searchParams.get("query")), sent.stderr]).toEqual([[query], ""]);
});

it("A negated term can't be taken as an option's value, because no lower-case short option takes one", async () => {
  const commands = await everyCommand();
  const short = commands.flatMap(({ options }) => options.filter((option) => /^-[a-z]\b/.test(option)));
  expect(new Set(short)).toEqual(
    new Set(["-f, --follow", "-h, --help", "-i, --include", "-n, --dry-run", "-q, --quiet", "-y, --yes"]),
  );
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
