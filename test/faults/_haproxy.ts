import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { temporaryDirectory } from "../_files.ts";
import { freePort } from "../_free-port.ts";
import { programOf } from "../_machine.ts";
import { ROOT } from "../_paths.ts";

const HAPROXY = programOf("haproxy");
export const hasHaproxy = HAPROXY !== undefined;

/** HAProxy with the configuration of docs/postgres.md: a server that is not ready gets no requests. @returns its port */
export async function startHaproxy(ports: readonly number[]): Promise<number> {
  const page = await readFile(join(ROOT, "docs/postgres.md"), "utf8");
  const [, documented = ""] = /```haproxy\n(.*?)```/s.exec(page) ?? [];
  const port = await freePort();
  const lines = documented.split("\n").filter((line) => !/^ +server /.test(line));
  const settings = /^ +server svc-1 \S+ (.*)$/m.exec(documented)![1]!;
  const own = ports.map((to, n) => `  server svc-${n} 127.0.0.1:${to} ${settings}`);
  const file = join(temporaryDirectory(), "haproxy.cfg");
  await writeFile(
    file,
    [...lines.map((line) => line.replace("bind :7820", `bind 127.0.0.1:${port}`)), ...own, ""].join("\n"),
  );
  const child = spawn(HAPROXY!, ["-q", "-db", "-f", file], { stdio: ["ignore", "ignore", "inherit"] });
  onTestFinished(async () => {
    child.kill("SIGKILL");
    if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
  });
  return port;
}
