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
  await expect.poll(ready, { timeout: 20_000 }).toMatchObject({ status: "unavailable", code: "store_read_only" });
}, 60_000);
