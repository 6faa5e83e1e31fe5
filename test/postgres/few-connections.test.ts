// Below the faces: how many connections wait is decided by single operations.

import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { connect, createServer, type AddressInfo } from "node:net";
import { expect, it, onTestFinished } from "vitest";
import { openPostgresStore } from "../../src/server/store/postgres/postgres-store.ts";
import { createDatabase, execute } from "./_postgres.ts";
import { awaitServer, patient } from "./_store.ts";

awaitServer();

/** Passes everything on, and counts the connections. */
async function countConnections(target: URL): Promise<{ url: string; count(): number }> {
  let connections = 0;
  const server = createServer((client) => {
    connections++;
    const upstream = connect(Number(target.port), target.hostname);
    client.pipe(upstream).pipe(client);
    for (const socket of [client, upstream]) socket.on("error", () => undefined);
  }).listen(0, "127.0.0.1");
  onTestFinished(() => void server.close());
  await once(server, "listening");
  const url = new URL(target);
  url.port = String((server.address() as AddressInfo).port);
  return { url: url.href, count: () => connections };
}

it("PostgreSQL: requests share the connections that the server has, if those are fewer than pool_size", async () => {
  const url = new URL(await createDatabase());
  const owner = `few_${randomBytes(4).toString("hex")}`;
  await execute(url.href, `CREATE ROLE ${owner} LOGIN PASSWORD 'x' CONNECTION LIMIT 3`);
  await execute(url.href, `ALTER DATABASE ${url.pathname.slice(1)} OWNER TO ${owner}`);
  url.username = owner;
  url.password = "x";
  const proxy = await countConnections(url);
  const warnings: string[] = [];
  const store = await openPostgresStore(`${patient(proxy.url)}&pool_size=20`, { warn: (text) => warnings.push(text) });
  onTestFinished(() => store.close());
  const started = performance.now();
  for (let round = 0; round < 20; round++) await Promise.all(Array.from({ length: 100 }, () => store.instances()));
  const seconds = (performance.now() - started) / 1000;
  // Each connection that is refused takes a process of the server, and time of the request that waits for it. A few are
  // tried again every second.
  expect(proxy.count()).toBeLessThan(100 + 10 * seconds);
  expect(warnings.filter((text) => text.includes("fewer connections"))).toEqual([
    expect.stringMatching(
      /too many connections for role .*, so requests share fewer connections\. Raise max_connections or/,
    ),
  ]);
}, 60_000);
