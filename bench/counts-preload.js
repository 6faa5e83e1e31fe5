// Loaded before a server by `node --import`: counts promises, syncs and stats, and writes the counts when it is asked to.
import { createHook } from "node:async_hooks";
import fs, { writeFileSync } from "node:fs";
import { syncBuiltinESMExports } from "node:module";

const counts = { promises: 0, syncs: 0, stats: 0 };
const KINDS = {
  fsync: "syncs",
  fdatasync: "syncs",
  sync: "syncs",
  datasync: "syncs",
  stat: "stats",
  lstat: "stats",
  fstat: "stats",
};

function count(owner) {
  for (const [name, kind] of Object.entries(KINDS))
    for (const each of [name, `${name}Sync`]) {
      const original = owner[each];
      if (typeof original !== "function") continue;
      owner[each] = function (...given) {
        counts[kind]++;
        return Reflect.apply(original, this, given);
      };
    }
}

count(fs);
count(fs.promises);
const handle = await fs.promises.open(process.execPath);
count(Object.getPrototypeOf(handle));
await handle.close();
syncBuiltinESMExports();

createHook({
  init(_, type) {
    if (type === "PROMISE") counts.promises++;
  },
}).enable();

process.on("SIGUSR2", () => writeFileSync(process.env.SVC_BENCH_COUNTS, JSON.stringify(counts)));
