import { cp, mkdir, readFile, rename, rm, stat, symlink } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { startServer } from "../_control.ts";
import { temporaryDirectory } from "../_files.ts";

async function place(): Promise<{ directory: string; store: string; snapshots: string }> {
  const directory = join(temporaryDirectory(), "data");
  return { directory, store: join(directory, "db.json"), snapshots: join(directory, "db.snapshots") };
}

it("The clock is kept with the store and reported at the next start", async () => {
  const { store } = await place();
  const before = await startServer({ store });
  await before.control("POST /clock/freeze", { at: "2026-01-01T00:00:00Z" });
  await before.close();
  const said: string[] = [];
  const after = await startServer({ store, warn: (message) => said.push(message) });
  expect(said).toContain("the clock is frozen at 2026-01-01T00:00:00.000Z, as it was left");
  expect((await after.control("GET /clock")).body).toMatchObject({ mode: "frozen", now: "2026-01-01T00:00:00.000Z" });
});

it("Snapshots and the seed survive a restart and are readable by their owner only", async () => {
  const { store, snapshots } = await place();
  const before = await startServer({ store });
  const users = (await before.control("GET /users")).body;
  await before.control("POST /snapshots", { name: "base" });
  await before.control(`DELETE /users/${users[0].id}`);
  await before.close();
  expect((await stat(snapshots)).mode & 0o777).toBe(0o700);
  expect((await stat(join(snapshots, "base.json"))).mode & 0o777).toBe(0o600);
  const saved = JSON.parse(await readFile(join(snapshots, "base.json"), "utf8")) as { users: { id: string }[] };
  expect(saved.users.map(({ id }) => id)).toContain(users[0].id);
  const after = await startServer({ store });
  expect((await after.control("GET /users")).body).toHaveLength(users.length - 1);
  expect((await after.control("POST /snapshots/base/restore")).status).toBe(200);
  expect((await after.control("GET /users")).body).toEqual(users);
  await after.control(`DELETE /users/${users[0].id}`);
  expect((await after.control("POST /reset", { all: true })).status).toBe(200);
  expect((await after.control("GET /users")).body).toEqual(users);
});

it("A snapshot of another store is not found, and none is written through a link", async () => {
  const [one, other] = [await place(), await place()];
  const first = await startServer({ store: one.store });
  await first.control("POST /snapshots", { name: "base" });
  const second = await startServer({ store: other.store });
  await cp(join(one.snapshots, "base.json"), join(other.snapshots, "base.json"));
  expect((await second.control("GET /snapshots")).body).toEqual([]);
  expect((await second.control("POST /snapshots/base/restore")).status).toBe(404);
  await rm(join(one.snapshots, "base.json"));
  await symlink(join(other.snapshots, "base.json"), join(one.snapshots, "base.json"));
  expect((await first.control("POST /snapshots/base/restore")).status).toBe(404);

  const elsewhere = join(one.directory, "elsewhere");
  await mkdir(elsewhere);
  await rename(one.snapshots, join(one.directory, "moved"));
  await symlink(elsewhere, one.snapshots);
  expect((await first.control("POST /snapshots", { name: "again" })).status).toBe(503);
  for (const name of ["../db", ".seed", "A", "a/b", "", "x".repeat(65)])
    expect((await first.control("POST /snapshots", { name })).status).toBe(400);
});
