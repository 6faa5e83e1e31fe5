import { randomBytes } from "node:crypto";
import { expect, it } from "vitest";
import { createDatabase, execute } from "./_postgres.ts";
import { started } from "./_serve.ts";
import "./_store.ts";

it("A server on PostgreSQL is ready while the database is writable, and otherwise gives the reason", async () => {
  const url = await createDatabase();
  const server = await started(url);
  expect((await server.send("/__svc/health/ready")).status).toBe(200);
  await execute(url, `ALTER DATABASE ${new URL(url).pathname.slice(1)} SET default_transaction_read_only = on`);
  await execute(
    url,
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'svc' AND datname = current_database()",
  );
  const ready = async (): Promise<unknown> => JSON.parse((await server.send("/__svc/health/ready")).body) as unknown;
  await expect.poll(ready).toMatchObject({ status: "unavailable", code: "store_read_only" });
});

it("A server whose user may only read is not ready, and logs why sign-ins fail", async () => {
  const url = await createDatabase();
  await started(url);
  const reader = new URL(url);
  reader.username = `reader_${randomBytes(4).toString("hex")}`;
  reader.password = "reader";
  await execute(url, `CREATE ROLE ${reader.username} LOGIN PASSWORD 'reader'`);
  await execute(url, `GRANT USAGE ON SCHEMA svc TO ${reader.username}`);
  await execute(url, `GRANT SELECT ON ALL TABLES IN SCHEMA svc TO ${reader.username}`);
  const server = await started(reader.href);
  const ready = await server.send("/__svc/health/ready");
  expect(JSON.parse(ready.body)).toMatchObject({ status: "unavailable", code: "store_read_only" });
  const begun = await server.send("/oauth/authorize?provider=google&redirect_uri=http://localhost:3000/callback");
  expect(begun.status).toBe(503);
  await expect.poll(() => server.log()).toContain("permission denied");
});
