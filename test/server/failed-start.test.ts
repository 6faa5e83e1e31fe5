import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { expect, it, onTestFinished } from "vitest";
import { serve } from "../../src/server/index.ts";
import { temporaryDirectory } from "../_files.ts";
import { freePort } from "../_free-port.ts";
import { BIN } from "../_paths.ts";

/** A store whose snapshots can't be kept, which a server finds out after everything else. */
async function unusableStore(): Promise<string> {
  const directory = temporaryDirectory();
  await writeFile(join(directory, "db.snapshots"), "");
  return join(directory, "db.json");
}

it("A server that can't start listens nowhere", async () => {
  const port = await freePort();
  const store = await unusableStore();
  await expect(serve({ port, store })).rejects.toThrow("db.snapshots");
  await expect(fetch(`http://127.0.0.1:${port}/`)).rejects.toMatchObject({ cause: { code: "ECONNREFUSED" } });
});

it("svc serve that can't start says why, and ends by itself", async () => {
  const store = await unusableStore();
  const child = spawn(process.execPath, [BIN, "serve", "--port", "0", "--store", store, "--json"], {
    cwd: temporaryDirectory(),
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  const [said, [code]] = await Promise.all([text(child.stderr), once(child, "exit")]);
  expect([code, said]).toEqual([1, expect.stringContaining("db.snapshots")]);
});
