import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { displayName } from "../../src/server/providers/reply.ts";
import { parseSeed } from "../../src/server/seed/index.ts";
import { parseAddress } from "../../src/server/store/postgres/address.ts";
import {
  checkPostgres,
  migratePostgres,
  openPostgresSource,
  openPostgresStore,
  openPostgresTarget,
} from "../../src/server/store/postgres/index.ts";
import { openMemoryStore } from "../../src/server/store/json/index.ts";
import { TABLE_NAMES, type Entry, type UserRecord } from "../../src/server/store/records.ts";
import { StorageUnavailable, StoreNotEmpty, type Acquaintance, type Store } from "../../src/server/store/store.ts";
import { USER_FIELDS } from "../../src/wire/fields.ts";
import { parseQuery } from "../../src/wire/query.ts";
import {
  A,
  all,
  arrival,
  contentOf,
  id,
  identity,
  people,
  records,
  session,
  sessionId,
  state,
  user,
} from "../store/conformance.ts";
import { admin, createDatabase, execute, startCluster } from "./_postgres.ts";

const open = async (url: string, warnings: string[] = []): Promise<Store> => {
  const store = await openPostgresStore(url, { warn: (message) => warnings.push(message) });
  onTestFinished(() => store.close());
  return store;
};

// The first to ask waits for the server.
beforeAll(async () => void (await createDatabase()), 60_000);

/** A statement that is done while this process stands still. */
function executeNow(url: string, text: string): void {
  const script = `import postgres from "postgres";
    const [url, text] = process.argv.slice(1);
    const sql = postgres(url);
    await sql.unsafe(text);
    await sql.end();`;
  execFileSync(process.execPath, ["--input-type=module", "-e", script, url, text]);
}

/** A role that may use what is there, and make nothing. */
async function guest(url: string): Promise<string> {
  const name = `guest_${new URL(url).pathname.slice(-6)}`;
  await execute(
    url,
    `CREATE ROLE ${name} LOGIN PASSWORD 'guest';
     REVOKE CREATE ON DATABASE ${new URL(url).pathname.slice(1)} FROM PUBLIC, ${name}`,
  );
  const own = new URL(url);
  own.username = name;
  own.password = "guest";
  return own.href;
}

/** Everything that there is in the schema, as text. */
async function schemaOf(url: string): Promise<string> {
  const rows = await admin(url).unsafe(
    `SELECT table_name || '.' || column_name || ' ' || data_type AS line FROM information_schema.columns WHERE table_schema = 'svc'
     UNION ALL SELECT indexdef FROM pg_indexes WHERE schemaname = 'svc'
     UNION ALL SELECT pg_get_functiondef(oid) FROM pg_proc WHERE pronamespace = 'svc'::regnamespace AND proname LIKE '%sign_in%'
     UNION ALL SELECT 'version ' || version FROM svc.migrations ORDER BY 1`,
  );
  return rows.map((row) => row["line"] as string).join("\n");
}

describe("The address of a database", () => {
  it.each([
    ["postgres://ada:geheim@db.example/svc", "postgres://ada@db.example/svc"],
    ["postgresql://ada:geheim@db.example:6432/svc?sslmode=require", "postgres://ada@db.example:6432/svc"],
    ["postgres://db.example/svc", "postgres://db.example/svc"],
    ["postgres://ada:p%2Fgeheim%40@[::1]:5433/svc", "postgres://ada@[::1]:5433/svc"],
    ["postgres:///svc?host=/var/run/postgresql", "postgres:///var/run/postgresql/svc"],
  ])("%s is shown as %s", (text, shown) => {
    expect(parseAddress(text).location).toBe(shown);
  });

  it.each([
    ["a bare / in the password", "postgres://ada:ge/heim@db.example/svc", /can't be read/],
    ["a bare / behind digits", "postgres://ada:12/geheim@db.example/svc", /%2F, %40 or %3A/],
    ["a bare ? in the password", "postgres://ada:geheim?x@db.example/svc", /can't be read/],
    ["a bare # in the password", "postgres://ada:geheim#x@db.example/svc", /can't be read/],
    ["a bare %", "postgres://ada:geheim%zz@db.example/svc", /write a % as %25/i],
    ["an unknown parameter", "postgres://ada@db.example/svc?password=geheim", /a parameter that svc doesn't know/],
    [
      "an unknown sslmode",
      "postgres://ada@db.example/svc?sslmode=geheim",
      /none of disable, prefer, require, verify-full/,
    ],
    [
      "a certificate that is not there",
      "postgres://db/svc?sslmode=verify-full&sslrootcert=/geheim",
      /can't be read \(ENOENT\)/,
    ],
  ])("is refused with %s, and repeated by no message", async (_, text, message) => {
    const error = await openPostgresStore(text, { warn: () => {} }).catch((refusal: Error) => refusal);
    expect(error).toMatchObject({ name: "StoreRefused", message: expect.stringMatching(message) as string });
    expect((error as Error).message).not.toContain("geheim");
  });
});

describe("Opening a PostgreSQL store", () => {
  it("makes the schema, and says so once", async () => {
    const url = await createDatabase();
    const warnings: string[] = [];
    await open(url, warnings);
    await open(url, warnings);
    expect(warnings.filter((text) => text.includes("schema"))).toEqual([
      expect.stringMatching(/^postgres:\/\/.*: made the schema svc, version 1\.$/),
    ]);
    expect(warnings.join()).not.toContain(new URL(url).password);
  });

  it("names where it is, without the password", async () => {
    const url = new URL(await createDatabase());
    const store = await open(url.href);
    expect(store.location).toBe(`postgres://${url.username}@${url.host}${url.pathname}`);
  });

  it.each<[string, (url: URL) => void, RegExp]>([
    ["a wrong password", (url) => void (url.password = "geheim"), /password authentication failed.*PGPASSWORD/],
    [
      "a database that is not there",
      (url) => void (url.pathname = "/nowhere"),
      /"nowhere" does not exist\. Create it with/,
    ],
    ["a port where nobody listens", (url) => void (url.port = "1"), /ECONNREFUSED.*Is PostgreSQL running there\?/],
    ["a host that is not there", (url) => void (url.hostname = "nowhere.invalid"), /no such host/],
  ])("is refused with %s, saying what to do, without the password", async (_, change, message) => {
    const url = new URL(await createDatabase());
    change(url);
    const error = await openPostgresStore(url.href, { warn: () => {} }).catch((refusal: Error) => refusal);
    expect(error).toMatchObject({
      name: "StoreRefused",
      reason: "unusable",
      message: expect.stringMatching(message) as string,
    });
    expect((error as Error).message).not.toContain(url.password);
  });

  it("is refused with a schema of a newer svc, which is left as it is", async () => {
    const url = await createDatabase();
    await (await open(url)).close();
    await execute(url, "INSERT INTO svc.migrations (version) VALUES (99)");
    await expect(open(url)).rejects.toThrow(
      /schema version 99, made by a newer svc; this one knows 1\. Use the newer svc\./,
    );
    await expect(migratePostgres(url)).rejects.toThrow("made by a newer svc");
  });

  it("is refused in another encoding than UTF-8", async () => {
    const url = await createDatabase("ENCODING 'LATIN1' LC_COLLATE 'C' LC_CTYPE 'C' TEMPLATE template0");
    await expect(open(url)).rejects.toThrow(/has the encoding LATIN1\. Create it with: createdb --encoding=UTF8/);
  });

  it("is refused to a role that may make no schema, naming the command that helps; after that it needs no such right", async () => {
    const url = await createDatabase();
    const theirs = await guest(url);
    await expect(open(theirs)).rejects.toThrow(/permission denied.*svc store migrate/);
    const outcome = await migratePostgres(url);
    expect(outcome).toMatchObject({ from: 0, to: 1, trigrams: true });
    const { username } = new URL(theirs);
    await execute(
      url,
      `GRANT USAGE ON SCHEMA svc TO ${username};
       GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA svc TO ${username};
       REVOKE INSERT, UPDATE, DELETE ON svc.migrations FROM ${username}`,
    );
    const store = await open(theirs);
    await store.seed(people());
    await store.completeSignIn(arrival({ uid: "new" }));
    await store.saveState(state(1));
    expect(await store.takeState(state(1).state)).toEqual(state(1));
    expect(await store.deleteUser(A, id(1))).toBe(true);
    await store.replace(people());
  });

  it("goes on without pg_trgm, says so, and finds the same", async () => {
    const url = await createDatabase();
    await migratePostgres(url);
    await execute(url, "DROP EXTENSION pg_trgm CASCADE");
    const warnings: string[] = [];
    const store = await open(url, warnings);
    expect(warnings.join()).toMatch(/pg_trgm is missing.*svc store migrate/);
    await store.seed(people());
    const found = await all(store.users(A, { query: parseQuery("name:*lovel*", USER_FIELDS) }));
    expect(found?.map((view) => view.user.id)).toEqual([id(1)]);
    expect((await checkPostgres(url)).notes).toHaveLength(1);
    expect((await migratePostgres(url)).trigrams).toBe(true);
    expect((await checkPostgres(url)).notes).toEqual([]);
  });

  it("makes one schema, whoever races for it", async () => {
    const expected = await (async () => {
      const url = await createDatabase();
      await migratePostgres(url);
      return schemaOf(url);
    })();
    for (let round = 0; round < Number(process.env["SVC_RACES"] ?? 3); round++) {
      const url = await createDatabase();
      const outcomes = await Promise.all(Array.from({ length: 4 }, () => migratePostgres(url)));
      expect(outcomes.filter(({ from }) => from === 0)).toHaveLength(1);
      expect(await schemaOf(url)).toBe(expected);
    }
  }, 300_000);

  it("is durable, whatever the database is set to", async () => {
    const url = await createDatabase();
    await execute(url, `ALTER DATABASE ${new URL(url).pathname.slice(1)} SET synchronous_commit = off`);
    const store = await open(url);
    await store.seed(records());
    // As a statement of the store's own connection sees it.
    await execute(
      url,
      "CREATE FUNCTION svc.seen() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION '%', current_setting('synchronous_commit'); END $$; CREATE TRIGGER seen BEFORE INSERT ON svc.states FOR EACH ROW EXECUTE FUNCTION svc.seen()",
    );
    await expect(store.saveState(state(1))).rejects.toThrow(/^on$|: on$/);
  });
});

describe("Text that PostgreSQL can't hold", () => {
  it.each(["\0", "\ud800", "x\udc00"])("is refused in a seed, with its path: %j", (text) => {
    const seed = { instances: [{ name: "Acme", subdomain: "acme", users: [{ email: "a@b.test", name: `A${text}` }] }] };
    expect(() => parseSeed(JSON.stringify(seed), "seed", new Date())).toThrow(
      "instances[0].users[0].name: must not contain U+0000 or half of a surrogate pair",
    );
  });

  it("is left out of a provider's name, also where that is cut in the middle of a character", () => {
    expect(displayName("A\0da", "x")).toBe("Ada");
    expect(displayName("\0", "x")).toBe("x");
    expect(displayName(`${"a".repeat(255)}😀`, "x")).toBe(`${"a".repeat(255)}\ufffd`);
  });

  it("is found nowhere", async () => {
    const store = await open(await createDatabase());
    await store.seed(people());
    expect(await store.findUser(A, "\0")).toBeUndefined();
    expect(await store.findSession(A, "\0")).toBeUndefined();
    expect(await store.takeState("\0")).toBeUndefined();
    expect(await store.deleteUser(A, "\0")).toBe(false);
    expect(await store.users(A, { after: "\0" })).toBeUndefined();
    expect(await all(store.users(A, { query: parseQuery("-name:*\0*", USER_FIELDS) }))).toHaveLength(3);
  });
});

describe("A long list", () => {
  const COUNT = 5000;
  let url: string;
  beforeAll(async () => {
    url = await createDatabase();
    const store = await openPostgresStore(url, { warn: () => {} });
    const many = Array.from({ length: COUNT }, (_, n) => user(n));
    await store.seed(records({ users: many, sessions: many.map((owner, n) => session(n, owner)) }));
    await store.close();
  }, 60_000);
  const connections = async (): Promise<number> => {
    const [row] = await admin(url).unsafe(
      "SELECT count(*)::int AS n FROM pg_stat_activity WHERE application_name = 'svc' AND datname = current_database() AND state LIKE 'idle in%'",
    );
    return row!["n"] as number;
  };

  it("is of one moment, however much is written while it is read", async () => {
    const store = await open(url);
    const seen: string[] = [];
    for await (const batch of (await store.sessions(A, {}))!) {
      // What comes to the top must not be missed at the bottom.
      if (seen.length === 0)
        await execute(url, `UPDATE svc.sessions SET last_signin_at = now() WHERE session_id LIKE '%000a'`);
      seen.push(...batch.map((row) => row.session_id));
    }
    expect(new Set(seen).size).toBe(COUNT);
    expect(seen.length).toBe(COUNT);
  });

  it("gives its connection back when nobody wants the rest, and when it breaks", async () => {
    const store = await open(url);
    for (let n = 0; n < 12; n++) {
      for await (const batch of (await store.users(A, {}))!) {
        expect(batch.length).toBeGreaterThan(0);
        break;
      }
    }
    await expect.poll(connections).toBe(0);
    const broken = (async () => {
      for await (const batch of (await store.users(A, {}))!) {
        expect(batch.length).toBeGreaterThan(0);
        await execute(url, "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE state LIKE 'idle in%'");
      }
    })();
    await expect(broken).rejects.toThrow(StorageUnavailable);
    expect((await store.findUser(A, id(1)))?.user.id).toBe(id(1));
  });

  it("leaves the others their connections, however many are read slowly", async () => {
    const store = await open(url);
    const slow = await Promise.all(
      Array.from({ length: 4 }, async () => {
        const rows = (await store.users(A, {}))![Symbol.asyncIterator]();
        await rows.next();
        return rows;
      }),
    );
    expect(await connections()).toBe(4);
    expect((await store.findUser(A, id(1)))?.user.id).toBe(id(1));
    await expect(all(store.users(A, {}))).rejects.toThrow("too many long lists at once");
    await slow[0]!.return?.();
    expect((await all(store.users(A, {})))?.length).toBe(COUNT);
    for (const rows of slow) await rows.return?.();
  });
});

describe("Moving a store", () => {
  const entriesOf = async (url: string): Promise<Entry[]> => {
    const source = await openPostgresSource(url);
    const found: Entry[] = [];
    for await (const batch of source.entries()) found.push(...batch);
    await source.close();
    return found;
  };
  const filled = async (): Promise<string> => {
    const url = await createDatabase();
    const store = await open(url);
    await store.seed(people());
    await store.completeSignIn(arrival({ uid: "new" }));
    await store.saveState(state(1));
    return url;
  };

  it("reads everything as it was at one moment, twice alike, table by table and without states", async () => {
    const url = await filled();
    const source = await openPostgresSource(url);
    const store = await open(url);
    const read = async (): Promise<Entry[]> => {
      const found: Entry[] = [];
      for await (const batch of source.entries()) found.push(...batch);
      return found;
    };
    const before = await read();
    await store.deleteUser(A, id(1));
    await store.completeSignIn(arrival({ uid: "later" }));
    expect(await read()).toEqual(before);
    expect([...new Set(before.map(([name]) => name))]).toEqual(TABLE_NAMES.filter((name) => name !== "states"));
    const plain = openMemoryStore();
    const { instances, users, identities, sessions, personas } = people();
    await plain.seed({ instances, users, identities, sessions, personas });
    expect(
      before
        .filter(([name]) => name === "users")
        .map(([, record]) => record)
        .slice(0, 4),
    ).toEqual(users);
    expect(before.filter(([name]) => name === "personas").map(([, record]) => record)).toEqual(personas);
    await source.close();
  });

  it("fills an empty database with the same, also when it was broken off; until the end it is no store", async () => {
    const entries = await entriesOf(await filled());
    const url = await createDatabase();
    const first = await openPostgresTarget(url);
    expect(await first.begin("print")).toBe(0);
    await first.put(entries.slice(0, 5));
    await first.put(entries.slice(5, 8));
    await expect(openPostgresTarget(url)).rejects.toMatchObject({ name: "StoreRefused", reason: "locked" });
    await first.close();
    await expect(open(url)).rejects.toThrow("was not filled to the end");
    await expect(openPostgresSource(url)).rejects.toThrow("was not filled to the end");
    expect((await checkPostgres(url)).damage).toEqual([expect.stringContaining("broken off")]);
    const second = await openPostgresTarget(url);
    expect(await second.begin("print")).toBe(8);
    await second.put(entries.slice(8));
    await second.finish();
    await second.close();
    expect(await entriesOf(url)).toEqual(entries);
    expect((await checkPostgres(url)).damage).toEqual([]);
  });

  it("begins anew with other content, and overwrites no store", async () => {
    const entries = await entriesOf(await filled());
    const url = await createDatabase();
    const first = await openPostgresTarget(url);
    await first.begin("print");
    await first.put(entries.slice(0, 5));
    expect(await first.begin("another print")).toBe(0);
    await first.put(entries);
    await first.finish();
    await expect(first.begin("print")).rejects.toThrow(/holds a store already, and nothing of it is overwritten/);
    await first.close();
    expect(await entriesOf(url)).toEqual(entries);
  });

  it("refuses to read what holds no store", async () => {
    const url = await createDatabase();
    await expect(openPostgresSource(url)).rejects.toThrow(/holds no store\.$/);
    await expect(checkPostgres(url)).rejects.toThrow(/holds no store\.$/);
  });

  it("finds nothing wrong with a store, and names what somebody changed by hand", async () => {
    const url = await filled();
    const { kind, tables, damage, dangling } = await checkPostgres(url);
    expect({ kind, tables, damage, dangling }).toEqual({
      kind: "postgres, schema 1",
      damage: [],
      dangling: [],
      tables: { instances: 2, personas: 2, users: 5, identities: 5, sessions: 5, states: 1 },
    });
    await execute(url, `UPDATE svc.users SET name = 'Countess' WHERE id = '${id(1)}'`);
    await execute(url, `UPDATE svc.sessions SET instance_id = 'elsewhere' WHERE id = '${id(24)}'`);
    const changed = await checkPostgres(url);
    expect(changed.dangling).toEqual([`sessions: ${id(24)} is of another instance than its user.`]);
    expect(changed.damage).toEqual([
      `users: ${id(1)} is not found by its name: name_folded is not what svc writes there.`,
    ]);
  });
});

describe("Several processes on one database", () => {
  it("are filled by one of those that start at the same moment", async () => {
    const url = await createDatabase();
    const stores = await Promise.all([open(url), open(url), open(url)]);
    const outcomes = await Promise.allSettled(stores.map((store) => store.seed(people())));
    expect(outcomes.filter((outcome) => outcome.status === "fulfilled")).toHaveLength(1);
    const reasons = outcomes.flatMap((outcome) => (outcome.status === "rejected" ? [outcome.reason as unknown] : []));
    expect(reasons.every((reason) => reason instanceof StoreNotEmpty)).toBe(true);
    const [first, ...others] = await Promise.all(stores.map(contentOf));
    expect(others).toEqual([first, first]);
  });

  it("answer 503 to what belongs to an instance that another one has replaced", async () => {
    const url = await createDatabase();
    const store = await open(url);
    await store.seed(people());
    await (await open(url)).replace(records({ instances: [{ ...people().instances[0]!, id: id(0xc) }] }));
    await expect(store.completeSignIn(arrival({ uid: "new" }))).rejects.toThrow(
      /its content was replaced\. Restart svc\./,
    );
  });

  it.each<[string, string, (found: Acquaintance[], active: (string | undefined)[], user: UserRecord) => void]>([
    [
      "deletes the user",
      `DELETE FROM svc.users WHERE id = '${id(1)}'`,
      (found, _, who) => {
        expect(found).toEqual([{ sameEmail: expect.anything() as object }, {}]);
        expect(who.id).not.toBe(id(1));
      },
    ],
    [
      "links another account of the same provider",
      `INSERT INTO svc.identities (id, instance_id, user_id, provider, uid, email, email_verified, created_at, updated_at)
       SELECT 'another', instance_id, id, 'twitter', 'other', email, true, now(), now() FROM svc.users WHERE id = '${id(1)}'`,
      (found) => expect(found.map((each) => each.sameEmail?.identities.length)).toEqual([2, 3]),
    ],
    [
      "gives the address to the identity",
      `UPDATE svc.identities SET provider = 'twitter', uid = 'new' WHERE id = '${id(11)}'`,
      (found) =>
        expect(found).toEqual([{ sameEmail: expect.anything() as object }, { known: expect.anything() as object }]),
    ],
    [
      "revokes the session",
      `UPDATE svc.sessions SET revoked_at = now() WHERE provider = 'twitter'`,
      (_, active) => expect(active).toEqual([sessionId(29), undefined]),
    ],
  ])("decide anew when another one %s between decision and writing", async (_, text, check) => {
    const url = await createDatabase();
    const store = await open(url);
    const { users: seeded, sessions, ...others } = people();
    const own = session(29, seeded[0]!, { provider: "twitter" });
    await store.seed({ ...others, users: seeded, sessions: [...sessions, own] });
    const plain = arrival({ uid: "new", provider: "twitter", email: "ada@acme.test" });
    const found: Acquaintance[] = [];
    const active: (string | undefined)[] = [];
    const outcome = await store.completeSignIn({
      ...plain,
      resolveUser(acquaintance) {
        found.push(acquaintance);
        if (found.length === 1) executeNow(url, text);
        return plain.resolveUser(acquaintance);
      },
      openSession(who, before) {
        active.push(before?.session_id);
        return plain.openSession(who, before);
      },
    });
    check(found, active, outcome.user);
    expect(await store.findUser(A, outcome.user.id)).toMatchObject({ user: outcome.user });
    expect(await store.findSession(A, outcome.session.session_id)).toEqual(outcome.session);
  });

  it("keep a person's rows together when two of them decide at once", async () => {
    const url = await createDatabase();
    const [one, two] = [await open(url), await open(url)];
    await one.seed(records({ users: [user(1)], identities: [identity(2, user(1))] }));
    const person = { uid: "2", email: user(1).email, provider: "github" as const };
    const outcomes = await Promise.all(
      Array.from({ length: 40 }, (_, n) => (n % 2 === 0 ? one : two).completeSignIn(arrival({ ...person, time: n }))),
    );
    expect(new Set(outcomes.map((outcome) => outcome.user.id))).toEqual(new Set([id(1)]));
    expect(new Set(outcomes.map((outcome) => outcome.session.session_id)).size).toBe(1);
    expect((await one.findUser(A, id(1)))?.providers).toEqual(["google", "github"]);
  });
});

describe.skipIf(!existsSync("/usr/bin/openssl"))("TLS", () => {
  it("is used as sslmode asks, and a certificate is believed only with its authority", async () => {
    const cluster = await startCluster(["fsync = off"]);
    const data = cluster.data;
    execFileSync(
      "openssl",
      [
        "req",
        "-x509",
        "-newkey",
        "rsa:2048",
        "-nodes",
        "-days",
        "1",
        "-subj",
        "/CN=localhost",
        "-addext",
        "subjectAltName=DNS:localhost",
        "-keyout",
        `${data}/server.key`,
        "-out",
        `${data}/server.crt`,
      ],
      { stdio: "ignore" },
    );
    await cluster.own("server.key", "server.crt");
    await execute(cluster.url("postgres"), "ALTER SYSTEM SET ssl = on");
    await cluster.control("restart", "-m", "fast");
    const url = cluster.url("postgres").replace("127.0.0.1", "localhost");
    const used = async (parameters: string): Promise<boolean> => {
      const store = await openPostgresStore(`${url}?application_name=tls&${parameters}`, { warn: () => {} });
      const [row] = await admin(url).unsafe(
        "SELECT bool_and(ssl) AS ssl FROM pg_stat_ssl JOIN pg_stat_activity USING (pid) WHERE application_name = 'tls'",
      );
      await store.close();
      return row!["ssl"] as boolean;
    };
    expect(await used("sslmode=disable")).toBe(false);
    expect(await used("sslmode=prefer")).toBe(true);
    expect(await used("sslmode=require")).toBe(true);
    expect(await used(`sslmode=verify-full&sslrootcert=${data}/server.crt`)).toBe(true);
    await expect(used("sslmode=verify-full")).rejects.toThrow(
      /certificate is not trusted\. Name its authority with sslrootcert/,
    );
    const elsewhere = `${url.replace("localhost", "127.0.0.1")}?sslmode=verify-full&sslrootcert=${data}/server.crt`;
    await expect(openPostgresStore(elsewhere, { warn: () => {} })).rejects.toThrow(
      /does not match certificate.*not trusted/s,
    );
  }, 60_000);
});
