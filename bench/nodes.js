// Runs a comparison under other versions of Node, which npm has as packages.
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";

/** Those of SVC_NODES that are not the one that runs. */
export function otherNodes() {
  const versions = (process.env.SVC_NODES ?? "24").split(",").filter((version) => version !== "");
  return versions.filter((version) => !process.version.startsWith(`v${version}.`));
}

/**
 * @param argv a script and what it is given
 * @param directory where it is installed, and nowhere else
 */
export async function runUnder(version, argv, directory) {
  const cwd = join(directory, `node-${version}`);
  await mkdir(cwd);
  await writeFile(join(cwd, "package.json"), '{ "name": "bench-node", "private": true }');
  await promisify(execFile)("npm", ["install", `node@${version}`, "--no-audit", "--no-fund"], { cwd });
  const env = { ...process.env, SVC_NODES: "" };
  const child = spawn(join(cwd, "node_modules/node/bin/node"), argv, { stdio: "inherit", env });
  const [code] = await once(child, "exit");
  if (code !== 0) throw new Error(`Node ${version} ended with ${code}`);
}
