// Gives the client one core and the servers another, so that neither is measured waiting for the other's.
import { execFileSync } from "node:child_process";

let servers;

/**
 * Runs `work` with this process on the first of its cores, and each server that it starts on the last.
 * @returns {Promise<string>} where they ran
 */
export async function onSeparateCores(work) {
  const cores = ownCores();
  if (cores.length < 2) {
    await work();
    return "not pinned to cores";
  }
  moveTo(cores[0]);
  servers = cores.at(-1);
  try {
    await work();
  } finally {
    servers = undefined;
    moveTo(cores.join(","));
  }
  return "each server on one core, the client on another";
}

/** A command for a server: on the servers' core, where there is one. */
export function onServerCore(command) {
  return servers === undefined ? command : ["taskset", "--cpu-list", servers, ...command];
}

/** Their numbers; none where the system does not tell. */
function ownCores() {
  try {
    const [, list] = taskset("--cpu-list", "--pid", process.pid).split(": ");
    return list.split(",").flatMap((range) => {
      const [first, last = first] = range.split("-").map(Number);
      return Array.from({ length: last - first + 1 }, (_, index) => String(first + index));
    });
  } catch {
    return [];
  }
}

/** With all threads: those that Node has already begun, too. */
function moveTo(cores) {
  taskset("--all-tasks", "--cpu-list", "--pid", cores, process.pid);
}

function taskset(...argv) {
  return execFileSync("taskset", argv.map(String), { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });
}
