// Below the faces: a copy is interrupted at a known record.

import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { openFileStore } from "../../src/server/store/file/file-store.ts";
import { copyStore, driverOf } from "../../src/server/store/move/index.ts";
import type { Driver } from "../../src/server/store/maintenance.ts";
import { exportStore } from "../../src/server/store/move/export.ts";
import { temporaryDirectory } from "../_files.ts";
import { identity, people, session, state, user } from "../store/_records.ts";
import { runCli } from "../_cli.ts";
import { createDatabase } from "./_postgres.ts";
import { patient } from "./_store.ts";

async function makeStore(): Promise<string> {
  const path = join(temporaryDirectory(), "db.json");
  const store = await openFileStore(path, { warn: () => {} });
  const content = people();
  const crowd = Array.from({ length: 1500 }, (_, n) => user(1000 + n, { name: `Zoë ${n} "q" \\ 李` }));
  await store.seed({
    ...content,
    users: [...content.users, ...crowd],
    identities: [...content.identities, ...crowd.map((owner, n) => identity(5000 + n, owner))],
    sessions: [
      ...content.sessions,
      ...crowd.map((owner, n) => session(9000 + n, owner, { geo_data: { z: 1, a: { b: 2 } } })),
    ],
  });
  await store.saveState(state(1));
  await store.close();
  return path;
}

async function exported(driver: Driver): Promise<string> {
  const source = await driver.openSource();
  let text = "";
  try {
    await exportStore(source, async (piece) => void (text += piece));
    return text;
  } finally {
    await source.close();
  }
}

it("A store stays the same when copied from a file to PostgreSQL and back", { timeout: 120_000 }, async () => {
  const path = await makeStore();
  const before = await readFile(path, "utf8");
  const url = patient(await createDatabase());
  const there = await copyStore(driverOf(path), driverOf(url));
  expect([there.isEqual, there.wasThere]).toEqual([true, false]);
  expect(await exported(driverOf(url))).toBe(await exported(driverOf(path)));
  expect(await copyStore(driverOf(path), driverOf(url))).toMatchObject({ isEqual: true, wasThere: true });
  const back = join(temporaryDirectory(), "db.json");
  expect(await copyStore(driverOf(url), driverOf(back))).toMatchObject({ isEqual: true });
  expect(await exported(driverOf(back))).toBe(await exported(driverOf(path)));
  expect(await readFile(path, "utf8")).toBe(before);
  const other = patient(await createDatabase());
  expect(await copyStore(driverOf(url), driverOf(other))).toMatchObject({ isEqual: true });
  expect(await driverOf(url).check()).toMatchObject({ damage: [], tables: { users: 1504, states: 0 } });
});

it("An interrupted copy into PostgreSQL resumes", { timeout: 120_000 }, async () => {
  const path = await makeStore();
  const url = patient(await createDatabase());
  const real = driverOf(url);
  // Each attempt adds that many batches of 1000 to those before it.
  for (const room of [0, 1, 1]) {
    let left = room;
    const flaky: Driver = {
      ...real,
      async openTarget() {
        const target = await real.openTarget();
        return {
          ...target,
          put: async (entries) => (left-- > 0 ? target.put(entries) : Promise.reject(new Error("cut"))),
        };
      },
    };
    await expect(copyStore(driverOf(path), flaky)).rejects.toThrow("cut");
  }
  expect(await copyStore(driverOf(path), real)).toMatchObject({ isEqual: true, wasThere: false });
});

it("svc store works with a database and prints no password", { timeout: 120_000 }, async () => {
  const url = await createDatabase();
  const password = new URL(url).password;
  const results = [];
  for (const argv of [["migrate"], ["check"], ["check", "--json"], ["export"]])
    results.push(await runCli(["store", ...argv], { env: { SVC_STORE: url } }));
  expect(results.map(({ code }) => code)).toEqual([0, 0, 0, 0]);
  for (const { stdout, stderr } of results) expect(stdout + stderr).not.toContain(password);
});
