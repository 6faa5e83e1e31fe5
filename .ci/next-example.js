// Runs the tests of examples/next as its user would: the packed package, installed from a registry beside Next.js, in a
// directory of its own. It is no part of `npm ci`, because Next.js weighs more than everything else together.
import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

const directory = mkdtempSync(join(tmpdir(), "svc-next-"));
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
  const packed = npm(".", "pack", "--ignore-scripts", "--json", "--pack-destination", directory);
  cpSync("examples/next", directory, { recursive: true });
  const [{ filename }] = JSON.parse(packed);
  npm(directory, "install", "--no-audit", "--no-fund", "--prefer-offline", `./${filename}`);
  process.stdout.write(npm(directory, "test"));
} finally {
  rmSync(directory, { recursive: true, force: true, maxRetries: 10 });
}
