// Below the faces: a process is killed between two system calls of a known write.

import { writevSync } from "node:fs";
import { createInterface } from "node:readline";
import { setTimeout as delay } from "node:timers/promises";
import { openFileStore, type FileStore } from "../../src/server/store/file/file-store.ts";
import { records } from "../store/_records.ts";
import { perform, type Act } from "./_book.ts";

// A process that has a store, does what it is told by lines, and says `? x` before it does x, `= x` when that is
// acknowledged, and `! x <why>` when it is refused.

const [, , path = ""] = process.argv;
let store: FileStore | undefined;

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
  store = await openFileStore(path, { warn: (message) => say(`~ ${message}`) });
  if ((await store.instances()).length === 0) await store.seed(records());
}

/** Sixteen loops at once, each with its own users and states, until the process ends, and compactions in between. */
function load(from: number): void {
  // The load itself is never idle: each waits for a while, so that some changes come between two of them.
  const compacting = async (): Promise<void> => {
    for (;;) {
      await delay(20);
      await store!.compact();
    }
  };
  void compacting();
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
  else if (verb === "compact") await answer("compact", () => store!.compact());
  else if (verb === "load") load(Number(rest[0]));
  else await act(line as Act);
}

say("ready");
for await (const line of createInterface({ input: process.stdin })) {
  // Requests separated by `&` are sent at once.
  await Promise.all(line.split(" & ").map(command));
}
process.exit();
