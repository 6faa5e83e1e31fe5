// Below the faces: a column is added to the source.
import { expect, it, onTestFinished } from "vitest";
import { driverOf } from "../../src/server/store/move/index.ts";
import { openPostgresStore } from "../../src/server/store/postgres/postgres-store.ts";
import type { UserRecord } from "../../src/server/store/records.ts";
import type { StoredSignIn, Store } from "../../src/server/store/store.ts";
import { laterBuild } from "../store/_later.ts";
import { exported } from "../store/_move.ts";
import { A, arrival, people } from "../store/_records.ts";
import { createDatabase } from "../postgres/_postgres.ts";

async function filled(): Promise<{ url: string; store: Store }> {
  const url = await createDatabase();
  const store = await openPostgresStore(url, { warn: () => {} });
  onTestFinished(() => store.close());
  await store.seed(people());
  await store.completeSignIn(arrival({ uid: "new" }));
  return { url, store };
}

const withLocale = (locale: string): StoredSignIn => ({
  ...arrival({ uid: "new" }),
  resolveUser: ({ known }) => ({ user: { ...known!.user, locale } as UserRecord, identity: known!.identity }),
});

it("A database without the migration for a new column is refused by name", async () => {
  const later = await laterBuild({ migration: false });
  const { url, store } = await filled();
  const refused = { name: "StoreRefused", message: expect.stringContaining("has no column svc.users.locale") };
  await expect(later.openStore(url, { warn: () => {} })).rejects.toMatchObject(refused);
  await expect(later.driverOf(url).check()).rejects.toMatchObject(refused);
  await expect(later.driverOf(url).openSource()).rejects.toMatchObject(refused);
  expect(await store.instances()).toHaveLength(2);
});

it("A database from before a new column opens, checks clean and exports without loss", async () => {
  const later = await laterBuild({ migration: true });
  const { url, store } = await filled();
  const before = await exported(driverOf(url));
  const after = await later.openStore(url, { warn: () => {} });
  onTestFinished(() => after.close());
  expect(await later.driverOf(url).check()).toMatchObject({ damage: [], dangling: [] });
  expect((await exported(later.driverOf(url), later.exportStore)).split("\n").slice(1, -2)).toEqual(
    before
      .split("\n")
      .slice(1, -2)
      .map((line) => line.replace('{"table":"users","record":{', '$&"locale":null,')),
  );

  // Processes of the previous version keep working and leave unknown columns alone.
  const { user } = await after.completeSignIn(withLocale("de"));
  await store.completeSignIn(arrival({ uid: "new", time: 2000 }));
  await store.completeSignIn(arrival({ uid: "newer", time: 2001 }));
  expect(await after.findUser(A, user.id)).toMatchObject({
    user: { locale: "de", updated_at: expect.stringContaining("12:33") },
  });
  expect(await store.findUser(A, user.id)).not.toHaveProperty("user.locale");
});
