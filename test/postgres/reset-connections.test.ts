import { once } from "node:events";
import { connect, createServer, type AddressInfo } from "node:net";
import { expect, it, onTestFinished } from "vitest";
import { parseAddress } from "../../src/server/store/postgres/address.ts";
import { openDatabase } from "../../src/server/store/postgres/database.ts";
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
it.skipIf(!hasPgBouncer).each([1, 8])(
  "A loss of %i connections while they are opened fails requests, and nothing else",
  { timeout: 60_000 },
  async (resets) => {
    const direct = await createDatabase();
    const proxy = await startProxy((await startPgBouncer(direct)).url(direct));
    const database = openDatabase(parseAddress(proxy.url, {}), { warn: () => undefined });
    onTestFinished(() => database.close());
    const ask = (): Promise<boolean> =>
      database.query("SELECT 1 AS one").then(
        () => true,
        () => false,
      );
    expect(await ask()).toBe(true);
    proxy.resets = resets;
    await expect
      .poll(
        async () => {
          const answers = await Promise.all(Array.from({ length: 10 }, ask));
          return proxy.resets === 0 && answers.every(Boolean);
        },
        { timeout: 50_000 },
      )
      .toBe(true);
  },
);
