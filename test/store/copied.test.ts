import { copyFile, mkdir, readdir, readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { beforeEach, afterEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { checkJsonStore } from "../../src/server/store/json/maintenance/check.ts";
import { Document } from "../../src/server/store/json/document/document.ts";
import { DocumentFile } from "../../src/server/store/json/files/document-file.ts";
import { openJsonStore } from "../../src/server/store/json/json-store.ts";
import { temporaryDirectory } from "../_files.ts";
import { firstHeader } from "./_files.ts";
import { arrival, contentOf, identity, records, session, user } from "./_records.ts";

const IDLE_MS = 1000;
/** Enough for db.json to be written in several steps, between which others get a turn. */
const USERS = Array.from({ length: 3000 }, (_, n) => user(n));
const identities = USERS.map((owner, n) => identity(10_000 + n, owner, { uid: `seeded-${n}` }));
const sessions = USERS.map((owner, n) => session(20_000 + n, owner));

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
});
afterEach(() => {
  vi.useRealTimers();
});

describe("A db.json that is written while the store changes", () => {
  it("has the records of the moment at which its writing began", async () => {
    const path = join(temporaryDirectory(), "db.json");
    const document = Document.of(records({ users: USERS }));
    const file = new DocumentFile(path, document);
    file.header = firstHeader(1);
    const written = file.write(document);
    document.apply(["delete", "users", USERS[0]!.id]);
    document.apply(["put", "users", user(9000)]);
    await written;
    const { users } = JSON.parse(await readFile(path, "utf8")) as { users: { id: string }[] };
    expect(users.map(({ id }) => id)).toEqual(USERS.map(({ id }) => id));
  });

  it("makes a whole store with a journal that was copied before it, without a part of a later sign-in", async () => {
    const path = join(temporaryDirectory(), "db.json");
    const copy = join(temporaryDirectory(), "copy", "db.json");
    const store = await openJsonStore(path, { warn: (message) => expect.unreachable(message) });
    onTestFinished(() => store.close());
    await store.seed(records({ users: USERS, identities, sessions }));
    for (let n = 0; n < 1200; n++)
      await store.completeSignIn(arrival({ uid: `before-${n}`, email: `b${n}@acme.test` }));
    await vi.advanceTimersByTimeAsync(IDLE_MS);
    const isWriting = async (): Promise<boolean> =>
      (await readdir(dirname(path))).some((name) => /^db\.json\..*\.tmp$/.test(name));
    await vi.waitUntil(isWriting, { timeout: 30_000, interval: 0 });
    await mkdir(dirname(copy));
    await copyFile(join(dirname(path), "db.journal"), join(dirname(copy), "db.journal"));
    let later = 0;
    while (await isWriting()) await store.completeSignIn(arrival({ uid: `l${later++}`, email: `l${later}@acme.test` }));
    await copyFile(path, copy);

    expect(later).toBeGreaterThan(0);
    expect(await checkJsonStore(copy)).toMatchObject({ damage: [], dangling: [] });
    const restored = await openJsonStore(copy, { warn: (message) => expect.unreachable(message) });
    onTestFinished(() => restored.close());
    const content = await contentOf(restored);
    expect(content.users.length).toBe(content.sessions.length);
  });
});
