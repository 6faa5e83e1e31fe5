import { execFileSync } from "node:child_process";
import { mkdir, readdir, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { names, readiness, remove, serve, signIn, until, users, type Server } from "./_file-server.ts";
import { directory, needs, tools } from "./_processes.ts";

needs("prlimit", "chattr");

interface Outage {
  readonly code: string;
  begin(place: string, server: Server): void | Promise<void>;
  end(place: string, server: Server): void | Promise<void>;
}

const outages: [name: string, canMake: boolean, outage: Outage][] = [
  [
    "a directory that was moved away",
    true,
    {
      code: "store_missing",
      begin: (place) => rename(join(place, "store"), join(place, "away")),
      end: (place) => rename(join(place, "away"), join(place, "store")),
    },
  ],
  [
    "a full disk",
    tools.prlimit,
    {
      code: "store_unavailable",
      // A file may not grow: to the process it is EFBIG.
      begin: (_, { child }) => void execFileSync("prlimit", ["--pid", String(child.pid), "--fsize=100:unlimited"]),
      end: (_, { child }) => void execFileSync("prlimit", ["--pid", String(child.pid), "--fsize=unlimited:unlimited"]),
    },
  ],
  [
    "a read-only journal",
    tools.chattr,
    {
      code: "store_read_only",
      begin: (place) => void execFileSync("chattr", ["+i", join(place, "store/db.journal")]),
      end: (place) => void execFileSync("chattr", ["-i", join(place, "store/db.journal")]),
    },
  ],
];

describe("A change answered with 503", () => {
  for (const [name, canMake, { code, begin, end }] of outages)
    it.skipIf(!canMake)(`never appears later, and the server recovers by itself after ${name}: ${code}`, async () => {
      const place = await directory();
      const server = await serve(place);
      for (const n of [1, 2, 3]) expect(await signIn(server, n)).toBe(true);
      const before = await users(server);
      await begin(place, server);
      let isOver = false;
      const finish = async (): Promise<void> => {
        if (!isOver) await end(place, server);
        isOver = true;
      };
      onTestFinished(finish);
      const refused = await remove(server, before[0]!.id);
      expect([refused.status, refused.headers.get("retry-after")]).toEqual([503, "1"]);
      for (const n of [11, 12, 13]) expect(await signIn(server, n)).not.toBe(true);
      await until(async () => (await readiness(server)) === code);
      expect((await fetch(`${server.url}/__svc/health/live`)).status).toBe(200);
      // What is read is what was, and the failed changes are not in it.
      expect(await users(server)).toEqual(before);
      await finish();
      await until(async () => (await readiness(server)) === "ok");
      expect(await users(server)).toEqual(before);
      expect(await signIn(server, 21)).toBe(true);
      const after = names(await users(server));
      expect(after).toEqual(["Person 1", "Person 2", "Person 21", "Person 3"]);
      // One line for the outage, and one for its end.
      const said = server.stderr
        .split("\n")
        .filter((line) => /db\.json is (un)?available/.test(line) || line.includes("is available again"));
      expect(said).toHaveLength(2);
      server.child.kill("SIGKILL");
      await server.ended;
      expect(names(await users(await serve(place)))).toEqual(after);
    });
});

describe("A server whose store another process took over", () => {
  /** As on a file system over which the lock does not reach. */
  async function hideLocks(store: string): Promise<void> {
    for (const name of await readdir(store)) if (name.endsWith(".lock")) await rm(join(store, name));
  }

  it("exits with 8 and one message, and loses nothing that the other process wrote", async () => {
    const place = await directory();
    const first = await serve(place);
    expect(await signIn(first, 1)).toBe(true);
    await hideLocks(join(place, "store"));
    const second = await serve(place);
    expect(await signIn(second, 2)).toBe(true);
    const refused = await signIn(first, 3).catch(() => "no answer");
    expect(refused).not.toBe(true);
    expect(await first.ended).toEqual([8, null]);
    const lines = first.stderr.split("\n").filter((line) => /has taken|is unavailable/.test(line));
    expect(lines).toHaveLength(1);
    expect(lines[0]).toContain(`Process ${second.child.pid} has taken ${join(place, "store/db.json")}`);
    expect(await readiness(second)).toBe("ok");
    expect(await signIn(second, 4)).toBe(true);
    const found = names(await users(second));
    expect(found).toEqual(["Person 1", "Person 2", "Person 4"]);
    second.child.kill("SIGTERM");
    expect(await second.ended).toEqual([0, null]);
    expect(names(await users(await serve(place)))).toEqual(found);
  });

  it("exits with 8 at its next change when its whole directory was replaced", async () => {
    const place = await directory();
    const first = await serve(place);
    await rename(join(place, "store"), join(place, "old"));
    await mkdir(join(place, "store"));
    await serve(place);
    expect(await signIn(first, 1).catch(() => "no answer")).not.toBe(true);
    expect(await first.ended).toEqual([8, null]);
  });

  it("runs on as not ready when its files changed and no other process has them", async () => {
    const place = await directory();
    const server = await serve(place);
    expect(await signIn(server, 1)).toBe(true);
    await writeFile(join(place, "store/db.journal"), "x", { flag: "a" });
    expect(await signIn(server, 2)).not.toBe(true);
    await until(async () => (await readiness(server)) === "store_changed");
    expect((await fetch(`${server.url}/__svc/health/live`)).status).toBe(200);
    expect(server.child.exitCode).toBeNull();
    expect(names(await users(server))).toEqual(["Person 1"]);
  });
});
