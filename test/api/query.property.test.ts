// Below the faces: a pure rule with thousands of random searches.

import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { matcher, Row } from "../../src/server/store/memory/match.ts";
import type { UserRecord } from "../../src/server/store/records.ts";
import { SESSION_FIELDS, USER_FIELDS, type Fields } from "../../src/wire/search/fields.ts";
import { parseQuery, printQuery, QueryError } from "../../src/wire/search/query.ts";
import { anyCharacter } from "../_characters.ts";
import { setup } from "../_setup.ts";
import { PROVIDERS } from "../../src/wire/providers.ts";

// The rules alone meet thousands of searches. The two files beside it, and the last test here, send theirs.

const TEXTS = ["email", "name", "avatar_url"] as const;
const DATES = ["created_at", "updated_at", "email_verified_at"] as const;

/** A term's meaning; `text` is how it is written. */
type Wish = { negated: boolean; text: string } & (
  | { field: (typeof TEXTS)[number]; how: "is" | "starts" | "ends" | "contains"; value: string }
  | { field: (typeof DATES)[number]; how: "on"; value: string }
  | { field: (typeof DATES)[number]; how: "at" | ">" | "<" | ">=" | "<="; value: string }
  | { field: "provider"; how: "is" | "starts" | "ends" | "contains"; value: string }
  | { field: "avatar_url" | "email_verified_at" | "provider"; how: "null"; value: string }
);

// Few letters, so that values collide: both cases, two spellings, one that folds to two, and the language's own signs.
const letters = fc.constantFrom("a", "A", "b", "é", "e\u0301", "ﬁ", "ß", "*", "%", "_", ".", ":", "<", "=", "-", "🙂");
const word = (least: number): fc.Arbitrary<string> => fc.string({ unit: letters, minLength: least, maxLength: 3 });

const operator = fc.constantFrom("is", "starts", "ends", "contains");
const part = fc.constantFrom("google", "GitHub", "twitter", "g", "goo", "hub", "t", "");
const textWish = fc
  .oneof(
    fc.record({ field: fc.constantFrom(...TEXTS), how: operator, value: word(0), negated: fc.boolean() }),
    fc.record({ field: fc.constant("provider" as const), how: operator, value: part, negated: fc.boolean() }),
  )
  // Otherwise asterisks at the ends would mean something else.
  .filter((wish) => {
    if (wish.how === "is") return wish.value !== "" && !wish.value.startsWith("*") && !wish.value.endsWith("*");
    if (wish.how === "starts") return !wish.value.startsWith("*");
    return wish.how === "contains" || (wish.value !== "" && !wish.value.endsWith("*"));
  })
  .map((wish) => {
    const pattern = { is: wish.value, starts: `${wish.value}*`, ends: `*${wish.value}`, contains: `*${wish.value}*` };
    return { ...wish, text: `${wish.negated ? "-" : ""}${wish.field}:${pattern[wish.how]}` };
  });

const nullWish = fc
  .record({ field: fc.constantFrom("avatar_url", "email_verified_at", "provider"), negated: fc.boolean() })
  .map((wish) => ({
    ...wish,
    how: "null" as const,
    value: "null",
    text: `${wish.negated ? "-" : ""}${wish.field}:null`,
  }));

const day = fc.constantFrom("2026-01-30", "2026-01-31", "2026-02-01");
const clock = fc.constantFrom("00:00:00.000", "00:00:00.001", "12:00:00.000", "23:59:59.999");
/** The same moment in one of its notations. */
const moment = fc
  .record({ day, clock, spelling: fc.constantFrom("Z", "+02:00", "-09:30") })
  .map(({ day: date, clock: time, spelling }) => {
    const utc = `${date}T${time}Z`;
    if (spelling === "Z") return time.endsWith(":00.000") ? utc.replace(":00.000Z", "Z") : utc;
    const minutes = spelling === "+02:00" ? 120 : -570;
    return new Date(Date.parse(utc) + minutes * 60_000).toISOString().replace("Z", spelling);
  });

const dateWish = fc.oneof(
  fc.record({ field: fc.constantFrom(...DATES), how: fc.constant("on" as const), value: day, negated: fc.boolean() }),
  fc.record({
    field: fc.constantFrom(...DATES),
    how: fc.constant("at" as const),
    value: moment,
    negated: fc.boolean(),
  }),
  fc.record({
    field: fc.constantFrom(...DATES),
    how: fc.constantFrom(">", "<", ">=", "<="),
    value: fc.oneof(day, moment),
    negated: fc.constant(false),
  }),
);

const wish: fc.Arbitrary<Wish> = fc.oneof(
  textWish,
  nullWish,
  dateWish.map((w) => ({
    ...w,
    text: `${w.negated ? "-" : ""}${w.field}${w.how === "on" || w.how === "at" ? ":" : w.how}${w.value}`,
  })),
);
/** Bounds of one field, often with no time between them. */
const comparison = fc
  .record({ how: fc.constantFrom(">", "<", ">=", "<="), value: fc.oneof(day, moment) })
  .map(({ how, value }) => ({
    field: "created_at" as const,
    how,
    value,
    negated: false,
    text: `created_at${how}${value}`,
  }));
const wishes = fc.oneof(
  { weight: 3, arbitrary: fc.array(wish, { minLength: 1, maxLength: 6 }) },
  { weight: 1, arbitrary: fc.array<Wish>(comparison, { minLength: 2, maxLength: 4 }) },
);
const textOf = (terms: Wish[]): string => terms.map((term) => term.text).join(" ");

interface Person extends UserRecord {
  readonly providers: readonly string[];
}
const person: fc.Arbitrary<Person> = fc.record({
  id: fc.uuid(),
  instance_id: fc.uuid(),
  email: word(1),
  name: word(1),
  avatar_url: fc.option(word(1)),
  email_verified_at: fc.option(fc.tuple(day, clock).map(([date, time]) => `${date}T${time}Z`)),
  password_digest: fc.constant(null),
  created_at: fc.tuple(day, clock).map(([date, time]) => `${date}T${time}Z`),
  updated_at: fc.tuple(day, clock).map(([date, time]) => `${date}T${time}Z`),
  providers: fc.array(fc.constantFrom(...PROVIDERS), { maxLength: 3 }),
});

function search<P extends Person>(people: readonly P[], text: string): P[] {
  const linksOf = ({ providers }: P): object[] => providers.map((provider) => ({ provider }));
  const matches = matcher<P>(parseQuery(text, USER_FIELDS), linksOf);
  return people.filter((one) => matches(new Row(one, one.created_at)));
}

/** The values of a field. */
function storedIn(user: Person, field: Wish["field"]): readonly (string | null)[] {
  if (field !== "provider") return [user[field]];
  return user.providers.length > 0 ? user.providers : [null];
}

/** One term as the specification defines it, written without regard to speed. */
function holds({ how, value }: Wish, stored: string | null): boolean {
  if (how === "null") return stored === null;
  if (stored === null) return false;
  const own = stored.normalize("NFKC").toLowerCase();
  const wanted = value.normalize("NFKC").toLowerCase();
  const time = Date.parse(stored);
  const bound = Date.parse(value);
  switch (how) {
    case "is":
      return own === wanted;
    case "starts":
      return own.slice(0, wanted.length) === wanted;
    case "ends":
      return own.slice(-wanted.length) === wanted;
    case "contains":
      return wanted === "" || own.split(wanted).length > 1;
    case "on":
      return time >= bound && time < bound + 86_400_000;
    case "at":
      return time === bound;
    case ">":
      return time > bound;
    case "<":
      return time < bound;
    case ">=":
      return time >= bound;
    case "<=":
      return time <= bound;
  }
}

/** The times around every bound: if there is none of them between two bounds, there is none at all. */
function timesAround(bounds: readonly Wish[]): string[] {
  return bounds.flatMap(({ value }) => [-1, 0, 1].map((ms) => new Date(Date.parse(value) + ms).toISOString()));
}

/**
 * A whole search: for every field any term and every negation. Lower and upper bounds are terms like others, unless a time
 * satisfies both: then they are one term, a range.
 */
function isFound(terms: Wish[], user: Person): boolean {
  return terms.every(({ field }) => {
    const own = terms.filter((term) => term.field === field);
    const lower = own.filter((term) => term.how.startsWith(">"));
    const upper = own.filter((term) => term.how.startsWith("<"));
    const values = own.filter((term) => !term.negated && !/^[<>]/.test(term.how));
    const satisfies = (some: readonly Wish[], stored: string | null): boolean =>
      some.some((term) => holds(term, stored));
    const isRange = timesAround([...lower, ...upper]).some((time) => satisfies(lower, time) && satisfies(upper, time));
    const stored = storedIn(user, field);
    const isWanted = stored.some((one) => {
      const [above, below] = [satisfies(lower, one), satisfies(upper, one)];
      return satisfies(values, one) || (isRange ? above && below : above || below);
    });
    const hasNegationsAlone = lower.length + upper.length + values.length === 0;
    const isExcluded = own.some((term) => term.negated && stored.some((one) => holds(term, one)));
    return (hasNegationsAlone || isWanted) && !isExcluded;
  });
}

describe("A search", () => {
  it("finds exactly the users that a plain reading of the rules finds", () => {
    const outcomes = new Set<boolean>();
    fc.assert(
      fc.property(wishes, fc.array(person, { minLength: 1, maxLength: 12 }), (terms, people) => {
        const expected = people.filter((user) => isFound(terms, user));
        for (const user of people) outcomes.add(expected.includes(user));
        expect(search(people, textOf(terms))).toEqual(expected);
      }),
      { numRuns: 1500 },
    );
    expect(outcomes).toEqual(new Set([true, false]));
  });

  it("returns the same result for any order of its terms", () => {
    const shuffled = wishes.chain((terms) =>
      fc.tuple(fc.constant(terms), fc.shuffledSubarray(terms, { minLength: terms.length })),
    );
    fc.assert(
      fc.property(shuffled, fc.array(person, { maxLength: 8 }), ([terms, others], people) => {
        expect(search(people, textOf(others))).toEqual(search(people, textOf(terms)));
      }),
      { numRuns: 300 },
    );
  });

  it("and its negation are disjoint and together cover all users", () => {
    const positive = wish.filter((term) => !term.negated && !/^[<>]/.test(term.how));
    fc.assert(
      fc.property(positive, person, (term, user) => {
        const found = (text: string): boolean => search([user], text).length > 0;
        expect(found(`-${term.text}`)).toBe(!found(term.text));
      }),
      { numRuns: 500 },
    );
  });
});

/** A two-digit number up to `most`. */
function two(most: number): fc.Arbitrary<string> {
  return fc.integer({ min: 0, max: most }).map((number) => String(number).padStart(2, "0"));
}

describe("Parsing a query and printing it", () => {
  it("gives the same query again", () => {
    fc.assert(
      fc.property(wishes, (terms) => {
        const query = parseQuery(textOf(terms), USER_FIELDS);
        const printed = printQuery(query);
        expect(parseQuery(printed, USER_FIELDS)).toEqual(query);
        expect(printQuery(parseQuery(printed, USER_FIELDS))).toBe(printed);
      }),
      { numRuns: 1500 },
    );
  });

  it("keeps the terms of one field in their order", () => {
    fc.assert(
      fc.property(textWish, textWish, (first, second) => {
        fc.pre(first.field === second.field && first.negated === second.negated);
        const text = `${first.text} ${second.text}`;
        expect(printQuery(parseQuery(text, USER_FIELDS))).toBe(text);
      }),
      { numRuns: 300 },
    );
  });

  it("gives the same query again for any moment of any year", () => {
    const year = fc
      .oneof(fc.constantFrom(0, 1, 9998, 9999), fc.integer({ min: 0, max: 9999 }))
      .map((number) => String(number).padStart(4, "0"));
    const zone = fc.oneof(
      fc.constant("Z"),
      fc
        .tuple(fc.constantFrom("+", "-"), two(23), two(59))
        .map(([sign, hours, minutes]) => `${sign}${hours}:${minutes}`),
    );
    const anyMoment = fc
      .tuple(year, fc.constantFrom("01-01", "02-29", "12-31"), two(24), two(60), two(60), zone)
      .map(([y, date, hours, minutes, seconds, offset]) => `${y}-${date}T${hours}:${minutes}:${seconds}${offset}`);
    fc.assert(
      fc.property(fc.constantFrom(":", ">", "<", ">=", "<="), anyMoment, (sign, text) => {
        const query = parsed(`created_at${sign}${text}`, USER_FIELDS);
        if (query) expect(parseQuery(printQuery(query), USER_FIELDS)).toEqual(query);
      }),
      { numRuns: 1500 },
    );
  });
});

/** The query, or undefined if the parser throws QueryError; any other error is a bug. */
function parsed(text: string, fields: Fields): ReturnType<typeof parseQuery> | undefined {
  try {
    return parseQuery(text, fields);
  } catch (error) {
    expect(error).toBeInstanceOf(QueryError);
    expect((error as QueryError).message).not.toBe("");
    return undefined;
  }
}

describe("Arbitrary text", () => {
  const piece = fc.oneof(
    fc.constantFrom(...Object.keys({ ...USER_FIELDS, ...SESSION_FIELDS }), "password_digest", "__proto__", "toString"),
    fc.constantFrom(":", ">", "<", ">=", "<=", "=", "-", "*", " ", "  ", "\n", "\0", "null", "\ud800", "é"),
    fc.constantFrom("2026-01-31", "2026-02-30", "T", "12:00", "Z", "+01:00", "9999-99-99", "x".repeat(257)),
    fc.string({ unit: anyCharacter }),
  );
  const anything = fc.oneof(
    fc.string({ unit: anyCharacter }),
    fc.string({ unit: "grapheme" }),
    fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join("")),
    fc
      .array(fc.array(piece, { maxLength: 4 }), { maxLength: 40 })
      .map((terms) => terms.map((t) => t.join("")).join(" ")),
  );

  it.each([
    ["users", USER_FIELDS],
    ["sessions", SESSION_FIELDS],
  ])("parses as a query of %s that prints as itself, or throws QueryError", (_, fields: Fields) => {
    const outcomes = new Set<boolean>();
    fc.assert(
      fc.property(anything, (text) => {
        const query = parsed(text, fields);
        outcomes.add(query !== undefined);
        if (query) expect(parseQuery(printQuery(query), fields)).toEqual(query);
      }),
      { numRuns: 1500 },
    );
    expect(outcomes).toEqual(new Set([true, false]));
  });

  it("as a search query is answered with 200 or 400", async () => {
    const { acme, as, log } = await setup();
    await fc.assert(
      fc.asyncProperty(fc.constantFrom("users", "sessions"), anything, async (noun, text) => {
        const query = new URLSearchParams({ query: text }).toString();
        const response = await as(acme, `/api/v1/${noun}/search?${query}`);
        const body: unknown = await response.json();
        if (response.status === 200) expect(body).toBeInstanceOf(Array);
        else
          expect([response.status, body]).toEqual([
            400,
            { error: expect.stringMatching(/^(Invalid query: |query is)/) },
          ]);
      }),
      { numRuns: 300 },
    );
    expect(log.bugs).toEqual([]);
  });
});
