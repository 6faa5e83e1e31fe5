import { readFile } from "node:fs/promises";

/** A system call of a process; its beginning and end are places in the trace. */
export interface Call {
  readonly name: string;
  readonly thread: string;
  /** As strace prints it, with the paths of descriptors. */
  readonly args: string;
  readonly begin: number;
  readonly end: number;
  readonly failed: boolean;
}

/** The calls of all threads, in the order in which they returned. */
export async function readTrace(file: string): Promise<Call[]> {
  const begun = new Map<string, { text: string; begin: number }>();
  const calls: Call[] = [];
  for (const [place, line] of (await readFile(file, "utf8")).split("\n").entries()) {
    const [, pid = "", text = ""] = /^(\d+) +(.*)$/.exec(line) ?? [];
    if (text.endsWith(" <unfinished ...>")) {
      begun.set(pid, { text: text.slice(0, -" <unfinished ...>".length), begin: place });
      continue;
    }
    const resumed = /^<\.\.\. \w+ resumed>(.*)$/.exec(text);
    const first = begun.get(pid);
    const whole = resumed && first ? first.text + resumed[1]! : text;
    if (resumed) begun.delete(pid);
    const [, name, args, result] = /^(\w+)\((.*)\) += (-?\d+|\?)/.exec(whole) ?? [];
    if (!name) continue;
    const begin = resumed && first ? first.begin : place;
    calls.push({ name, thread: pid, args: args!, begin, end: place, failed: result!.startsWith("-") });
  }
  return calls;
}

/** What a power cut would leave after the system calls of a store. */
export class Order {
  readonly faults: string[] = [];
  acknowledgements = 0;
  compactions = 0;
  readonly #directory: string;
  /** The writes to each file since its last sync, by path, and the names that are not durable yet. */
  readonly #unsynced = new Map<string, { text: string; end: number }[]>();
  readonly #names = new Map<string, number>();
  /** The synced writes, and whether their file's name was durable then. */
  readonly #covered: { text: string; isNamed: boolean }[] = [];
  /** Whether db.json has every change that was written to the journal. */
  #isCompacted = true;

  constructor(directory: string) {
    this.#directory = directory;
  }

  see(call: Call): void {
    if (call.failed) return;
    const { name, args, begin, end } = call;
    const own = `${this.#directory}/`;
    const shown = /^\d+<([^>]*)>/.exec(args)?.[1]?.replace(" (deleted)", "") ?? "";
    const path = shown;
    if (name === "writev" && args.startsWith("1<")) return this.#said(args, begin);
    if (/^p?write/.test(name) && path.startsWith(own)) this.#writesOf(path).push({ text: args, end });
    else if (/^f(data)?sync$/.test(name) && path === this.#directory) {
      for (const [file, since] of this.#names) if (since < begin) this.#names.delete(file);
    } else if (/^f(data)?sync$/.test(name) && path.startsWith(own)) this.#synced(path, begin);
    else if (name === "openat") this.#opened(args, end);
    else if (name.startsWith("rename")) this.#renamed(args, end);
  }

  #writesOf(path: string): { text: string; end: number }[] {
    const writes = this.#unsynced.get(path) ?? [];
    this.#unsynced.set(path, writes);
    return writes;
  }

  #synced(path: string, begin: number): void {
    const writes = this.#writesOf(path);
    this.#unsynced.set(
      path,
      writes.filter((write) => write.end >= begin),
    );
    const isNamed = !this.#names.has(path);
    if (!path.endsWith("journal")) return;
    if (writes.length > 0) this.#isCompacted = false;
    this.#covered.push(...writes.filter((write) => write.end < begin).map(({ text }) => ({ text, isNamed })));
  }

  /** A file is created; an existing one already has a durable name. */
  #opened(args: string, end: number): void {
    const file = /"([^"]*)"/.exec(args)?.[1] ?? "";
    const isOurs = file.startsWith(`${this.#directory}/db.`) && !file.endsWith(".lock");
    if (isOurs && args.includes("O_CREAT") && !this.#unsynced.has(file)) {
      this.#names.set(file, end);
      this.#unsynced.set(file, []);
    }
  }

  #renamed(args: string, end: number): void {
    const [from = "", to = ""] = [...args.matchAll(/"([^"]*)"/g)].map(([, file]) => file);
    if (this.#writesOf(from).length > 0) this.faults.push(`${from} took the place of ${to} before it was synced`);
    this.#unsynced.set(to, this.#writesOf(from));
    this.#unsynced.delete(from);
    for (const file of [from, to]) this.#names.set(file, end);
    if (to.endsWith("/db.journal")) this.#replaced(to);
    if (!to.endsWith("/db.json")) return;
    this.#isCompacted = true;
    this.compactions++;
  }

  /** What was in a journal must be durable elsewhere before another takes its name. */
  #replaced(journal: string): void {
    if (this.#names.has(`${this.#directory}/db.json`) || !this.#isCompacted)
      this.faults.push(`${journal} was replaced before db.json was in its place for certain`);
  }

  #said(args: string, begin: number): void {
    const marks = [...args.matchAll(/= (save|take|in|end|out) (\d+)/g)];
    for (const [text, verb, n] of marks) {
      this.acknowledgements++;
      const mark = markOf(verb!, Number(n));
      const write = this.#covered.find(({ text: written }) => mark.test(written));
      const since = this.#names.get(`${this.#directory}/db.journal`) ?? Infinity;
      if (!write) this.faults.push(`${text} came before its sync`);
      else if (!write.isNamed && since < begin)
        this.faults.push(`${text} came before the directory held the journal's name`);
    }
  }
}

/** How a change looks in the journal, as strace quotes it. */
function markOf(verb: string, n: number): RegExp {
  const state = n.toString(16).padStart(64, "0");
  const id = `00000000-0000-4000-8000-${n.toString(16).padStart(12, "0")}`;
  if (verb === "save") return new RegExp(String.raw`put\\",\\"states\\",\{\\"state\\":\\"${state}`);
  if (verb === "take" || verb === "end") return new RegExp(String.raw`delete\\",\\"states\\",\\"${state}`);
  if (verb === "in") return new RegExp(String.raw`put\\",\\"users\\",\{\\"id\\":\\"${id}`);
  return new RegExp(String.raw`delete\\",\\"users\\",\\"${id}`);
}
