import { testPositions } from "../_positions.ts";
import { createDatabase } from "./_postgres.ts";
import { awaitServer, open } from "./_store.ts";

awaitServer();
testPositions("PostgreSQL", async () => open(await createDatabase()));
