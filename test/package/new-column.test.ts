// Below the faces: a column is added to the source.
import { expect, it, onTestFinished } from "vitest";
import { STORE_VERSION } from "../../src/server/store/records.ts";
import { openFileStore } from "../../src/server/store/file/file-store.ts";
import { driverOf } from "../../src/server/store/move/index.ts";
import type { UserRecord } from "../../src/server/store/records.ts";
import { compile, laterBuild, laterSources } from "../store/_later.ts";
import { exported, newPath, warn } from "../store/_move.ts";
import { abandoned } from "../store/_abandoned.ts";
import { A, arrival, people, state } from "../store/_records.ts";

/** Today's export, changed into one of a version whose users have a locale. */
const withLocales = (text: string): string[] =>
  text
    .split("\n")
    .slice(1, -2)
    .map((line) => line.replace('{"table":"users","record":{', '$&"locale":null,'));

/** A store as today's svc leaves it, with changes in its journal. */
async function leftStore(): Promise<string> {
  const path = await newPath();
  const store = await openFileStore(path, { warn });
  await store.seed(people());
  await store.completeSignIn(arrival({ uid: "new" }));
  await store.saveState(state(1));
  onTestFinished(() => store.close());
  return abandoned(path);
}

it("A new column takes one row, which compiles, and one migration", async () => {
  expect(compile(await laterSources({ migration: true }))).toBe("");
});

it("A store from before a new column checks clean, exports, opens and keeps new values", async () => {
  const later = await laterBuild({ migration: false });
  const path = await leftStore();
  const before = await exported(driverOf(path));
  expect(await later.driverOf(path).check()).toMatchObject({ damage: [], dangling: [], notes: [] });
  expect((await exported(later.driverOf(path), later.exportStore)).split("\n").slice(1, -2)).toEqual(
    withLocales(before),
  );

  const store = await later.openStore(path, { warn });
  onTestFinished(() => store.close());
  const { user } = await store.completeSignIn({
    ...arrival({ uid: "new" }),
    resolveUser: ({ known }) => ({
      user: { ...known!.user, locale: "de" } as UserRecord,
      identity: known!.identity,
    }),
  });
  await store.close();
  const again = await later.openStore(path, { warn });
  expect(await again.findUser(A, user.id)).toMatchObject({ user: { locale: "de" } });
  await again.close();
  expect(await later.driverOf(path).check()).toMatchObject({ kind: `file, format ${STORE_VERSION}`, damage: [] });
  await expect(openFileStore(path, { warn })).rejects.toThrow("locale is not a column");
});
