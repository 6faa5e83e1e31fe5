// Below the faces: the stores of a copy that was killed are compared record by record.

import { execFile, spawn, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { appendFile, readdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { checkFileStore } from "../../src/server/store/file/check.ts";
import { openFiles } from "../../src/server/store/file/open-files.ts";
import { openFileStore } from "../../src/server/store/file/file-store.ts";
import { journalLine } from "../../src/server/store/file/journal.ts";
import { openFileSource } from "../../src/server/store/file/transfer.ts";
import { put, removal } from "../../src/server/store/memory/tables.ts";
import { exportStore, readExport } from "../../src/server/store/move/export.ts";
import type { Entry } from "../../src/server/store/records.ts";
import { temporaryDirectory } from "../_files.ts";
import { BIN } from "../_paths.ts";
import { startProcess } from "../store/_other-process.ts";
import { at, identity, people, records, session, user } from "../store/_records.ts";
import { PROVIDERS } from "../../src/wire/providers.ts";

const isFull = process.env["SVC_FAULTS"] === "full";
const KILLS = isFull ? { copy: 50, import: 50 } : { copy: 8, import: 4 };
const EXPORTS = isFull ? 100 : 5;
const CHECKS = isFull ? 2000 : 100;
const TIMEOUT = isFull ? 1_800_000 : 300_000;
const canLimit = spawnSync("prlimit", ["--version"]).status === 0;
const env = { PATH: process.env["PATH"], HOME: process.env["HOME"] };
const run = promisify(execFile);

interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

async function svc(args: readonly string[], under: readonly string[] = []): Promise<Ended> {
  const [command, ...rest] = [...under, process.execPath, BIN, ...args];
  try {
    return { code: 0, ...(await run(command!, rest, { env, maxBuffer: 1 << 26 })) };
  } catch (error) {
    return error as Ended;
  }
}

/** Starts a command, and ends it by SIGKILL when the time has come. */
async function killWhen(args: readonly string[], isTime: (ms: number) => Promise<boolean>): Promise<void> {
  const began = performance.now();
  const child = spawn(process.execPath, [BIN, ...args], { env, stdio: "ignore" });
  const ended = once(child, "exit");
  while (child.exitCode === null && !(await isTime(performance.now() - began))) await delay(1);
  child.kill("SIGKILL");
  await ended;
}

async function hashes(directory: string): Promise<Record<string, string>> {
  const names = (await readdir(directory)).filter((name) => !name.endsWith(".lock")).toSorted();
  const rows = names.map(async (name) => {
    const content = await readFile(join(directory, name));
    return [name, createHash("sha256").update(content).digest("hex")];
  });
  return Object.fromEntries(await Promise.all(rows)) as Record<string, string>;
}

/** A store with that many users, some of them in its journal. */
async function makeStore(size: number): Promise<string> {
  const path = join(temporaryDirectory(), "db.json");
  const store = await openFileStore(path, { warn: () => {} });
  const users = Array.from({ length: size }, (_, n) => user(n + 1));
  await store.seed(
    records({
      users,
      identities: users.map((owner, n) => identity(100_000 + n, owner)),
      sessions: users.map((owner, n) => session(200_000 + n, owner)),
    }),
  );
  await store.close();
  await appendFile(
    join(dirname(path), "db.journal"),
    journalLine(2, [put("users", undefined, user(1, { name: "renamed" }))]),
  );
  return path;
}

async function exported(path: string): Promise<string> {
  const source = await openFileSource(path);
  let text = "";
  try {
    await exportStore(source, async (piece) => void (text += piece));
  } finally {
    await source.close();
  }
  return text;
}

/** An export's records. It throws where one belongs to another that isn't there. */
async function entriesIn(text: string): Promise<Entry[]> {
  const entries: Entry[] = [];
  async function* chunks(): AsyncIterable<Buffer> {
    yield Buffer.from(text);
  }
  for await (const batch of readExport("export", chunks())) entries.push(...batch);
  return entries;
}

/** Points in time spread over a command's whole run, but for its start, in which nothing happens yet. */
async function points(count: number, once_: () => Promise<unknown>): Promise<number[]> {
  const began = performance.now();
  await once_();
  const whole = performance.now() - began;
  const start = whole * 0.3;
  return Array.from({ length: count }, (_, n) => start + ((whole * 1.05 - start) * n) / count);
}

describe("A store command killed at any point", () => {
  it.each(["copy", "import"] as const)(
    "finishes when it is run again and leaves the source unchanged: svc store %s",
    { timeout: TIMEOUT },
    async (name) => {
      const path = await makeStore(1200);
      const whole = await exported(path);
      const file = join(temporaryDirectory(), "export.ndjson");
      await writeFile(file, whole);
      const before = await hashes(dirname(path));
      const args = (target: string): string[] =>
        name === "copy" ? ["store", "copy", path, target] : ["store", "import", file, "--store", target];
      const fresh = async (): Promise<string> => join(temporaryDirectory(), "new", "db.json");
      const first = await fresh();
      for (const time of await points(KILLS[name], () => svc(args(first)))) {
        const target = await fresh();
        await killWhen(args(target), async (ms) => ms > time);
        // It has all of it, or nothing.
        const there = (await readdir(dirname(target)).catch((): string[] => [])).includes("db.json");
        if (there) expect(await exported(target)).toBe(whole);
        const again = await svc(args(target));
        expect(again).toMatchObject({ code: 0 });
        expect(await exported(target)).toBe(whole);
        expect(await hashes(dirname(path))).toEqual(before);
        const opened = await openFileStore(target, { warn: () => {} });
        await opened.close();
        const left = await readdir(dirname(target));
        // The mark of the user who wrote it is no part of the store.
        expect(left.filter((entry) => entry !== "db.json.owner").toSorted()).toEqual(["db.journal", "db.json"]);
      }
    },
  );
});

describe.skipIf(!canLimit)("svc store copy on a full disk (needs prlimit)", () => {
  it("fails with a message, and finishes once there is space", { timeout: TIMEOUT }, async () => {
    const path = await makeStore(1200);
    const before = await hashes(dirname(path));
    const { length } = await readFile(path);
    for (const limit of [4096, Math.floor(length / 2), length]) {
      const target = join(temporaryDirectory(), "db.json");
      const failed = await svc(["store", "copy", path, target], ["prlimit", `--fsize=${limit}:unlimited`]);
      expect(failed).toMatchObject({ code: 9, stdout: "" });
      expect(failed.stderr).toMatch(/^✗ .* (could not|can't) be written \(EFBIG\)/);
      expect(await svc(["store", "copy", path, target])).toMatchObject({ code: 0 });
      expect(await exported(target)).toBe(await exported(path));
    }
    expect(await hashes(dirname(path))).toEqual(before);
  });
});

describe("A store command beside a running server", () => {
  it("exports a consistent state while users are created and deleted", { timeout: TIMEOUT }, async () => {
    const path = join(temporaryDirectory(), "db.json");
    const { ask } = await startProcess(path);
    const { url, instances } = await ask("serve");
    const key = { "x-service-secret-key": instances[0]!.secret_key };
    const progress = { done: false, signIns: 0, deletes: 0 };
    const callback = "http://localhost:3000/callback";
    const initial = await entriesIn(await exported(path));
    const personas = initial.flatMap(([name, record]) => (name === "personas" ? [record.email] : []));
    const seeded = new Set(initial.flatMap(([name, record]) => (name === "users" ? [record.id] : [])));

    const signIn = async (provider: string, hint: string): Promise<void> => {
      const query = new URLSearchParams({ provider, redirect_uri: callback, login_hint: hint });
      let location = `${url}/oauth/authorize?${query.toString()}`;
      for (let hop = 0; hop < 5 && !location.startsWith(callback); hop++) {
        const { headers } = await fetch(location, { redirect: "manual" });
        location = headers.get("location") ?? callback;
      }
      if (new URL(location).searchParams.has("token")) progress.signIns++;
    };
    const comeAndGo = async (first: number): Promise<void> => {
      for (let n = first; !progress.done; n++) {
        await signIn(PROVIDERS[n % PROVIDERS.length]!, personas[n % personas.length]!);
        const users = (await (await fetch(`${url}/api/v1/users?limit=1`, { headers: key })).json()) as { id: string }[];
        if (n % 4 > 0 || !users[0]) continue;
        const { status } = await fetch(`${url}/api/v1/users/${users[0].id}`, { method: "DELETE", headers: key });
        if (status === 200) progress.deletes++;
      }
    };
    const load = Promise.all([0, 1, 2, 3].map(comeAndGo));
    const sizes = new Set<number>();
    try {
      const isEnough = (): boolean => progress.signIns > EXPORTS && progress.deletes > 0 && sizes.size > 1;
      for (let n = 0; n < EXPORTS || !isEnough(); n++) {
        const text = n % 20 === 0 ? (await svc(["store", "export", "--store", path])).stdout : await exported(path);
        sizes.add(text.length);
        const entries = await entriesIn(text);
        const ownersOf = (table: "identities" | "sessions"): Set<string> =>
          new Set(entries.flatMap(([name, record]) => (name === table ? [record.user_id] : [])));
        const [linked, seen] = [ownersOf("identities"), ownersOf("sessions")];
        // Whoever signed in came with all that belongs to it.
        const halves = entries.filter(
          ([name, record]) =>
            name === "users" && !seeded.has(record.id) && !(linked.has(record.id) && seen.has(record.id)),
        );
        expect(halves).toEqual([]);
        await delay(20);
      }
    } finally {
      progress.done = true;
      await load;
    }
    await ask("close");
  });

  it("reports no damage while the journal is being compacted", { timeout: TIMEOUT }, async () => {
    const path = join(temporaryDirectory(), "db.json");
    const store = await openFileStore(path, { warn: () => {} });
    await store.seed(people());
    await store.close();
    const progress = { done: false, compactions: 0 };
    const write = async (): Promise<void> => {
      for (let n = 1; !progress.done; n++) {
        const files = await openFiles(path, { warn: () => {} });
        const owner = user(1000 + (n % 7), { updated_at: at(n) });
        const other = user(1000 + ((n + 1) % 7));
        const gone = removal("identities", identity(2000 + ((n + 1) % 7), other));
        await files.append([
          put("users", undefined, owner),
          put("identities", undefined, identity(2000 + (n % 7), owner)),
          gone,
        ]);
        await files.append([removal("users", other)]);
        await files.close();
        progress.compactions++;
      }
    };
    const writing = write();
    const numbers: number[] = [];
    try {
      while (numbers.length < CHECKS || progress.compactions < 20) {
        const { damage, dangling, sequence } = await checkFileStore(path);
        expect([damage, dangling]).toEqual([[], []]);
        numbers.push(sequence!);
      }
    } finally {
      progress.done = true;
      await writing;
    }
    expect(numbers).toEqual(numbers.toSorted((a, b) => a - b));
    expect(new Set(numbers).size).toBeGreaterThan(5);
  });
});
