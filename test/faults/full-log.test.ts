import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, open, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { BIN } from "../_paths.ts";
import { readiness, until, type Server } from "./_file-server.ts";
import { fill } from "./_full.ts";
import { directory, needs, tools } from "./_processes.ts";

needs("mount");

it.skipIf(!tools.mount)(
  "A server whose log is on a full disk continues, says so once, and writes again when there is room",
  async () => {
    const place = await directory();
    const disk = join(place, "disk");
    await mkdir(disk);
    execFileSync("mount", ["-t", "tmpfs", "-o", "size=1m", "none", disk]);
    onTestFinished(() => void execFileSync("umount", ["-l", disk]));
    const [log, filler] = [join(disk, "log"), join(disk, "filler")];
    const output = await open(log, "a");
    const args = ["serve", "--port", "0", "--store", "memory", "--json"];
    const child = spawn(process.execPath, [BIN, ...args], { cwd: place, stdio: ["ignore", output.fd, "pipe"] });
    onTestFinished(() => void child.kill("SIGKILL"));
    await output.close();
    let stderr = "";
    child.stderr!.setEncoding("utf8").on("data", (text: string) => (stderr += text));
    const lines = async (): Promise<{ url: string }[]> =>
      (await readFile(log, "utf8")).split("\n").flatMap((line) => {
        // The last line before the disk was full may have been cut.
        const isWhole = line.startsWith("{") && line.endsWith("}");
        return isWhole ? [JSON.parse(line) as { url: string }] : [];
      });
    await until(async () => child.exitCode !== null || (await lines()).length > 0);
    const [{ url } = { url: "" }] = await lines();
    const ask = async (): Promise<unknown> => (await fetch(`${url}/.well-known/openid-configuration`)).text();
    await fill(filler);
    await until(async () => {
      await ask();
      return stderr !== "";
    });
    for (let n = 0; n < 10; n++) await ask();
    expect(await readiness({ url } as Server)).toBe("ok");
    expect(stderr.trimEnd().split("\n")).toEqual([
      expect.stringContaining("Standard output cannot be written (ENOSPC). The server continues"),
    ]);
    await rm(filler, { recursive: true });
    const before = (await lines()).length;
    for (let n = 0; n < 3; n++) await ask();
    expect((await lines()).length).toBeGreaterThan(before);
    const exited = once(child, "exit");
    child.kill("SIGTERM");
    expect(await exited).toEqual([0, null]);
  },
);
