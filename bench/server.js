// Starts the servers that are measured.
import { spawn } from "node:child_process";
import { readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onServerCore } from "./cores.js";

/** A measurement that fails leaves no server behind. */
const running = new Set();
process.on("exit", () => running.forEach((child) => child.kill()));

/**
 * A server that prints its port as JSON in its first line.
 * @returns {Promise<{ port: number, pid: number, ready: object, stdout: Readable, stop: () => Promise<void> }>}
 */
export function start(argv, directory, node = process.execPath) {
  const [command, ...rest] = onServerCore([node, ...argv]);
  const child = spawn(command, rest, { cwd: directory, stdio: ["ignore", "pipe", "inherit"], env: plainEnv() });
  running.add(child);
  const exited = new Promise((resolve) => child.once("exit", resolve)).then(() => running.delete(child));
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    let text = "";
    child.stdout.on("data", function read(data) {
      text += data;
      // Node's own traces may come before it.
      const [line] = /^\{.*(?=\n)/m.exec(text) ?? [];
      if (line === undefined) return;
      child.stdout.off("data", read).resume();
      const ready = JSON.parse(line);
      resolve({
        port: ready.port,
        pid: child.pid,
        ready,
        stdout: child.stdout,
        stop: () => {
          child.kill("SIGTERM");
          return exited;
        },
      });
    });
  });
}

/** Further certificates alone nearly triple Node's start. What servers and commands share is not the user's own. */
export function plainEnv() {
  const { NODE_EXTRA_CA_CERTS: _, NODE_OPTIONS: __, ...env } = process.env;
  return { ...env, SVC_DATA_DIR: join(tmpdir(), "svc-bench-data") };
}

/** Bytes of memory that a process takes; NaN where the system does not tell. */
export async function memoryOf(pid) {
  const status = await readFile(`/proc/${pid}/status`, "utf8").catch(() => "");
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) * 1024;
}

/** The most memory that a process has taken so far; 0 if it has ended. */
export async function peakOf(pid) {
  const status = await readFile(`/proc/${pid}/status`, "utf8").catch(() => "");
  return Number(/VmHWM:\s+(\d+)/.exec(status)?.[1] ?? 0) * 1024;
}

/** Microseconds of CPU time, in user and kernel mode, that a process has had; NaN where the system does not tell. */
export async function cpuOf(pid) {
  const stat = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => "");
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return (Number(fields[11]) + Number(fields[12])) * 10_000;
}
