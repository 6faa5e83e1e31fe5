import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { ROOT } from "./_paths.ts";

/** Runs the Dockerfile's health check in the directory of a server. @throws if it fails */
export async function healthCheck(cwd: string): Promise<void> {
  const dockerfile = await readFile(join(ROOT, "Dockerfile"), "utf8");
  const [, command = "[]"] = /^ +CMD (\[.*\])$/m.exec(dockerfile) ?? [];
  const [, ...args] = JSON.parse(command) as string[];
  // Without the server's file it must not find another program at the default port.
  await promisify(execFile)(process.execPath, args, { cwd, env: { ...process.env, SVC_PORT: "1" } });
}
