import { execFileSync } from "node:child_process";
import { chmod, lstat, mkdir, readFile, readdir, rm, stat, symlink, writeFile } from "node:fs/promises";
import { connect } from "node:net";
import { dirname, join, relative } from "node:path";
import { setImmediate } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { openJsonStore } from "../../src/server/store/json/index.ts";
import type { StateRecord } from "../../src/server/store/records.ts";
import type { Store } from "../../src/server/store/store.ts";
import {
  A,
  abandoned,
  arrival,
  at,
  contentOf,
  id,
  people,
  records,
  startProcess,
  state,
  temporaryDirectory,
  testStore,
  user,
} from "./conformance.ts";

const warnings: string[] = [];
const open = async (path: string): Promise<Store> => {
  const store = await openJsonStore(path, { warn: (message) => warnings.push(message) });
  onTestFinished(() => store.close());
  return store;
};
const newPath = async (): Promise<string> => join(await temporaryDirectory(), ".svc", "db.json");
const modeOf = async (path: string): Promise<string> => ((await stat(path)).mode & 0o777).toString(8);
const taken = async (store: Store, saved: readonly StateRecord[]): Promise<unknown[]> =>
  Promise.all(saved.map((record) => store.takeState(record.state)));

beforeEach(() => {
  warnings.length = 0;
});
afterEach(() => expect(warnings).toEqual([]));

testStore("json", async () => open(await newPath()));

/** Something of everything. */
async function fill(store: Store): Promise<void> {
  await store.seed(people());
  await store.completeSignIn(arrival({ uid: "new" }));
  await store.completeSignIn(arrival({ uid: "new", provider: "github", time: 1001 }));
  await store.completeSignIn(arrival({ uid: "grace", provider: "github", ip_address: "192.0.2.9", time: 1002 }));
  await store.deleteUser(A, id(2));
  for (let n = 1; n <= 3; n++) await store.saveState(state(n));
  await store.takeState(state(2).state);
}

describe("Opening a store again", () => {
  it("gives the same records in the same order after it was closed", async () => {
    const path = await newPath();
    const before = await open(path);
    await fill(before);
    const content = await contentOf(before);
    await before.close();
    const after = await open(path);
    expect(await contentOf(after)).toEqual(content);
    expect(
      await taken(
        after,
        [1, 2, 3].map((n) => state(n)),
      ),
    ).toEqual([state(1), undefined, state(3)]);
    await after.close();
  });

  it("gives them after it was abandoned, at any moment", async () => {
    const path = await newPath();
    const before = await open(path);
    await fill(before);
    const after = await open(await abandoned(path));
    expect(await contentOf(after)).toEqual(await contentOf(before));
    expect(
      await taken(
        after,
        [1, 2, 3].map((n) => state(n)),
      ),
    ).toEqual([state(1), undefined, state(3)]);
    await after.close();
    await before.close();
  });

  it("gives a user's providers in the same order, whichever was used last", async () => {
    const path = await newPath();
    const before = await open(path);
    await before.seed(people());
    await before.completeSignIn(arrival({ uid: "ada" }));
    const content = await contentOf(before);
    await before.close();
    const after = await open(path);
    expect(await contentOf(after)).toEqual(content);
    await after.close();
  });

  it("keeps text as it is, in any script, with line ends, quotes and halves of characters", async () => {
    const path = await newPath();
    const name = 'Ада\n"\\\r\u2028\u0000\u{1f600}\ud800\ufeff","crc32":"00000000"}';
    const before = await open(path);
    await before.seed(records({ users: [user(1, { name })] }));
    const copy = await abandoned(path);
    await before.close();
    for (const place of [path, copy]) {
      const after = await open(place);
      expect((await after.findUser(A, id(1)))?.user.name).toBe(name);
      await after.close();
    }
  });

  it("is replaced whole, and can be seeded then", async () => {
    const path = await newPath();
    const before = await open(path);
    await fill(before);
    await before.close();
    const open1 = await open(path);
    await open1.saveState(state(4));
    const copy = await abandoned(path);
    await open1.close();
    for (const place of [path, copy]) {
      const after = await open(place);
      await after.replace({ instances: [], personas: [], users: [], identities: [], sessions: [] });
      expect(await contentOf(after)).toEqual({ instances: [], personas: [], users: [], sessions: [] });
      expect(await after.takeState(state(4).state)).toBeUndefined();
      await after.seed(records());
      await after.close();
    }
  });
});

describe("db.json", () => {
  it("is JSON with a line for each record once the store is closed, and there is nothing else to keep", async () => {
    const path = await newPath();
    const store = await open(path);
    await fill(store);
    const { instances, personas, users } = await contentOf(store);
    expect(store.location).toBe(path);
    await store.close();

    const text = await readFile(path, "utf8");
    const document = JSON.parse(text) as Record<string, unknown[]>;
    expect(Object.keys(document)).toEqual([
      "format",
      "version",
      "sequence",
      "instances",
      "personas",
      "users",
      "identities",
      "sessions",
      "states",
      "checksum",
    ]);
    expect(document).toMatchObject({ instances, personas, states: [state(1), state(3)] });
    expect(document["users"]).toHaveLength(users.length);
    for (const view of users)
      expect(document["users"]).toContainEqual({ ...view.user, crc32: expect.any(String) as string });
    const lines = text.split("\n");
    for (const table of ["instances", "personas", "users", "identities", "sessions", "states"]) {
      const start = lines.indexOf(`"${table}":[`) + 1;
      const rows = lines.slice(start, lines.indexOf("],", start)).map((line) => line.replace(/,$/, ""));
      expect(rows.map((row) => JSON.parse(row) as unknown)).toEqual(document[table]);
    }
    expect((await readdir(dirname(path))).filter((name) => name.startsWith("db.journal"))).toEqual([]);
  });

  it("is the same, byte for byte, when the store is opened and closed", async () => {
    const path = await newPath();
    const store = await open(path);
    await fill(store);
    await store.close();
    const before = await readFile(path);
    await (await open(path)).close();
    expect(await readFile(path)).toEqual(before);
  });
});

describe("Who may read it", () => {
  it("is the owner alone, whatever the umask", async () => {
    const path = join(await temporaryDirectory(), "a", "b", "db.json");
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

  it("is the owner alone, also of files that were put back with other modes", async () => {
    const path = await newPath();
    const store = await open(path);
    await fill(store);
    await store.close();
    await chmod(path, 0o644);
    await chmod(dirname(path), 0o755);
    const again = await open(path);
    expect([await modeOf(path), await modeOf(dirname(path))]).toEqual(["600", "700"]);
    await again.close();
  });

  it("is not git: the directory says so itself", async () => {
    const path = await newPath();
    await (await open(path)).close();
    expect(await readFile(join(dirname(path), ".gitignore"), "utf8")).toBe("*\n");
  });

  it("is left to the owner of a directory that was there before", async () => {
    const directory = await temporaryDirectory();
    await chmod(directory, 0o755);
    await (await open(join(directory, "db.json"))).close();
    expect(await modeOf(directory)).toBe("755");
    expect(await readdir(directory)).not.toContain(".gitignore");
  });
});

describe("A store behind a symbolic link", () => {
  it("is used where it is when the directory is linked", async () => {
    const directory = await temporaryDirectory();
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

  it("is used where it is when db.json is linked", async () => {
    const directory = await temporaryDirectory();
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

  it.each(["the directory", "db.json"])("is had by one process at a time when %s is linked", async (what) => {
    const directory = await temporaryDirectory();
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

describe("One process at a time has a store", () => {
  it("refuses the second, and names the first", async () => {
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
  }, 20_000);

  it("is free again when its process is killed", async () => {
    const path = await newPath();
    const first = await startProcess(path);
    const { instances } = await first.ask("serve");
    await first.kill();
    const store = await open(path);
    expect((await store.instances()).map((row) => row.id)).toEqual(instances.map((row) => row.id));
    await store.close();
  }, 20_000);

  it("refuses a second one in the same process", async () => {
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

  it("is two stores' business alone: another beside it is open at the same time", async () => {
    const path = await newPath();
    const one = await open(path);
    const other = await open(join(dirname(path), "other.json"));
    await one.seed(people());
    expect(await contentOf(other)).toEqual({ instances: [], personas: [], users: [], sessions: [] });
    await Promise.all([one.close(), other.close()]);
  });

  it("is free again when it could not be opened", async () => {
    const path = await newPath();
    await (await open(path)).close();
    await writeFile(path, "not a store");
    await expect(open(path)).rejects.toThrow("is no svc store");
    await expect(open(path)).rejects.toThrow("is no svc store");
    await rm(path);
    const store = await open(path);
    await store.close();
  });

  it.runIf(process.platform === "linux")("is let go in time, whoever has connected to the lock", async () => {
    const store = await open(await newPath());
    const names = execFileSync("cat", ["/proc/self/net/unix"], { encoding: "utf8" }).match(/@svc-store-\w+/g) ?? [];
    const strangers = names.map((name) => connect(name.replace("@", "\0")).on("error", () => undefined));
    await setImmediate();
    const outcome = await Promise.race([
      store.close().then(() => "closed"),
      new Promise((resolve) => setTimeout(resolve, 1000, "still open")),
    ]);
    for (const stranger of strangers) stranger.destroy();
    expect(outcome).toBe("closed");
  });
});

describe("Closing", () => {
  it("loses nothing that was acknowledged while it went on", async () => {
    const lost: string[] = [];
    for (let round = 0; round < 20; round++) {
      const path = await newPath();
      const store = await open(path);
      if (round % 2 === 0) await store.seed(people());
      const acknowledged: StateRecord[] = [];
      const calls: Promise<unknown>[] = [];
      const progress = { closed: false };
      const closing = store.close().then(() => (progress.closed = true));
      for (let n = 1; !progress.closed && n < 1000; n++) {
        const save = store.saveState(state(n)).then(() => acknowledged.push(state(n)));
        calls.push(save.catch(() => undefined));
        await (n % 3 === 0 ? setImmediate() : Promise.resolve());
      }
      await Promise.all([closing, ...calls]);
      const after = await open(path);
      const found = await taken(after, acknowledged);
      lost.push(...acknowledged.filter((_, n) => found[n] === undefined).map((record) => `${round}: ${record.state}`));
      await after.close();
    }
    expect(lost).toEqual([]);
  }, 20_000);

  it("happens once: who closes twice touches nothing of the next owner", async () => {
    const path = await newPath();
    const first = await open(path);
    await first.seed(records());
    await first.close();
    const next = await open(path);
    await next.saveState(state(1));
    await first.close();
    await next.saveState(state(2));
    const after = await open(await abandoned(path));
    expect(await taken(after, [state(1), state(2)])).toEqual([state(1), state(2)]);
    await after.close();
    await next.close();
  });
});

describe("States that have expired", () => {
  it("are written off once, however many sign-ins begin at the same time", async () => {
    const path = await newPath();
    const store = await open(path);
    await Promise.all(Array.from({ length: 300 }, (_, n) => store.saveState(state(n))));
    await store.close();
    const again = await open(path);
    const later = { created_at: at(700), expires_at: at(1300) };
    await Promise.all(Array.from({ length: 100 }, (_, n) => again.saveState(state(5000 + n, later))));
    const { size } = await stat(join(dirname(path), "db.journal"));
    expect(size).toBeLessThan(300 * 100 + 100 * 500);
    await again.close();
  });
});
