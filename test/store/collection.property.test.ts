import * as fc from "fast-check";
import { expect, it } from "vitest";
import { Collection } from "../../src/server/store/json/document/collection.ts";
import { Document } from "../../src/server/store/json/document/document.ts";
import { matcher } from "../../src/server/store/json/document/match.ts";
import type { UserRecord } from "../../src/server/store/records.ts";
import { USER_FIELDS } from "../../src/wire/search/fields.ts";
import { parseQuery } from "../../src/wire/search/query.ts";
import { PROVIDERS, type Provider } from "../../src/wire/providers.ts";
import { A, id, identity, user } from "./_records.ts";

type Step =
  | { readonly kind: "put"; readonly n: number; readonly name: string; readonly time: number }
  | { readonly kind: "delete"; readonly n: number }
  | { readonly kind: "link"; readonly n: number; readonly provider: Provider; readonly uid: number }
  | { readonly kind: "unlink"; readonly uid: number }
  | { readonly kind: "search"; readonly query: string; readonly after: number | undefined; readonly limit: number };

const letters = fc.constantFrom("a", "b", "A", "é", "🙂", ".");
const word = fc.string({ unit: letters, minLength: 1, maxLength: 3 });
const pattern = fc
  .tuple(fc.constantFrom("", "*"), word, fc.constantFrom("", "*"))
  .map(([before, text, after]) => before + text + after);
const term = fc.oneof(
  fc.tuple(fc.constantFrom("name:", "email:", "-name:", "-email:"), pattern).map(([field, value]) => field + value),
  fc.nat({ max: 9 }).map((n) => `id:${id(n)}`),
  fc
    .tuple(fc.constantFrom("", "-"), fc.constantFrom("google", "GITHUB", "goo*", "*t*", "twitter", "*", "null"))
    .map(([minus, text]) => `${minus}provider:${text}`),
  fc.constantFrom("name:**", "created_at>=2026-01-05", "created_at<2026-01-05", "avatar_url:null"),
);

const n = fc.nat({ max: 9 });
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 5, arbitrary: fc.record({ kind: fc.constant("put" as const), n, name: word, time: fc.nat({ max: 8 }) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("delete" as const), n }) },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant("link" as const),
      n,
      provider: fc.constantFrom(...PROVIDERS),
      uid: fc.nat({ max: 15 }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("unlink" as const), uid: fc.nat({ max: 15 }) }) },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant("search" as const),
      query: fc.array(term, { minLength: 1, maxLength: 3 }).map((terms) => terms.join(" ")),
      after: fc.option(n, { nil: undefined }),
      limit: fc.constantFrom(1, 3, Infinity),
    }),
  },
);

/** The same, by scanning all users each time. */
function naive(document: Document, query: string, after: UserRecord | undefined, limit: number): string[] {
  const sorted = [...document.tables.users.values()].toSorted(
    (a, b) => b.created_at.localeCompare(a.created_at) || a.id.localeCompare(b.id),
  );
  return sorted
    .slice(after === undefined ? 0 : sorted.indexOf(after) + 1)
    .filter(matcher(parseQuery(query, USER_FIELDS), ({ id: owner }) => document.tenant(A).identitiesOf(owner)))
    .slice(0, limit)
    .map((found) => found.id);
}

async function find(
  document: Document,
  query: string,
  after: UserRecord | undefined,
  limit: number,
): Promise<string[]> {
  const found: string[] = [];
  const options = {
    query: parseQuery(query, USER_FIELDS),
    limit,
    after: after && { time: after.created_at, id: after.id },
  };
  for await (const rows of document.tenant(A).users.find(options, (row) => row))
    found.push(...rows.map((row) => row.id));
  return found;
}

it("A search finds what a scan of all rows finds, after any additions, renames, moves, removals and links", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { size: "max", maxLength: 300 }), async (steps) => {
      const document = new Document();
      for (const now of steps) {
        if (now.kind === "delete") {
          for (const { id: link } of document.tenant(A).identitiesOf(id(now.n)).slice())
            document.apply(["delete", "identities", link]);
          document.apply(["delete", "users", id(now.n)]);
        } else if (now.kind === "unlink") document.apply(["delete", "identities", id(100 + now.uid)]);
        else if (now.kind === "link") {
          // An identity is never moved to another user.
          const owner = document.tables.users.get(id(now.n), A);
          const link = id(100 + now.uid);
          if (!owner || document.tables.identities.has(link, A)) continue;
          document.apply(["put", "identities", identity(100 + now.uid, owner, { provider: now.provider })]);
        } else if (now.kind === "put") {
          const created_at = `2026-01-0${now.time + 1}T00:00:00.000Z`;
          // Addresses do not change and are unique.
          const email = `${now.n % 2 === 0 ? "a" : "b"}${now.n}@x.test`;
          document.apply(["put", "users", user(now.n, { name: now.name, email, created_at })]);
        } else {
          const after = now.after === undefined ? undefined : document.tables.users.get(id(now.after), A);
          expect(await find(document, now.query, after, now.limit)).toEqual(
            naive(document, now.query, after, now.limit),
          );
        }
      }
    }),
    { numRuns: 150 },
  );
});

it("A search over many rows covers all of them, also in pages", async () => {
  const document = new Document();
  const time = (k: number): string => new Date(Date.UTC(2026, 0, 1) + k * 1000).toISOString();
  const put = (k: number, name: string): void =>
    document.apply(["put", "users", user(k, { name, email: `u${k}@x.test`, created_at: time(k) })]);
  for (let k = 0; k < 20_000; k++) put(k, k % 7 === 0 ? `Seven ${k}` : `Other ${k}`);
  const whole = naive(document, "name:seven*", undefined, Infinity);
  expect(await find(document, "name:seven*", undefined, Infinity)).toEqual(whole);
  for (const k of [0, 1, 8190, 8191, 8192, 8193, 16_383, 16_384, 19_999]) {
    const after = document.tables.users.get(id(k), A);
    expect(await find(document, "name:seven*", after, Infinity)).toEqual(
      naive(document, "name:seven*", after, Infinity),
    );
  }
  put(3, "Seven, later");
  document.apply(["delete", "users", id(7)]);
  const changed = naive(document, "name:seven*", undefined, Infinity);
  const pages: string[] = [];
  for (let page = ["begin"], after: UserRecord | undefined; page.length > 0;) {
    page = await find(document, "name:seven*", after, 500);
    pages.push(...page);
    after = document.tables.users.get(page.at(-1) ?? "", A);
  }
  expect(pages).toEqual(changed);
});

it("A provider is found whether few or many users have it, in pages, and in order", async () => {
  const document = new Document();
  const time = (k: number): string => new Date(Date.UTC(2026, 0, 1) + k * 1000).toISOString();
  const COUNT = 9000;
  for (let k = 0; k < COUNT; k++) {
    const owner = user(k, { email: `u${k}@x.test`, created_at: time(k) });
    document.apply(["put", "users", owner]);
    if (k % 2 === 0) document.apply(["put", "identities", identity(COUNT + k, owner, { uid: `${k}` })]);
    if (k % 1000 === 7)
      document.apply(["put", "identities", identity(3 * COUNT + k, owner, { provider: "github", uid: `${k}` })]);
  }
  for (const query of ["provider:google", "provider:github", "provider:g*", "provider:null", "-provider:github"]) {
    const whole = naive(document, query, undefined, Infinity);
    expect(whole.length).toBeGreaterThan(0);
    expect(await find(document, query, undefined, Infinity)).toEqual(whole);
    const after = document.tables.users.get(id(4321), A);
    expect(await find(document, query, after, 3)).toEqual(naive(document, query, after, 3));
  }
});

it("A search for a provider of few users looks at no others", async () => {
  const document = new Document();
  for (let k = 0; k < 20_000; k++) document.apply(["put", "users", user(k, { email: `u${k}@x.test` })]);
  for (const k of [5, 7])
    document.apply([
      "put",
      "identities",
      identity(30_000 + k, document.tables.users.get(id(k), A)!, { provider: "github" }),
    ]);
  let looks = 0;
  const tenant = document.tenant(A);
  const own = tenant.identitiesOf.bind(tenant);
  tenant.identitiesOf = (owner) => (looks++, own(owner));
  expect(await find(document, "provider:github", undefined, Infinity)).toEqual([7, 5].map(id));
  expect(looks).toBe(2);
});

it("A row that is renamed while a column is built is found by its new name", async () => {
  const document = new Document();
  for (let k = 0; k < 9000; k++) document.apply(["put", "users", user(k, { name: "old", email: `u${k}@x.test` })]);
  const search = find(document, "name:new*", undefined, Infinity);
  await Promise.resolve();
  document.apply(["put", "users", user(8999, { name: "newer", email: "u8999@x.test" })]);
  document.apply(["put", "users", user(0, { name: "newest", email: "u0@x.test" })]);
  await search;
  expect((await find(document, "name:new*", undefined, Infinity)).toSorted()).toEqual([id(0), id(8999)].toSorted());
});

it("A page deep in a search does not look at the matches of the pages before it", async () => {
  const rows = new Map(Array.from({ length: 20_000 }, (_, k) => [id(k), user(k)]));
  let looks = 0;
  const users = new Collection<UserRecord>({
    key: (row) => row.id,
    time: (row) => row.created_at,
    current: (key) => (looks++, rows.get(key)),
    indexes: {},
  });
  for (const row of rows.values()) users.add(row);
  const page = async (k: number): Promise<string[]> => {
    looks = 0;
    const after = { time: user(k).created_at, id: id(k) };
    const found: string[] = [];
    const options = { query: parseQuery("email:*acme*", USER_FIELDS), limit: 3, after };
    for await (const batch of users.find(options, (row) => row.id)) found.push(...batch);
    return found;
  };
  await page(19_999);
  expect(await page(100)).toEqual([99, 98, 97].map(id));
  expect(looks).toBeLessThan(10_000);
});
