import { it } from "vitest";
import { expectNotFound } from "../_any-id.ts";
import { SEED } from "../_setup.ts";
import { ask, listening } from "../_sockets.ts";
import { createDatabase } from "./_postgres.ts";
import { awaitServer, patient } from "./_store.ts";

awaitServer();

it("Any text in place of an id is a user or a session that is not found on PostgreSQL too", async () => {
  const { port } = await listening({ store: patient(await createDatabase()) });
  const headers = ["X-Service-Secret-Key", SEED.instances[0]!.secret_key];
  await expectNotFound((wanted) => ask(port, { ...wanted, headers }));
});
