// Below the faces: a file store is opened and closed without a server, a dozen times.

import { chmod, lstat, mkdir, readFile, readdir, rm, stat, symlink, writeFile } from "node:fs/promises";
import { connect } from "node:net";
import { dirname, join, relative } from "node:path";
import { setImmediate } from "node:timers/promises";
import { Low } from "lowdb";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { openFileStore } from "../../src/server/store/file/file-store.ts";
import { fill, newPath, open, expectNoWarnings, warnings } from "./_file.ts";
import { temporaryDirectory } from "../_files.ts";
import { startProcess } from "./_other-process.ts";
import { A, contentOf, id, people, records, state } from "./_records.ts";

expectNoWarnings();

const modeOf = async (path: string): Promise<string> => ((await stat(path)).mode & 0o777).toString(8);

describe("The files of a store", () => {
  it("are readable by their owner only, whatever the umask", async () => {
    const path = join(temporaryDirectory(), "a", "b", "db.json");
    const umask = process.umask(0);
    try {
      const seen: string[] = [];
      const look = async (): Promise<void> => {
        for (const name of await readdir(dirname(path)))
          seen.push(`${name} ${await modeOf(join(dirname(path), name))}`);
      };
      const store = await open(path);
      await look();
      await fill(store);
      await look();
      await store.close();
      await look();
      expect(seen.filter((entry) => !entry.endsWith(" 600"))).toEqual([]);
      expect(seen).toEqual(expect.arrayContaining(["db.json 600", "db.journal 600"]));
      expect([await modeOf(dirname(path)), await modeOf(dirname(dirname(path)))]).toEqual(["700", "700"]);
    } finally {
      process.umask(umask);
    }
  });

  it("become readable by their owner only, even if restored with other modes", async () => {
    const path = await newPath();
    const store = await open(path);
    await fill(store);
    await store.close();
    await chmod(path, 0o644);
    await chmod(dirname(path), 0o755);
    const again = await open(path);
    expect(await modeOf(path)).toBe("600");
    await again.close();
    expect(warnings.splice(0)).toEqual([expect.stringContaining("everyone on this machine could read")]);
  });

  it("leave the mode of an existing directory alone", async () => {
    const directory = temporaryDirectory();
    await chmod(directory, 0o755);
    await (await open(join(directory, "db.json"))).close();
    expect(await modeOf(directory)).toBe("755");
  });
});

describe("A store behind a symbolic link", () => {
  it("is used at the link's target when the directory is a link", async () => {
    const directory = temporaryDirectory();
    await mkdir(join(directory, "real"));
    await symlink("real", join(directory, "link"));
    const store = await open(join(directory, "link", "db.json"));
    await fill(store);
    const content = await contentOf(store);
    await store.close();
    expect((await lstat(join(directory, "link"))).isSymbolicLink()).toBe(true);
    const real = await open(join(directory, "real", "db.json"));
    expect(await contentOf(real)).toEqual(content);
    await real.close();
  });

  it("is used at the link's target when db.json is a link", async () => {
    const directory = temporaryDirectory();
    const real = join(directory, "real", "db.json");
    const first = await open(real);
    await first.seed(people());
    await first.close();
    const link = join(directory, "db.json");
    await symlink(real, link);
    const store = await open(link);
    await store.deleteUser(A, id(1));
    const content = await contentOf(store);
    await store.close();
    expect((await lstat(link)).isSymbolicLink()).toBe(true);
    const again = await open(real);
    expect(await contentOf(again)).toEqual(content);
    await again.close();
  });

  it("leaves the mode of a file that is no store alone, and what lies beside it", async () => {
    const directory = temporaryDirectory();
    const [other, beside] = [join(directory, "accounts"), join(directory, "accounts.new.tmp")];
    for (const name of [other, beside]) await writeFile(name, "root:x:0:0\n");
    await chmod(other, 0o644);
    const link = join(directory, "db.json");
    await symlink(other, link);
    await expect(open(link)).rejects.toThrow("is not a store of svc");
    expect([await modeOf(other), await readFile(other, "utf8")]).toEqual(["644", "root:x:0:0\n"]);
    expect((await readdir(directory)).toSorted()).toEqual(["accounts", "accounts.new.tmp", "db.json"]);
  });

  it.each(["the directory", "db.json"])("is locked for one process when %s is linked", async (what) => {
    const directory = temporaryDirectory();
    const real = join(directory, "real", "db.json");
    const first = await open(real);
    await first.seed(records());
    await first.close();
    const link = join(directory, "link");
    await (what === "db.json" ? symlink(real, link) : symlink(dirname(real), link));
    const store = await open(real);
    await expect(open(what === "db.json" ? link : join(link, "db.json"))).rejects.toThrow("is in use by");
    await store.close();
  });
});

it("Every document of a store is read and written by lowdb: at a seed, a compaction, a snapshot and its restore", async () => {
  const path = await newPath();
  const [read, write] = [vi.spyOn(Low.prototype, "read"), vi.spyOn(Low.prototype, "write")];
  onTestFinished(() => [read, write].forEach((spy) => spy.mockRestore()));
  const calls = (): [reads: number, writes: number] => [read.mock.calls.length, write.mock.calls.length];
  const store = await open(path);
  expect(calls()).toEqual([1, 0]);
  await store.seed(people());
  expect(calls()).toEqual([1, 1]);
  await store.snapshots.save("s", new Date(0).toISOString());
  expect(calls()).toEqual([1, 2]);
  await store.snapshots.restore("s");
  expect(calls()).toEqual([2, 3]);
  await store.saveState(state(1));
  await store.close();
  expect(calls()).toEqual([2, 4]);
});

describe("The lock of a store", () => {
  it("refuses a second process and names the first", async () => {
    const path = await newPath();
    const [first, second] = await Promise.all([startProcess(path), startProcess(path)]);
    const { pid, refusal } = await first.ask("serve");
    expect(refusal).toBeUndefined();
    const message = `${path} is in use by process ${pid}. Stop that one, or give this one another --store.`;
    expect((await second.ask("serve")).refusal).toEqual({ name: "StoreRefused", reason: "locked", message });
    await expect(open(path)).rejects.toThrow(message);
    await expect(open(relative(process.cwd(), path))).rejects.toThrow(message);
    await first.ask("close");
    expect((await second.ask("serve")).refusal).toBeUndefined();
  });

  it("is released when its process is killed", async () => {
    const path = await newPath();
    const first = await startProcess(path);
    const { instances } = await first.ask("serve");
    await first.kill();
    const store = await open(path);
    expect((await store.instances()).map((row) => row.id)).toEqual(instances.map((row) => row.id));
    await store.close();
  });

  it("refuses a second opening in the same process", async () => {
    const path = await newPath();
    const store = await open(path);
    await fill(store);
    await expect(open(path)).rejects.toThrow(`${path} is in use by process ${process.pid}`);
    const content = await contentOf(store);
    await store.close();
    const again = await open(path);
    expect(await contentOf(again)).toEqual(content);
    await again.close();
  });

  it("does not affect another store beside it", async () => {
    const path = await newPath();
    const one = await open(path);
    const other = await open(join(dirname(path), "other.json"));
    await one.seed(people());
    expect(await contentOf(other)).toEqual({ instances: [], personas: [], users: [], sessions: [] });
    await Promise.all([one.close(), other.close()]);
  });

  it("is released when the store could not be opened", async () => {
    const path = await newPath();
    await (await open(path)).close();
    await writeFile(path, "not a store");
    await expect(open(path)).rejects.toThrow("not JSON");
    await expect(open(path)).rejects.toThrow("not JSON");
    await rm(path);
    const store = await open(path);
    await store.close();
  });

  it.runIf(process.platform === "linux")("is released in time, whoever has connected to it", async () => {
    const path = await newPath();
    const store = await open(path);
    const names = (await readdir(dirname(path))).filter((name) => name.endsWith(".lock"));
    expect(names).toHaveLength(1);
    const strangers = names.map((name) => connect(join(dirname(path), name)).on("error", () => undefined));
    onTestFinished(() => strangers.forEach((stranger) => stranger.destroy()));
    await setImmediate();
    await expect(store.close()).resolves.toBeUndefined();
  });
});

it("Writes that start in one turn of the event loop share one sync", async () => {
  let commits = 0;
  const path = await newPath();
  const store = await openFileStore(path, { warn: () => {}, onCommit: () => commits++ });
  onTestFinished(() => store.close());
  await store.seed(people());
  const saves = Array.from({ length: 8 }, async (_, n) => {
    for (let turns = 0; turns < n; turns++) await Promise.resolve();
    await store.saveState(state(n + 1));
  });
  await Promise.all(saves);
  expect(commits).toBe(1);
});
