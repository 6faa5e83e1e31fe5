// Below the faces: when the reader of a list stops is decided row by row.

import { setImmediate } from "node:timers/promises";
import { beforeAll, describe, expect, it } from "vitest";
import { openPostgresStore } from "../../src/server/store/postgres/postgres-store.ts";
import { StorageUnavailable } from "../../src/server/store/store.ts";
import { A, all, id, records, session, user } from "../store/_records.ts";
import { admin, createDatabase, execute } from "./_postgres.ts";
import { open, awaitServer } from "./_store.ts";

awaitServer();

describe("A long list from PostgreSQL", () => {
  const COUNT = 5000;
  let url: string;
  beforeAll(async () => {
    url = await createDatabase();
    const store = await openPostgresStore(url, { warn: () => {} });
    const many = Array.from({ length: COUNT }, (_, n) => user(n));
    await store.seed(records({ users: many, sessions: many.map((owner, n) => session(n, owner)) }));
    await store.close();
  });
  const connections = async (): Promise<number> => {
    const [row] = await admin(url).unsafe(
      "SELECT count(*)::int AS n FROM pg_stat_activity WHERE application_name = 'svc' AND datname = current_database() AND state LIKE 'idle in%'",
    );
    return row!["n"] as number;
  };

  it("is a consistent snapshot, however much is written while it is read", async () => {
    const store = await open(url);
    const seen: string[] = [];
    for await (const batch of store.sessions(A, {})) {
      // A row that moves to the top must not be missing at the bottom.
      if (seen.length === 0)
        await execute(url, `UPDATE svc.sessions SET last_signin_at = now() WHERE session_id LIKE '%000a'`);
      seen.push(...batch.map((row) => row.session_id));
    }
    expect(new Set(seen).size).toBe(COUNT);
    expect(seen.length).toBe(COUNT);
  });

  it("is returned in small pieces between which others get their turn", async () => {
    const store = await open(url);
    const seen = { rows: 0, sinceTurn: 0, most: 0, isDone: false };
    const others = (async () => {
      while (!seen.isDone) {
        await setImmediate();
        seen.sinceTurn = 0;
      }
    })();
    for (const options of [{ limit: 1000 }, {}]) {
      for await (const rows of store.users(A, options)) {
        seen.rows += rows.length;
        seen.sinceTurn += rows.length;
        seen.most = Math.max(seen.most, seen.sinceTurn);
        // Longer than a time slice.
        for (const end = performance.now() + 3; performance.now() < end;);
      }
    }
    seen.isDone = true;
    await others;
    expect(seen.rows).toBe(1000 + COUNT);
    expect(seen.most).toBeLessThanOrEqual(2 * 256);
  });

  it("returns its connection when its reader stops, and when it fails", async () => {
    const store = await open(url);
    for (let n = 0; n < 12; n++) {
      for await (const batch of store.users(A, {})) {
        expect(batch.length).toBeGreaterThan(0);
        break;
      }
    }
    await expect.poll(connections).toBe(0);
    const broken = (async () => {
      for await (const batch of store.users(A, {})) {
        expect(batch.length).toBeGreaterThan(0);
        await execute(
          url,
          "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE state LIKE 'idle in%' AND datname = current_database()",
        );
      }
    })();
    await expect(broken).rejects.toThrow(StorageUnavailable);
    expect((await store.findUser(A, id(1)))?.user.id).toBe(id(1));
  });

  it("leaves connections for others, however many lists are read slowly", async () => {
    const store = await open(`${url}?statement_timeout=1`);
    const slow = await Promise.all(
      Array.from({ length: 4 }, async () => {
        const rows = store.users(A, {})[Symbol.asyncIterator]();
        await rows.next();
        return rows;
      }),
    );
    expect(await connections()).toBe(4);
    expect((await store.findUser(A, id(1)))?.user.id).toBe(id(1));
    await expect(all(store.users(A, {}))).rejects.toThrow("all connections for lists are busy");
    await slow[0]!.return?.();
    expect((await all(store.users(A, {}))).length).toBe(COUNT);
    for (const rows of slow) await rows.return?.();
  });
});
