// Below the faces: a connection's settings between two transactions are seen by nobody outside.

import { once } from "node:events";
import { connect, createServer, type AddressInfo } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { parseAddress } from "../../src/server/store/postgres/database/address.ts";
import { openDatabase } from "../../src/server/store/postgres/database/database.ts";
import { hasPgBouncer, startPgBouncer } from "./_pgbouncer.ts";
import { createDatabase } from "./_postgres.ts";

/** ReadyForQuery, idle: the server has let the client in, or answered it. */
const READY = Buffer.from([0x5a, 0, 0, 0, 5, 0x49]);

/** Passes everything on, and resets the next connections at their first statement. */
async function startProxy(target: string): Promise<{ url: string; resets: number }> {
  const { hostname, port } = new URL(target);
  const server = createServer((client) => {
    const upstream = connect(Number(port), hostname);
    let isReady = false;
    upstream.on("data", (bytes) => {
      isReady ||= bytes.includes(READY);
      client.write(bytes);
    });
    client.on("data", (bytes) => {
      if (isReady && proxy.resets > 0) {
        proxy.resets--;
        client.resetAndDestroy();
      } else upstream.write(bytes);
    });
    for (const [one, other] of [
      [client, upstream],
      [upstream, client],
    ] as const)
      one.on("error", () => undefined).on("close", () => other.destroy());
  }).listen(0, "127.0.0.1");
  onTestFinished(() => void server.close());
  await once(server, "listening");
  const url = new URL(target);
  url.port = String((server.address() as AddressInfo).port);
  const proxy = { url: url.href, resets: 0 };
  return proxy;
}

/** A rejection that nothing handles ends a server, and fails a run of tests. */
describe.each(["directly", "through PgBouncer"])("Connected %s", (how) => {
  const isPooled = how !== "directly";

  it.skipIf(isPooled && !hasPgBouncer).each([1, 8])(
    "a loss of %i connections while they are opened fails requests at once, and keeps none waiting",
    { timeout: 60_000 },
    async (resets) => {
      const direct = await createDatabase();
      const proxy = await startProxy(isPooled ? (await startPgBouncer(direct)).url(direct) : direct);
      // A busy machine needs longer than the default; a request that waits in vain is told after this time.
      const times = "connect_timeout=20&pool_timeout=20&statement_timeout=20";
      const database = openDatabase(parseAddress(`${proxy.url}?pool_size=4&${times}`, {}), () => undefined);
      onTestFinished(() => database.close());
      const failures: string[] = [];
      const ask = (): Promise<unknown> =>
        database.query("SELECT 1 AS one").catch((error: Error) => void failures.push(error.message));
      await ask();
      expect(failures).toEqual([]);
      proxy.resets = resets;
      await expect
        .poll(
          async () => {
            await Promise.all(Array.from({ length: 200 }, ask));
            return proxy.resets;
          },
          { timeout: 50_000 },
        )
        .toBe(0);
      expect(failures.filter((message) => message.includes("no answer in time"))).toEqual([]);
      failures.length = 0;
      await Promise.all(Array.from({ length: 200 }, ask));
      expect(failures).toEqual([]);
    },
  );
});
