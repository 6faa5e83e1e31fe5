import { readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { newPath } from "../store/_file.ts";
import { startProcess, type Answer } from "../store/_other-process.ts";
import { needs, tools } from "./_processes.ts";

needs("strace");

/** A store filled by a server, so that the next one writes nothing by itself. */
async function filledPath(): Promise<string> {
  const path = await newPath();
  const first = await startProcess(path);
  await first.ask("serve");
  await first.ask("close");
  await first.kill();
  return path;
}

/** Starts a sign-in, which writes a state. @returns its status */
async function begin({ url, refusal }: Answer): Promise<number> {
  expect(refusal).toBeUndefined();
  const query = new URLSearchParams({ provider: "google", redirect_uri: "http://localhost:3000/callback" });
  return (await fetch(`${url}/oauth/authorize?${query.toString()}`, { redirect: "manual" })).status;
}

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

describe.skipIf(!tools.strace)("A server under strace", () => {
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
        for (let n = 0; n < 20; n++) expect(await begin(server)).toBe(302);
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
