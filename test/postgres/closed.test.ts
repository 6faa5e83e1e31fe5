// Below the faces: no request reaches a server whose store is closed.

import { expect, it } from "vitest";
import { openPostgresStore } from "../../src/server/store/postgres/postgres-store.ts";
import { A, all, id, state } from "../store/_records.ts";
import { createDatabase } from "./_postgres.ts";
import { awaitServer } from "./_store.ts";

awaitServer();

it("A closed store refuses reads, writes and lists at once", async () => {
  const store = await openPostgresStore(await createDatabase(), { warn: () => {} });
  await store.close();
  const calls = [
    () => store.revision!(),
    () => store.findUser(A, id(1)),
    () => all(store.users(A, {})),
    () => store.saveState(state(1)),
    () => store.deleteUser(A, id(1)),
  ];
  for (const call of calls) await expect(call()).rejects.toMatchObject({ code: "store_closed" });
  await store.close();
});
