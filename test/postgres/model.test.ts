import { testService } from "../api/_model.ts";
import { createDatabase } from "./_postgres.ts";
import { awaitServer, patient } from "./_store.ts";

awaitServer();

testService("two on one PostgreSQL", async () => ({ store: patient(await createDatabase()) }), {
  servers: 2,
  histories: 3,
  steps: 50,
});
