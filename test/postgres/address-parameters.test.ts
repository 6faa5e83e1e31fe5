// Below the faces: addresses of servers that are not there, and the variables of libpq.

import { writeFile } from "node:fs/promises";
import { userInfo } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { parseAddress } from "../../src/server/store/postgres/database/address.ts";
import { passwordFor } from "../../src/server/store/postgres/database/connection.ts";
import { sslOption, tlsWarning } from "../../src/server/store/postgres/database/tls.ts";
import { temporaryDirectory } from "../_files.ts";
import { execute, createDatabase, admin } from "./_postgres.ts";
import { open, awaitServer } from "./_store.ts";

awaitServer();

it("An address can name several hosts with their ports, and svc looks for one that accepts writes", () => {
  const address = parseAddress("postgres://ada@a.example:6000,b.example,[::1]:7000/svc", { PGPORT: "6001" });
  expect(address.hosts).toEqual([
    { host: "a.example", port: 6000 },
    { host: "b.example", port: 6001 },
    { host: "::1", port: 7000 },
  ]);
  expect(address.mustWrite).toBe(true);
  expect(address.location).toBe("postgres://ada@a.example:6000,b.example,[::1]:7000/svc");
  expect(parseAddress("postgres:///svc?host=a,b&port=1,2").hosts).toEqual([
    { host: "a", port: 1 },
    { host: "b", port: 2 },
  ]);
  expect(parseAddress("postgres:///svc", { PGHOST: "a,b", PGPORT: "1,2" }).hosts[1]).toEqual({ host: "b", port: 2 });
  expect(() => parseAddress("postgres:///svc?host=a,b&port=1,2,3")).toThrow(
    "has a different number of ports and hosts",
  );
});

it("target_session_attrs of an address accepts read-write, primary and any, and the error lists them", () => {
  const mustWrite = (value: string): boolean =>
    parseAddress(`postgres://a/svc?target_session_attrs=${value}`).mustWrite;
  expect([mustWrite("read-write"), mustWrite("primary"), mustWrite("any")]).toEqual([true, true, false]);
  expect(() => mustWrite("prefer-standby")).toThrow("Use read-write, primary or any");
});

it("Missing parts of an address come from the variables of libpq", () => {
  const env = { PGHOST: "db.example", PGUSER: "ada", PGDATABASE: "svc", PGPASSWORD: "geheim", PGSSLMODE: "require" };
  const more = { PGOPTIONS: "-c geqo=off", PGCONNECT_TIMEOUT: "7", PGPASSFILE: "/x" };
  const address = parseAddress("postgres://", { ...env, ...more });
  expect(address).toMatchObject({ username: "ada", database: "svc", password: "geheim", options: "-c geqo=off" });
  expect(address.hosts).toEqual([{ host: "db.example", port: 5432 }]);
  expect(address.limits.connectTimeoutMs).toBe(7000);
  expect([address.tls.mode, address.passwordFile]).toEqual(["require", "/x"]);
  expect(parseAddress("postgres://bob:own@h/db?sslmode=disable&connect_timeout=2", env)).toMatchObject({
    username: "bob",
    password: "own",
    database: "db",
    tls: { mode: "disable" },
    limits: { connectTimeoutMs: 2000 },
  });
});

it("A variable of libpq that is set to nothing counts as unset", () => {
  const env = {
    PGHOST: "",
    PGPORT: "",
    PGUSER: "",
    PGDATABASE: "",
    PGPASSWORD: "",
    PGSSLMODE: "",
    PGCONNECT_TIMEOUT: "",
  };
  expect(parseAddress("postgres:///svc", env)).toEqual(parseAddress("postgres:///svc", {}));
  expect(parseAddress("postgres://", env).database).toBe(userInfo().username);
});

it("Pool size, list connections and timeouts are parameters of the address", () => {
  const { limits } = parseAddress("postgres://h/db?pool_size=3&list_connections=2&statement_timeout=9&pool_timeout=20");
  expect(limits).toMatchObject({ poolSize: 3, listConnections: 2, statementTimeoutMs: 9000, answerWithinMs: 20_500 });
  for (const wrong of ["pool_size=0", "pool_size=x", "statement_timeout=1.5", "connect_timeout=-1"])
    expect(() => parseAddress(`postgres://h/db?${wrong}`)).toThrow(/that is not a whole number from 1 to/);
});

it("PostgreSQL: svc uses at most pool_size connections and passes options on", async () => {
  const url = `${await createDatabase()}?pool_size=2&application_name=small&options=-c%20geqo_threshold%3D7`;
  const store = await open(url);
  await Promise.all(Array.from({ length: 50 }, () => store.instances()));
  const plain = url.split("?")[0]!;
  const [row] = await admin(plain).unsafe(
    "SELECT count(*)::int AS n FROM pg_stat_activity WHERE application_name = 'small' AND datname = current_database()",
  );
  expect(row!["n"]).toBeLessThanOrEqual(2);
  // The session's own settings, as seen by a trigger.
  await execute(
    plain,
    `CREATE FUNCTION svc.seen() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'geqo_threshold %', current_setting('geqo_threshold'); END $$;
     CREATE TRIGGER seen BEFORE INSERT ON svc.personas FOR EACH STATEMENT EXECUTE FUNCTION svc.seen()`,
  );
  await expect(
    store.seed({
      instances: [],
      users: [],
      identities: [],
      sessions: [],
      personas: [{ id: "p", name: "P", email: "p@x.test", avatar_url: null, accounts: {} }],
    }),
  ).rejects.toThrow("geqo_threshold 7");
});

it("The password comes from the password file if neither address nor PGPASSWORD has one", async () => {
  const directory = temporaryDirectory();
  const file = join(directory, "pgpass");
  await writeFile(
    file,
    "# comment\nother:5432:svc:ada:wrong\na.example:6000:*:ada:for\\:a\\\\\n*:*:*:ada:for-others\nlocalhost:*:*:*:on-a-socket\n",
    { mode: 0o600 },
  );
  const passwords = async (url: string, env = {}): Promise<(string | undefined)[]> => {
    const address = parseAddress(url, { PGPASSFILE: file, ...env });
    return Promise.all(address.hosts.map((host) => passwordFor(address, host).catch(() => undefined)));
  };
  expect(await passwords("postgres://ada@a.example:6000,b.example/svc")).toEqual(["for:a\\", "for-others"]);
  expect(await passwords("postgres://bob@/svc?host=/var/run/postgresql")).toEqual(["on-a-socket"]);
  expect(await passwords("postgres://ada@b.example/svc", { PGPASSWORD: "own" })).toEqual(["own"]);
  expect(await passwords("postgres://bob@b.example/svc")).toEqual([undefined]);
  await writeFile(join(directory, "open"), "*:*:*:*:x\n", { mode: 0o644 });
  expect(await passwords("postgres://ada@b.example/svc", { PGPASSFILE: join(directory, "open") })).toEqual([undefined]);
});

it("PostgreSQL: svc connects with the password of the password file", async () => {
  const url = new URL(await createDatabase());
  const directory = temporaryDirectory();
  await writeFile(join(directory, "pgpass"), `127.0.0.1:${url.port}:*:postgres:${url.password}\n`, { mode: 0o600 });
  url.password = "";
  const before = process.env["PGPASSFILE"];
  onTestFinished(() => {
    if (before === undefined) delete process.env["PGPASSFILE"];
    else process.env["PGPASSFILE"] = before;
  });
  process.env["PGPASSFILE"] = join(directory, "pgpass");
  const store = await open(url.href);
  expect(await store.instances()).toEqual([]);
});

it("TLS to PostgreSQL is verified by default on every other host, and a warning says where it is not", () => {
  const rows = (host: string, sslmode?: string): [unknown, boolean] => {
    const { tls } = parseAddress(`postgres:///db?host=${host}${sslmode === undefined ? "" : `&sslmode=${sslmode}`}`);
    const ssl = sslOption(tls, host);
    return [ssl && (ssl.rejectUnauthorized ? "verified" : "encrypted"), tlsWarning(tls, host) !== undefined];
  };
  expect(rows("db.example")).toEqual(["verified", false]);
  expect(rows("10.0.0.7")).toEqual(["verified", false]);
  expect(rows("db.example", "verify-full")).toEqual(["verified", false]);
  expect(rows("db.example", "verify-ca")).toEqual(["verified", false]);
  expect(rows("db.example", "require")).toEqual(["encrypted", true]);
  expect(rows("db.example", "disable")).toEqual([false, true]);
  for (const host of ["localhost", "127.0.0.1", "::1"]) expect(rows(host)).toEqual([false, false]);
  expect(rows("localhost", "disable")).toEqual([false, false]);
  // A Unix socket has no TLS, whatever sslmode says.
  expect(rows("/var/run/postgresql", "verify-full")).toEqual([false, false]);
  for (const mode of ["allow", "prefer"]) expect(() => rows("h", mode)).toThrow("unknown sslmode");
});
