import { existsSync, readFileSync, writevSync } from "node:fs";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { openJsonStore } from "../../src/server/store/json/json-store.ts";
import type { Store } from "../../src/server/store/store.ts";
import { records } from "../store/_records.ts";
import { perform, type Act } from "./_book.ts";

// A process that has a store, does what it is told by lines, and says `? x` before it does x, `= x` when that is
// acknowledged, and `! x <why>` when it is refused.

const [, , path = ""] = process.argv;
let store: Store | undefined;

// A store postpones work until it is idle, which a test need not wait for.
const later = globalThis.setTimeout;
globalThis.setTimeout = ((action: () => void, ms = 0) => later(action, Math.min(ms, 20))) as typeof setTimeout;

/** Written when this returns, and not by `write`, so that a trace distinguishes it from the store's writes. */
function say(text: string): void {
  writevSync(1, [Buffer.from(text), Buffer.from("\n")]);
}

async function answer(name: string, action: () => Promise<unknown>): Promise<boolean> {
  say(`? ${name}`);
  try {
    await action();
    say(`= ${name}`);
    return true;
  } catch (error) {
    const { name: kind, reason, message } = error as Error & { reason?: string };
    say(`! ${name} ${JSON.stringify({ kind, reason, message })}`);
    return false;
  }
}

const act = (what: Act): Promise<boolean> => answer(what, () => perform(store!, what));

async function open(): Promise<void> {
  store = await openJsonStore(path, { warn: (message) => say(`~ ${message}`) });
  if ((await store.instances()).length === 0) await store.seed(records());
}

let last = 11_000_000;

/** Waits until nothing is left to compact. A short rest would wait longer, so the last changes are long. */
async function compacted(): Promise<void> {
  const journal = join(dirname(path), "db.journal");
  // A journal without changes is its header alone.
  const isEmpty = (text: string): boolean => text.indexOf("\n") === text.length - 1;
  const isCompacted = (): boolean => {
    try {
      return isEmpty(readFileSync(journal, "utf8")) && !existsSync(`${journal}.old`);
    } catch (error) {
      // Put aside, and the next one has not begun.
      if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
      return false;
    }
  };
  do {
    // What comes while a compaction is under way waits for the next change.
    await act(`save ${(last += 11)}`);
    for (let turn = 0; turn < 100 && !isCompacted(); turn++) await new Promise((resolve) => later(resolve, 5));
  } while (!isCompacted());
}

/** Sixteen loops at once, each with its own users and states, until the process ends. */
function load(from: number): void {
  const writer = async (own: number): Promise<void> => {
    for (let n = own; ; n += 16) {
      await act(`save ${n}`);
      await act(`in ${n} ${n}`);
      if (n % 3 === 0) await act(`take ${n}`);
      if (n % 2 === 0) await act(`out ${n}`);
      else if (n % 5 === 0) await act(`in ${n} ${n + 1}`);
    }
  };
  for (let nth = 0; nth < 16; nth++) void writer(from + nth);
}

async function command(line: string): Promise<void> {
  const [verb, ...rest] = line.split(" ");
  if (verb === "open") await answer("open", open);
  else if (verb === "close") await answer("close", () => store!.close());
  else if (verb === "compact") await answer("compact", compacted);
  else if (verb === "load") load(Number(rest[0]));
  else await act(line as Act);
}

say("ready");
for await (const line of createInterface({ input: process.stdin })) {
  // Requests separated by `&` are sent at once.
  await Promise.all(line.split(" & ").map(command));
}
process.exit();
