// Below the faces: the fault codes of PostgreSQL are more than one can provoke.

import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { createServer, type AddressInfo, type Socket } from "node:net";
import { expect, it, onTestFinished } from "vitest";
import { asRefusal } from "../../src/server/store/postgres/database/reasons.ts";
import { openPostgresStore } from "../../src/server/store/postgres/postgres-store.ts";
import { runCli } from "../_cli.ts";
import { people } from "../store/_records.ts";
import { admin, createDatabase, execute } from "./_postgres.ts";
import { awaitServer, open } from "./_store.ts";

awaitServer();

/** A role that may only log in. @returns the address of the database as this role */
async function stranger(url: string): Promise<URL> {
  const own = new URL(url);
  own.username = `stranger_${randomBytes(4).toString("hex")}`;
  own.password = "x";
  await execute(url, `CREATE ROLE ${own.username} LOGIN PASSWORD 'x'`);
  onTestFinished(() => execute(url, `DROP OWNED BY ${own.username} CASCADE; DROP ROLE ${own.username}`));
  return own;
}

it("PostgreSQL: a start without a privilege says which to grant, and nothing else", async () => {
  const url = await createDatabase();
  const { href, username } = await stranger(url);
  const warnings: string[] = [];
  await expect(open(href, warnings)).rejects.toThrow(/Have the owner of the database run svc store migrate once\.$/);
  await (await openPostgresStore(url, { warn: () => {} })).close();
  const grant =
    /permission denied for .*\. Have the owner grant svc's role .*USAGE on the schema svc, and SELECT, INSERT,/;
  await expect(open(href, warnings)).rejects.toThrow(grant);
  await execute(url, `GRANT USAGE ON SCHEMA svc TO ${username}; GRANT SELECT ON svc.migrations TO ${username}`);
  await expect(open(href, warnings)).rejects.toThrow(grant);
  expect(warnings.filter((text) => !text.includes("fsync"))).toEqual([]);
});

it.each([
  ["creates the schema", "CREATE SCHEMA svc; CREATE TABLE svc.migrations (version int PRIMARY KEY)"],
  ["creates its first table", "CREATE TABLE svc.migrations (version int PRIMARY KEY)"],
])("PostgreSQL: a start that waits for another one that %s says so, and continues after it", async (_, text) => {
  const url = await createDatabase();
  if (!text.startsWith("CREATE SCHEMA")) await execute(url, "CREATE SCHEMA svc");
  const other = admin(url);
  await other.unsafe(`BEGIN; ${text}`);
  const warnings: string[] = [];
  const opened = open(url, warnings);
  await expect.poll(() => warnings, { timeout: 30_000 }).toContainEqual(expect.stringContaining("Waiting for it"));
  await other.unsafe("ROLLBACK");
  expect(await (await opened).instances()).toEqual([]);
});

it("PostgreSQL: a role that may not write is named at the start", async () => {
  const url = await createDatabase();
  await (await open(url)).seed(people());
  const { href, username } = await stranger(url);
  await execute(
    url,
    `GRANT USAGE ON SCHEMA svc TO ${username}; GRANT SELECT ON ALL TABLES IN SCHEMA svc TO ${username}`,
  );
  const warnings: string[] = [];
  await open(href, warnings);
  expect(warnings).toContainEqual(expect.stringMatching(/may not be written by this user\. Grant it INSERT, UPDATE/));
});

it.each([
  ["UNABLE_TO_VERIFY_LEAF_SIGNATURE", "Name its authority with sslrootcert=FILE"],
  ["SELF_SIGNED_CERT_IN_CHAIN", "Name its authority with sslrootcert=FILE"],
  ["DEPTH_ZERO_SELF_SIGNED_CERT", "Name its authority with sslrootcert=FILE"],
  ["28P01", "~/.pgpass, which is ignored if others can read it"],
  ["CERT_HAS_EXPIRED", "Renew the server's certificate"],
  ["ERR_TLS_CERT_ALTNAME_INVALID", "Connect by a name that the certificate contains"],
])("PostgreSQL: a connection that fails with %s comes with advice", (code, advice) => {
  expect(asRefusal("postgres://db/svc", Object.assign(new Error("no"), { code })).message).toContain(advice);
});

it("PostgreSQL: a server without a free connection is named as the reason, also if it then stops answering", async () => {
  const sockets: Socket[] = [];
  const server = createServer((socket) => {
    sockets.push(socket);
    socket.on("error", () => undefined);
    const fields = ["SFATAL", "VFATAL", "C53300", "Msorry, too many clients already", ""];
    const body = Buffer.from(fields.map((field) => `${field}\0`).join(""));
    const head = Buffer.from([0x45, 0, 0, 0, body.length + 4]);
    if (sockets.length === 1) socket.end(Buffer.concat([head, body]));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const url = `postgres://ada@127.0.0.1:${(server.address() as AddressInfo).port}/svc?sslmode=disable`;
  const opened = openPostgresStore(`${url}&connect_timeout=3&statement_timeout=3`, { warn: () => {} });
  await expect(opened).rejects.toThrow(/too many clients already\. Raise max_connections/);
  expect(sockets.length).toBeGreaterThan(1);
});

it("An invalid address of a database is wrong usage, and the variable that may have given it is named", async () => {
  const check = async (SVC_STORE: string) => runCli(["store", "check"], { env: { SVC_STORE } });
  expect(await check("postgres:///svc?schema=own")).toMatchObject({
    code: 2,
    stderr: expect.stringContaining(
      'The address of the PostgreSQL store has the unknown parameter "schema".',
    ) as string,
  });
  expect((await check("postgres:///svc?sslmode=allow")).stderr).toContain("or PGSSLMODE, has an unknown sslmode");
});
