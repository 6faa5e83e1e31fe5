// Builds and runs the server, and does both again when a source file changes. Arguments go to `svc serve`.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { watch } from "node:fs";

const serveArguments = ["--enable-source-maps", "bin/svc.js", "serve", ...process.argv.slice(2)];
let server;
let timer;
let isBuilding = false;

async function restart() {
  if (isBuilding) return later();
  isBuilding = true;
  // A server reads parts of its program when they are first used, so it ends before they are replaced.
  if (server?.exitCode === null && server.kill("SIGTERM")) await once(server, "exit");
  server = undefined;
  const [code] = await once(spawn(process.execPath, ["scripts/build.js"], { stdio: "inherit" }), "exit");
  if (code === 0) server = spawn(process.execPath, serveArguments, { stdio: "inherit" });
  isBuilding = false;
}

/** One restart for all the files that are saved together. */
function later() {
  clearTimeout(timer);
  timer = setTimeout(() => void restart(), 100);
}

function end(signal) {
  if (!server?.kill(signal)) process.exit();
  server.once("exit", () => process.exit());
}

for (const path of ["src", "fixtures"]) watch(path, { recursive: true }, later);
for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, end);
// npm passes a SIGTERM to its shell alone, which then leaves this program behind.
const parent = process.ppid;
const look = setInterval(() => {
  if (process.env.npm_lifecycle_event === undefined || process.ppid === parent) return;
  clearInterval(look);
  end("SIGTERM");
}, 500);
look.unref();
await restart();
