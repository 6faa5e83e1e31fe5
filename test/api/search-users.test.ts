import { describe, expect, it } from "vitest";
import type { User } from "../../src/wire/resources.ts";
import { BY_PROVIDER, CHARLES, RANGES, type Row, search, SEED } from "../_search.ts";
import { setup } from "../_setup.ts";

describe("GET /api/v1/users/search", () => {
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
    ...RANGES,
    ...BY_PROVIDER,
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

  it("treats both lower-case sigmas as one letter, as only their place in a word differs", async () => {
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
