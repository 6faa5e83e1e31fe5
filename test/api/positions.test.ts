// Below the faces: the same test runs on each store.

import { openMemoryStore } from "../../src/server/store/memory/memory-store.ts";
import { testPositions } from "../_positions.ts";

testPositions("memory", async () => openMemoryStore());
