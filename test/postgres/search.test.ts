// Below the faces: PostgreSQL's plan of a search is what it says of the statement.

import { describe, expect, it } from "vitest";
import type { User } from "../../src/wire/resources.ts";
import { condition } from "../../src/server/store/postgres/search.ts";
import { USER_FIELDS } from "../../src/wire/search/fields.ts";
import { parseQuery } from "../../src/wire/search/query.ts";
import { BY_PROVIDER, RANGES, search, SEED } from "../_search.ts";
import { setup } from "../_setup.ts";
import { A, records } from "../store/_records.ts";
import { admin, createDatabase } from "./_postgres.ts";
import { awaitServer, open } from "./_store.ts";

awaitServer();

describe("GET /api/v1/users/search on PostgreSQL", () => {
  it("compares and finds providers as the file store does", async () => {
    const service = await setup({ seed: SEED, store: await open(await createDatabase()) });
    for (const [, rows] of [...RANGES, ...BY_PROVIDER]) {
      const found = rows.map(async ([query]) => {
        const response = await search(service, "users", query);
        const users = (await response.json()) as User[];
        return [query, users.map(({ data }) => data.email[0]!).join("")];
      });
      expect(await Promise.all(found)).toEqual(rows);
    }
  });

  it("finds a provider by an index, without reading all identities", async () => {
    const url = await createDatabase();
    await (await open(url)).seed(records());
    const sql = admin(url);
    await sql.unsafe(`
      INSERT INTO svc.users (id, instance_id, email, name, email_folded, name_folded, created_at, updated_at)
        SELECT n::text, '${A}', n || '@acme.test', 'Ada', n || '@acme.test', 'ada', at, at
        FROM (SELECT n, '2020-01-01'::timestamptz + n * interval '1 second' AS at FROM generate_series(1, 20000) n) made;
      INSERT INTO svc.identities (id, instance_id, user_id, provider, uid, email, email_verified, created_at, updated_at)
        SELECT id, '${A}', id, CASE WHEN id::int <= 20 THEN 'twitter' WHEN id::int % 2 = 0 THEN 'github' ELSE 'google' END,
          id, email, true, created_at, created_at FROM svc.users;
      ANALYZE svc.users, svc.identities`);
    const plan = async (query: string): Promise<string> => {
      const bind = (value: string): string => `'${value}'`;
      const rows = await sql.unsafe<{ "QUERY PLAN": string }[]>(
        `EXPLAIN SELECT row.id FROM svc.users AS row WHERE row.instance_id = '${A}'
         AND ${condition("users", parseQuery(query, USER_FIELDS), bind)} ORDER BY row.created_at DESC, row.id LIMIT 51`,
      );
      return rows.map((row) => row["QUERY PLAN"]).join("\n");
    };
    for (const query of ["provider:twitter", "provider:twi*", "provider:twitter provider:x"])
      expect(await plan(query)).toMatch(/Index Scan (using|on) identities_uid/);
    for (const query of [
      "provider:github",
      "-provider:github",
      "provider:goo*",
      "-provider:null",
      "provider:null provider:github",
    ])
      expect(await plan(query)).toMatch(/Index (Only )?Scan (using|on) identities_(user|uid)/);
    for (const query of ["provider:twitter", "provider:github", "-provider:github", "provider:null provider:github"])
      expect(await plan(query)).not.toContain("Seq Scan");
  }, 60_000);
});
