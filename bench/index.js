// Runs a measurement: `npm run bench -- NAME`, with what it takes behind its name. Without a name: what svc promises.
import { spawnSync } from "node:child_process";
import { join } from "node:path";

const NAMES = {
  promises: "run.js",
  "sign-in": "sign-in.js",
  counts: "counts.js",
  cli: "cli.js",
  client: "client.js",
  dashboard: "dashboard.js",
  fair: "fair.js",
  growth: "database-growth.js",
  import: "import.js",
  kit: "kit.js",
  postgres: "postgres.js",
  searches: "searches.js",
  soak: "soak.js",
  store: "store.js",
};

const [name = "promises", ...given] = process.argv.slice(2);
if (!Object.hasOwn(NAMES, name)) {
  console.error(`No measurement is called ${name}. There are: ${Object.keys(NAMES).join(", ")}.`);
  process.exit(2);
}
const { status } = spawnSync(process.execPath, [join(import.meta.dirname, NAMES[name]), ...given], {
  stdio: "inherit",
});
process.exit(status ?? 1);
