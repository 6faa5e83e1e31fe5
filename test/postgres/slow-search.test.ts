import { expect, it } from "vitest";
import { createDatabase, admin } from "./_postgres.ts";
import { started } from "./_serve.ts";
import "./_store.ts";

it("PostgreSQL: a search that takes too long is refused with advice and delays no other request", async () => {
  const url = await createDatabase();
  const server = await started(`${url}?statement_timeout=1&pool_timeout=20&pool_size=2`);
  expect((await server.send("/api/v1/users")).status).toBe(200);
  // While this lock is held, reads of sessions wait.
  const sql = admin(url);
  await sql.unsafe("BEGIN; LOCK TABLE svc.sessions IN ACCESS EXCLUSIVE MODE");
  const searches = Array.from({ length: 6 }, () => server.send("/api/v1/sessions/search?query=name:*a*"));
  // More of them than connections for requests; these still answer.
  for (let n = 0; n < 10; n++) expect((await server.send("/api/v1/users")).status).toBe(200);
  const answers = await Promise.all(searches);
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([400]));
  expect(JSON.parse(answers[0]!.body)).toEqual({
    error: expect.stringMatching(/^Search took too long: add a term that narrows it, such as .*created_at>=/) as string,
  });
  // A list cannot be narrowed: there the error is the database's.
  expect((await server.send("/api/v1/sessions")).status).toBe(503);
  await sql.unsafe("ROLLBACK");
  expect((await server.send("/api/v1/sessions/search?query=name:*a*")).status).toBe(200);
  expect(server.log()).not.toContain("unavailable");
});
