import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { directory, run, start, useProcesses } from "../_bin.ts";
import { serveHere } from "../_serving.ts";
import { SEED } from "../_setup.ts";
import { portOf } from "../_port-of.ts";

useProcesses();

const SERVE = ["serve", "--port", "0", "--store", "memory", "--json"];

/** Puts something that is no file where svc looks for one. */
const others: [what: string, make: (path: string) => void][] = [
  ["a named pipe", (path) => void execFileSync("mkfifo", [path])],
  ["a directory", mkdirSync],
];

describe.skipIf(process.platform === "win32")("svc serve that finds what is no file", () => {
  it.each(
    others.flatMap(([what, make]) => [
      [what, "svc.config.json", "svc.config.json cannot be read: it is not a file.", make] as const,
      [what, "seed.json", "seed seed.json cannot be read: it is not a file.", make] as const,
      [what, "city.mmdb", "MaxMind DB file (it is not a file).", make] as const,
    ]),
  )("refuses %s as %s", async (_, name, message, make) => {
    make(join(directory, name));
    if (name !== "svc.config.json")
      writeFileSync(
        join(directory, "svc.config.json"),
        JSON.stringify({ [name === "seed.json" ? "seed" : "geoip"]: name }),
      );
    const { code, stderr } = await run(SERVE);
    expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
  });
});

describe.skipIf(process.platform !== "linux")("A named pipe that a flag names", () => {
  const made = (name: string): string => {
    const path = join(directory, name);
    execFileSync("mkfifo", [path]);
    return path;
  };

  it.each([["--seed"], ["--config"]])("is waited for after %s until a signal comes", async (flag) => {
    const path = made("named");
    const { child, ended } = start([...SERVE, flag, path]);
    // It has opened the pipe: another can now open it for writing without waiting.
    while (!openedBy(child.pid!, path)) await wait(5);
    child.kill("SIGTERM");
    expect(await ended).toMatchObject({ code: 0, signal: null, stdout: "", stderr: "" });
  });

  it("is waited for by svc exec until a signal comes", async () => {
    const path = made("named");
    const { child, ended } = start(["exec", "--seed", path, "--", "true"]);
    while (!openedBy(child.pid!, path)) await wait(5);
    child.kill("SIGTERM");
    expect(await ended).toMatchObject({ signal: "SIGTERM", stdout: "" });
  });

  it("is read once, for the seed and for what is compared at the next start", async () => {
    const path = made("named");
    const store = join(directory, "db.json");
    for (let round = 0; round < 2; round++) {
      const serving = serveHere(["--seed", path, "--store", store], { cwd: directory });
      await writeFile(path, JSON.stringify(SEED));
      const { ready, output, stop } = await serving;
      expect(ready.instances.map(({ subdomain }) => subdomain)).toEqual(SEED.instances.map((one) => one.subdomain));
      expect(output().filter((line) => line.includes("not applied"))).toEqual([]);
      await stop();
    }
  });
});

/** Whether a process has a file open. */
function openedBy(pid: number, path: string): boolean {
  return execFileSync("sh", ["-c", `ls -l /proc/${pid}/fd 2>/dev/null || true`]).includes(path);
}

it("svc serve whose port is taken leaves no store and no directory", async () => {
  const port = await portOf(createServer());
  const env = { SVC_DATA_DIR: join(directory, "data") };
  for (const store of [[], ["--store", join(directory, "new", "db.json")]]) {
    expect(await run(["serve", "--port", String(port), ...store], { env })).toMatchObject({ code: 8 });
    expect([existsSync(env.SVC_DATA_DIR), readdirSync(directory)]).toEqual([false, []]);
  }
});
