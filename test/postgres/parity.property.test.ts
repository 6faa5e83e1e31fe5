// Below the faces: thousands of random searches, compared on two stores.

import * as fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openMemoryStore } from "../../src/server/store/memory/memory-store.ts";
import { openPostgresStore } from "../../src/server/store/postgres/postgres-store.ts";
import type { IdentityRecord, Records, SessionRecord, UserRecord } from "../../src/server/store/records.ts";
import type { Store } from "../../src/server/store/store.ts";
import { SESSION_FIELDS, USER_FIELDS, type Fields } from "../../src/wire/search/fields.ts";
import { PROVIDERS, SESSION_PROVIDERS } from "../../src/wire/providers.ts";
import { parseQuery, QueryError, type Query } from "../../src/wire/search/query.ts";
import { A, all, at, B, contentOf, id, identity, records, session, user } from "../store/_records.ts";
import { createDatabase, useEmptying } from "./_postgres.ts";

const RUNS = Number(process.env["SVC_PARITY_RUNS"] ?? 40);

const empty = useEmptying();
let url: string;
let stored: Store;
let plain: Store;
beforeAll(async () => {
  url = await createDatabase();
  await (await openPostgresStore(url, { warn: () => {} })).close();
}, 60_000);
afterAll(() => stored?.close());

/** Both drivers with the same records. */
async function begin(content: Records): Promise<void> {
  await stored?.close();
  await empty(url);
  stored = await openPostgresStore(url, { warn: () => {} });
  plain = openMemoryStore();
  await Promise.all([stored.seed(content), plain.seed(content)]);
}

async function same<T>(ask: (store: Store) => Promise<T>): Promise<T> {
  const [one, other] = await Promise.all([ask(stored), ask(plain)]);
  // As text, so that the order of keys is compared too.
  expect(JSON.stringify(one)).toBe(JSON.stringify(other));
  return one;
}

// Text that SQL, LIKE, case folding and Unicode treat specially.
const letters = fc.constantFrom(
  ...Array.from("aAbBzZ0_%\\'\"*ßſİıΣσςǅéＡ名😀 .-@"),
  "e\u0301",
  "Å",
  "ﷺ",
  "\u00ad",
  "\ufeff",
);
const word = fc.string({ unit: letters, minLength: 1, maxLength: 6 });
const seconds = fc.integer({ min: -3, max: 3 });
const moment = fc.oneof(
  seconds.map((n) => at(n * 43_200)),
  // With neighbours, between which there is no time.
  fc.constantFrom(at(0), at(0.001), at(0.002)),
  fc.constantFrom("0000-01-01T00:00:00.000Z", "9999-12-31T23:59:59.999Z", "1900-02-28T12:00:00.001Z", at(0.5)),
);
const people = fc
  .uniqueArray(
    fc.record({
      email: word.map((text) => `${text.replaceAll(/[\s@]/g, "")}@acme.test`),
      name: word,
      avatar_url: fc.option(word.map((text) => `https://x.test/${text}`)),
      email_verified_at: fc.option(moment),
      password_digest: fc.option(word),
      created_at: moment,
      updated_at: moment,
      instance_id: fc.constantFrom(A, B),
    }),
    {
      maxLength: 12,
      selector: ({ email, instance_id }) =>
        `${instance_id} ${email.normalize("NFKC").toLowerCase().replaceAll("ς", "σ")}`,
    },
  )
  .map((rows) => rows.map((row, n) => user(n + 1, row)));
const sessionOf = (owners: UserRecord[]): fc.Arbitrary<SessionRecord[]> =>
  fc
    .array(
      fc.record({
        owner: fc.constantFrom(...owners),
        provider: fc.constantFrom(...SESSION_PROVIDERS),
        ip_address: fc.constantFrom("203.0.113.7", "2001:DB8::1", "192.0.2.1"),
        last_signin_at: moment,
        revoked_at: fc.option(moment),
        geo_data: fc.dictionary(
          fc.string({ unit: "grapheme", maxLength: 3 }).filter((key) => key !== "__proto__" && !key.includes("\0")),
          fc.oneof(fc.integer(), fc.boolean(), word),
          { maxKeys: 4 },
        ),
      }),
      { maxLength: 12 },
    )
    .map((rows) => rows.map(({ owner, ...row }, n) => session(100 + n, owner, row)));
/** Any number of identities, also several of one provider. */
const identitiesOf = (owner: UserRecord, n: number): fc.Arbitrary<IdentityRecord[]> =>
  fc
    .array(fc.constantFrom(...PROVIDERS), { maxLength: 3 })
    .map((linked) => linked.map((provider, k) => identity(200 + 10 * n + k, owner, { provider, uid: `u${n}-${k}` })));
const content = people.chain((users) =>
  fc
    .tuple(
      users.length === 0 ? fc.constant<SessionRecord[]>([]) : sessionOf(users),
      fc.tuple(...users.map(identitiesOf)),
    )
    .map(([sessions, identities]) => records({ users, sessions, identities: identities.flat() })),
);

const value = fc.oneof(
  word.map((text) => text.replaceAll(" ", "")),
  fc.constantFrom("null", "acme", "google", "00000000", id(3), "2001:db8::1", "203.0.113.7", "\0"),
);
const wild = fc.tuple(fc.constantFrom("", "*"), value, fc.constantFrom("", "*")).map((parts) => parts.join(""));
const date = fc.oneof(
  moment,
  moment.map((text) => text.slice(0, 10)),
  fc.constant("null"),
);
const provider = fc.constantFrom("google", "GitHub", "twitter", "password", "goo*", "*hub", "*t*", "*", "x", "null");
const term = (fields: Fields): fc.Arbitrary<string> =>
  fc
    .tuple(
      fc.constantFrom("", "-"),
      fc.constantFrom(...Object.entries(fields)),
      fc.constantFrom(":", ":", ">", "<", ">=", "<="),
      wild,
      date,
      provider,
    )
    .map(([minus, [name, { type }], sign, text, day, named]) => {
      if (type === "boolean") return `${minus}${name}:${text.length % 2 === 0}`;
      if (type === "string") return `${minus}${name}:${name === "provider" ? named : text}`;
      return sign === ":" ? `${minus}${name}:${day}` : `${name}${sign}${day}`;
    });
/** Terms on any fields, and often several on the same. */
const searchesOf = (fields: Fields): fc.Arbitrary<string[][]> => {
  const some = fc
    .subarray(Object.entries(fields), { minLength: 1, maxLength: 2 })
    .chain((own) => fc.array(term(Object.fromEntries(own)), { minLength: 2, maxLength: 5 }));
  const any = fc.array(term(fields), { minLength: 1, maxLength: 4 });
  return fc.array(fc.oneof(any, some), { minLength: 12, maxLength: 12 });
};

function parsed(terms: string[], fields: Fields): Query | undefined {
  try {
    return parseQuery(terms.join(" "), fields);
  } catch (error) {
    if (error instanceof QueryError) return undefined;
    throw error;
  }
}

describe("PostgreSQL and the json driver", () => {
  it("find the same in the same order, for all records and searches", async () => {
    let searches = 0;
    await fc.assert(
      fc.asyncProperty(
        content,
        searchesOf(USER_FIELDS),
        searchesOf(SESSION_FIELDS),
        fc.option(fc.integer({ min: 1, max: 5 }), { nil: undefined }),
        async (seed, userTerms, sessionTerms, limit) => {
          await begin(seed);
          await same(contentOf);
          for (const terms of userTerms) {
            const query = parsed(terms, USER_FIELDS);
            if (query && ++searches) await same((store) => all(store.users(A, { query, limit })));
          }
          for (const terms of sessionTerms) {
            const query = parsed(terms, SESSION_FIELDS);
            if (query && ++searches) await same((store) => all(store.sessions(A, { query, limit })));
          }
          for (const row of seed.users)
            await same((store) => all(store.users(A, { after: { time: row.created_at, id: row.id }, limit })));
          for (const row of seed.sessions)
            await same((store) => all(store.sessions(B, { after: { time: row.last_signin_at, id: row.id }, limit })));
        },
      ),
      { numRuns: RUNS },
    );
    if (process.env["SVC_PARITY_RUNS"]) console.log(`${searches} searches compared`);
    expect(searches).toBeGreaterThan(RUNS);
  }, 3_600_000);
});
