import { join } from "node:path";
import { temporaryDirectory } from "../_files.ts";
import { testService } from "./_model.ts";

testService("file", async () => ({ store: join(temporaryDirectory(), "db.json") }), {
  servers: 1,
  histories: 8,
  steps: 60,
});
