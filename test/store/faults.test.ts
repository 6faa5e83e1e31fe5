import { execFileSync, spawnSync } from "node:child_process";
import {
  appendFile,
  copyFile,
  mkdir,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  truncate,
  writeFile,
} from "node:fs/promises";
import { dirname, join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { openFileStore, type FileStore } from "../../src/server/store/file/file-store.ts";
import { journalLine } from "../../src/server/store/file/journal-reader.ts";
import { put } from "../../src/server/store/memory/tables.ts";
import type { StateRecord } from "../../src/server/store/records.ts";
import { StorageUnavailable } from "../../src/server/store/store.ts";
import { abandoned } from "./_abandoned.ts";
import { temporaryDirectory } from "../_files.ts";
import { startProcess, type Answer } from "./_other-process.ts";
import { A, arrival, contentOf, id, people, state } from "./_records.ts";

const has = (command: string, ...args: string[]): boolean => spawnSync(command, args).status === 0;
const canLimit = has("prlimit", "--version");
// System calls have different names on different machines.
const canTrace =
  process.arch === "x64" &&
  has("strace", "--seccomp-bpf", "-f", "-o", "/dev/null", "-e", "trace=fsync", process.execPath, "--version");

const newPath = async (): Promise<string> => join(temporaryDirectory(), "data", "db.json");

/** A store filled by a server, so that the next one writes nothing by itself. */
async function filledPath(): Promise<string> {
  const path = await newPath();
  const first = await startProcess(path);
  await first.ask("serve");
  await first.ask("close");
  await first.kill();
  return path;
}

const journalOf = (path: string): string => join(dirname(path), "db.journal");

interface Answered {
  status: number;
  /** The state of the started sign-in. */
  state: string;
  body: string;
}

/** Starts a sign-in, which writes a state. */
async function begin({ url, refusal }: Answer): Promise<Answered> {
  expect(refusal).toBeUndefined();
  const query = new URLSearchParams({ provider: "google", redirect_uri: "http://localhost:3000/callback" });
  return answered(await fetch(`${url}/oauth/authorize?${query.toString()}`, { redirect: "manual" }));
}

/** Cancels a sign-in, which removes its state. */
async function breakOff({ url }: Answer, begun: string): Promise<Answered> {
  const query = new URLSearchParams({ state: begun, error: "access_denied" });
  return answered(await fetch(`${url}/oauth/google/callback?${query.toString()}`, { redirect: "manual" }));
}

async function answered(response: Response): Promise<Answered> {
  const location = response.headers.get("location");
  const begun = location === null ? null : new URL(location).searchParams.get("state");
  return { status: response.status, state: begun ?? "", body: await response.text() };
}

async function listUsers({ url, instances }: Answer): Promise<number> {
  const headers = { "x-service-secret-key": instances[0]!.secret_key };
  return (await fetch(`${url}/api/v1/users`, { headers })).status;
}

/** The states that a start would now find in a store's files. */
async function statesIn(path: string): Promise<string[]> {
  const copy = await abandoned(path);
  const store = await openFileStore(copy, { warn: () => {} });
  await store.close();
  return (JSON.parse(await readFile(copy, "utf8")) as { states: StateRecord[] }).states.map((row) => row.state);
}

/** The content of all files of a store except its locks. */
async function filesOf(path: string): Promise<Map<string, string>> {
  const entries = await readdir(dirname(path), { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile() && !entry.name.endsWith(".lock"));
  const names = files.map((entry) => join(entry.parentPath, entry.name)).toSorted();
  const contents = await Promise.all(names.map((name) => readFile(name, "utf8")));
  return new Map(names.map((name, n) => [name, contents[n]!]));
}

const UNAVAILABLE = { status: 503, state: "", body: '{"error":"Storage unavailable"}' };

const limit = (pid: number, size: number | "unlimited"): void => {
  execFileSync("prlimit", ["--pid", String(pid), `--fsize=${size}:unlimited`]);
};

describe.skipIf(!canLimit)("A full disk (needs prlimit)", () => {
  it("is answered with 503 while reads continue, and a failed write never appears", async () => {
    const path = await newPath();
    const other = await startProcess(path);
    const server = await other.ask("serve");
    const begun = [(await begin(server)).state, (await begin(server)).state];
    for (const room of [0, 1, 50, 100]) {
      limit(server.pid, (await stat(journalOf(path))).size + room);
      expect(await begin(server)).toEqual(UNAVAILABLE);
      expect(await Promise.all([begin(server), begin(server)])).toEqual([UNAVAILABLE, UNAVAILABLE]);
      expect(await breakOff(server, begun[0]!)).toEqual(UNAVAILABLE);
      expect(await listUsers(server)).toBe(200);
      expect(await statesIn(path)).toEqual(begun);
      limit(server.pid, "unlimited");
      const next = await begin(server);
      expect(next.status).toBe(302);
      begun.push(next.state);
    }
    await other.kill();
    expect(await statesIn(path)).toEqual(begun);
  });

  it("is answered with 503 for a delete too, and the user remains", async () => {
    const other = await startProcess(await newPath());
    const server = await other.ask("serve");
    const headers = { "x-service-secret-key": server.instances[0]!.secret_key };
    const [user] = (await (await fetch(`${server.url}/api/v1/users?limit=1`, { headers })).json()) as { id: string }[];
    const url = `${server.url}/api/v1/users/${user!.id}`;
    limit(server.pid, 0);
    const refused = await fetch(url, { method: "DELETE", headers });
    expect([refused.status, await refused.json()]).toEqual([503, { error: "Storage unavailable" }]);
    expect((await fetch(url, { headers })).status).toBe(200);
    limit(server.pid, "unlimited");
    expect((await fetch(url, { method: "DELETE", headers })).status).toBe(200);
    expect((await fetch(url, { headers })).status).toBe(404);
  });

  it("prevents a start with an error about the store until there is room", async () => {
    const directory = join(temporaryDirectory(), "data");
    await mkdir(directory);
    const path = join(directory, "db.json");
    const first = await startProcess(path);
    await first.ask("serve");
    await first.kill();
    const before = await filesOf(path);
    const other = await startProcess(path);
    const { pid } = await other.ask("report");
    limit(pid, 0);
    const { refusal } = await other.ask("serve");
    const { name: kind, reason, message = "" } = refusal ?? {};
    expect([kind, reason, message.includes(directory)]).toEqual(["StoreRefused", "unusable", true]);
    expect(await filesOf(path)).toEqual(before);
    limit(pid, "unlimited");
    expect((await other.ask("serve")).refusal).toBeUndefined();
  }, 20_000);
});

/** Only the process's n-th fdatasync fails. strace counts by thread, so there is one thread. */
const failing = (n: number): string[] =>
  `env UV_THREADPOOL_SIZE=1 strace -f -qq -o /dev/null -e trace=fdatasync -e inject=fdatasync:error=EIO:when=${n}`.split(
    " ",
  );

describe.skipIf(!canTrace)("A failing disk (needs strace)", () => {
  it("does not prevent the store from closing in order", async () => {
    const path = await filledPath();
    const other = await startProcess(path, failing(2));
    const server = await other.ask("serve");
    const begun = await begin(server);
    expect(await begin(server)).toEqual(UNAVAILABLE);
    expect((await other.ask("close")).refusal).toBeUndefined();
    expect(await statesIn(path)).toEqual([begun.state]);
  });
});

/** A process's file and socket calls in order: a file call counts when it returns, a response when it starts. */
async function eventsOf(trace: string, directory: string): Promise<string[]> {
  const unfinished = new Map<string, string>();
  const events: string[] = [];
  const plain = (text: string): string =>
    text
      .replaceAll(directory, "")
      .replaceAll(/\d+<([^>]*)>/g, '"$1"')
      .replaceAll(/\.[0-9a-f]{12}\.tmp/g, ".tmp");
  for (const line of (await readFile(trace, "utf8")).split("\n")) {
    const [, pid = "", text = ""] = /^(\d+) +(.*)$/.exec(line) ?? [];
    if (text.includes("HTTP/1.1 302")) events.push("answer");
    const resumed = /^<\.\.\. \w+ resumed>(.*)$/.exec(text);
    const whole = resumed ? (unfinished.get(pid) ?? "") + resumed[1]! : text;
    if (text.endsWith("<unfinished ...>")) {
      unfinished.set(pid, text.replace("<unfinished ...>", ""));
      continue;
    }
    if (whole.includes(".lock")) continue;
    const [, call, args] = /^(\w+)\((.*)\) += 0$/.exec(whole) ?? [];
    if (call && whole.includes(directory)) events.push(`${call} ${plain(args!).replaceAll('"', "")}`.trim());
    else if (/^p?write/.test(whole) && whole.includes("db.journal>")) events.push("append");
  }
  return events;
}

describe.skipIf(!canTrace)("The order of syncs (needs strace)", () => {
  const CALLS = "mkdir,rename,link,unlink,fsync,fdatasync,pwrite64,write,writev";

  async function traced(path: string, work: (server: Answer) => Promise<void>, ends: boolean): Promise<string[]> {
    const trace = join(dirname(dirname(path)), "trace");
    const under = ["strace", "--seccomp-bpf", "-f", "-qq", "-y", "-s", "24", "-o", trace, "-e", `trace=${CALLS}`];
    const other = await startProcess(path, under);
    await work(await other.ask("serve"));
    if (ends) await other.ask("close");
    await other.kill();
    return eventsOf(trace, dirname(dirname(path)));
  }

  it("puts a change on the disk before its response is sent", async () => {
    const events = await traced(
      await filledPath(),
      async (server) => {
        for (let n = 0; n < 20; n++) expect((await begin(server)).status).toBe(302);
      },
      false,
    );
    const steps = events.slice(events.indexOf("append")).filter((event) => /^(append|answer|fdatasync)/.test(event));
    expect(steps).toEqual(Array.from({ length: 20 }, () => ["append", "fdatasync /data/db.journal", "answer"]).flat());
  });

  it("puts db.json on the disk before the journal that is in it is replaced", async () => {
    const events = await traced(await filledPath(), async (server) => void (await begin(server)), true);
    const first = events.indexOf("append");
    expect(events.slice(first)).toEqual([
      "append",
      "fdatasync /data/db.journal",
      "answer",
      "fsync /data/db.json.tmp",
      "rename /data/db.json.tmp, /data/db.json",
      "fsync /data",
      "fsync /data/db.journal.tmp",
      "rename /data/db.journal.tmp, /data/db.journal",
      "fsync /data",
    ]);
  });

  it("puts a new directory of the store on the disk before the first change", async () => {
    const events = await traced(await newPath(), async (server) => void (await begin(server)), false);
    const before = events.slice(0, events.indexOf("append")).filter((event) => /^(mkdir|fsync)/.test(event));
    expect(before).toEqual(
      expect.arrayContaining(["mkdir /data, 0700", "fsync /data/db.journal.tmp", "fsync /data", "fsync"]),
    );
  });
});

async function open(path: string): Promise<FileStore> {
  const store = await openFileStore(path, { warn: () => {} });
  onTestFinished(() => store.close());
  return store;
}

/** A store with a `db.json` and a change in the journal that awaits compaction. */
async function running(): Promise<{ path: string; store: FileStore }> {
  const path = await newPath();
  const first = await open(path);
  await first.seed(people());
  await first.close();
  const store = await open(path);
  for (let n = 1; n <= 3; n++) await store.saveState(state(n));
  return { path, store };
}

describe("Another process that writes to the store's files", () => {
  const foreign: [string, (path: string) => Promise<void>][] = [
    [
      "adds to the journal",
      (path) => appendFile(journalOf(path), journalLine(5, [put("states", undefined, state(7))])),
    ],
    ["cuts the journal", (path) => truncate(journalOf(path), 10)],
    ["removes the journal", (path) => rm(journalOf(path))],
    [
      "puts another journal in its place",
      async (path) => {
        await copyFile(journalOf(path), `${journalOf(path)}.copy`);
        await rename(`${journalOf(path)}.copy`, journalOf(path));
      },
    ],
    [
      "compacts a copy of the store into its place",
      async (path) => {
        const elsewhere = await abandoned(path);
        const theirs = await open(elsewhere);
        await theirs.saveState(state(7));
        await theirs.close();
        await rm(journalOf(path));
        await copyFile(elsewhere, `${path}.copy`);
        await rename(`${path}.copy`, path);
        await writeFile(journalOf(path), "");
      },
    ],
  ];
  it.each(foreign)("and %s stops all writes, while reads continue", async (_, change) => {
    const { path, store } = await running();
    await change(path);
    const files = await filesOf(path);
    const content = await contentOf(store);
    for (const call of [
      () => store.saveState(state(9)),
      () => store.takeState(state(1).state),
      () => store.deleteUser(A, id(1)),
      () => store.completeSignIn(arrival({ uid: "ada" })),
    ]) {
      await expect(call()).rejects.toBeInstanceOf(StorageUnavailable);
    }
    expect(await contentOf(store)).toEqual(content);
    expect(await filesOf(path)).toEqual(files);
  });

  it.each(foreign)("and %s is noticed by the next compaction, which leaves the file alone", async (_, change) => {
    const { path, store } = await running();
    await change(path);
    const files = await filesOf(path);
    await store.compact();
    expect(await filesOf(path)).toEqual(files);
  });

  it.each(foreign)("and %s is noticed by closing, which leaves the file alone", async (_, change) => {
    const { path, store } = await running();
    await change(path);
    const files = await filesOf(path);
    await store.close();
    expect(await filesOf(path)).toEqual(files);
  });

  it("and adds to an empty journal is noticed by closing, which leaves the file alone", async () => {
    const path = await newPath();
    await mkdir(dirname(path));
    const store = await open(path);
    await appendFile(journalOf(path), journalLine(1, [put("states", undefined, state(7))]));
    const files = await filesOf(path);
    await store.close();
    expect(await filesOf(path)).toEqual(files);
  });
});
