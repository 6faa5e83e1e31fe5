// Below the faces: no request makes the code that decides a change throw.

import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { openFileStore } from "../../src/server/store/file/file-store.ts";
import type { StoredSignIn, Store } from "../../src/server/store/store.ts";
import { abandoned } from "../store/_abandoned.ts";
import { A, all, arrival, records, state } from "../store/_records.ts";
import { directory } from "./_processes.ts";

async function open(path: string): Promise<Store> {
  const store = await openFileStore(path, {
    warn(message) {
      throw new Error(message);
    },
  });
  onTestFinished(() => store.close());
  return store;
}

const bug = (what: unknown) => (): never => {
  throw what;
};
/** Can't be written as JSON. */
const loop: Record<string, unknown> = {};
loop["self"] = loop;

const BUGS: [string, Partial<StoredSignIn>][] = [
  ["throws when it decides", { resolveUser: bug(new TypeError("a bug")) }],
  ["throws something that is not an error", { resolveUser: bug("a bug") }],
  ["throws when it opens the session", { openSession: bug(new RangeError("a bug")) }],
  ["makes a record that can't be written", { openSession: () => ({ geo_data: { big: 1n } }) as never }],
  ["makes a record that contains itself", { openSession: () => ({ geo_data: loop }) as never }],
];

describe("A commit with a bug in it", () => {
  it.each(BUGS)("fails that call alone and changes nothing: one that %s", async (_, wrong) => {
    const path = join(await directory(), "db.json");
    const store = await open(path);
    await store.seed(records());
    const calls = [
      store.saveState(state(1)),
      store.completeSignIn({ ...arrival({ uid: "wrong" }), ...wrong }),
      store.completeSignIn(arrival({ uid: "right" })),
    ];
    const [first, second, third] = await Promise.allSettled(calls);
    expect(second!.status).toBe("rejected");
    await store.saveState(state(2));

    const again = await open(await abandoned(path));
    for (const one of [store, again]) {
      const users = (await all(one.users(A, {}))).map(({ user }) => user.email);
      // The others of the same group succeed.
      expect(users).toEqual(third!.status === "fulfilled" ? ["right@acme.test"] : []);
      const taken = await Promise.all([1, 2].map((n) => one.find("states", state(n).state)));
      expect(taken.map((record) => record !== undefined)).toEqual([first!.status === "fulfilled", true]);
    }
  });
});
