// Runs the tests of the examples that need a framework or library of their own, as its user would: the packed package,
// installed from a registry beside it, in a directory of its own. They are no part of `npm ci`, because Next.js alone weighs
// more than everything else together.
import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

const EXAMPLES = ["better-auth", "authjs", "next"];

const place = mkdtempSync(join(tmpdir(), "svc-examples-"));
const npm = (cwd, ...args) =>
  execFileSync("npm", args, {
    cwd,
    stdio: ["ignore", "pipe", "inherit"],
    encoding: "utf8",
    env: { ...process.env, NEXT_TELEMETRY_DISABLED: "1", PORT: String(port) },
  });

/** A port that was free a moment ago. */
async function freePort() {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return address.port;
}

const port = await freePort();
try {
  const [{ filename }] = JSON.parse(npm(".", "pack", "--ignore-scripts", "--json", "--pack-destination", place));
  for (const name of EXAMPLES) {
    const directory = join(place, name);
    cpSync(join("examples", name), directory, { recursive: true });
    npm(directory, "install", "--no-audit", "--no-fund", "--prefer-offline", join("..", filename));
    process.stdout.write(npm(directory, "test"));
  }
} finally {
  rmSync(place, { recursive: true, force: true, maxRetries: 10 });
}
