import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { admin, createDatabase, execute, startCluster, type Cluster } from "../postgres/_postgres.ts";
import { callbackOf, inTurn, serve, signIn, startTwo, users, type Answer, type Server } from "../postgres/_serve.ts";
import { patient } from "../postgres/_store.ts";

// The figures of the promise with SVC_FAULTS=full; in short otherwise.
const FULL = process.env["SVC_FAULTS"] === "full";
const figures: string[] = [];
afterAll(() => {
  if (figures.length > 0) console.log(figures.join("\n"));
});

const STATES = FULL ? 100 : 10;
const RESTARTS = FULL ? 20 : 2;
const TERMINATIONS = FULL ? 100 : 10;
const ROUNDS = FULL ? 10 : 2;

describe("Two servers on one database", () => {
  let servers: Server[];
  const both = async (): Promise<void> => {
    servers = await startTwo(patient(await createDatabase()));
  };

  it("issue one token for a state that is used fifty times at once", async () => {
    await both();
    const next = inTurn(servers);
    const tokens: number[] = [];
    for (let round = 0; round < STATES; round++) {
      const path = (await callbackOf("p1@acme.test", next)) as string;
      const answers = await Promise.all(Array.from({ length: 50 }, () => next().send(path)));
      tokens.push(answers.filter((answer) => answer.location?.searchParams.has("token")).length);
      expect(answers.filter((answer) => answer.status === 400)).toHaveLength(49);
    }
    expect(tokens).toEqual(Array(STATES).fill(1));
    figures.push(`replays: ${STATES} states × 50, tokens each: ${Math.max(...tokens)}`);
  });

  it("create exactly fifty users when fifty people first sign in at both servers at once", async () => {
    for (let round = 0; round < ROUNDS; round++) {
      await both();
      const next = inTurn(servers);
      const people = Array.from({ length: 50 }, (_, n) => `p${n}@acme.test`);
      const tokens = await Promise.all([...people, ...people, ...people, ...people].map((who) => signIn(who, next)));
      expect(tokens.filter((token) => typeof token !== "string")).toEqual([]);
      const found = await users(servers[0]!);
      expect(found.map((user) => user.data.email).toSorted()).toEqual(people.toSorted());
      expect(await users(servers[1]!)).toEqual(found);
      await Promise.all(servers.map((server) => server.stop()));
    }
    figures.push(`first sign-ins: ${ROUNDS} × 50 people × 4, users each time: 50`);
  });

  it("never restore a deleted user while others sign in", async () => {
    await both();
    const next = inTurn(servers);
    for (let round = 0; round < 5; round++) {
      await signIn("p7@acme.test", next);
      const [before] = await users(servers[0]!);
      const outcomes = await Promise.all([
        next().send(`/api/v1/users/${before!.id}`, "DELETE"),
        signIn("p7@acme.test", next),
        next().send(`/api/v1/users/${before!.id}`, "DELETE"),
        signIn("p7@acme.test", next),
      ]);
      expect([outcomes[0], outcomes[2]].map((answer) => (answer as Answer).status).toSorted()).toEqual([200, 404]);
      const left = await users(servers[1]!);
      expect(left.map((user) => user.id)).not.toContain(before!.id);
      expect(left.length).toBeLessThanOrEqual(1);
      const sessions = JSON.parse((await servers[0]!.send("/api/v1/sessions")).body) as { data: { user_id: string } }[];
      expect(sessions.filter((session) => session.data.user_id === before!.id)).toEqual([]);
    }
  });
});

describe("A failing database", () => {
  let cluster: Cluster;
  let url: string;
  let servers: Server[];
  beforeAll(async () => {
    cluster = await startCluster(["max_connections = 40"]);
  });
  const begin = async (name: string): Promise<void> => {
    await execute(cluster.url("postgres"), `CREATE DATABASE ${name}`);
    url = cluster.url(name);
    servers = await startTwo(url);
  };

  /** Asks until there is a good answer again; how long that took, and the longest single answer, in milliseconds. */
  async function recovery(server: Server): Promise<{ back: number; longest: number }> {
    const begun = performance.now();
    let longest = 0;
    for (;;) {
      const asked = performance.now();
      const { status } = await server.send("/api/v1/users?limit=1");
      longest = Math.max(longest, performance.now() - asked);
      expect([200, 503]).toContain(status);
      if (status === 200) return { back: performance.now() - begun, longest };
      if (performance.now() - begun > 60_000) throw new Error("it does not come back");
      await sleep(20);
    }
  }

  const alive = (): void => expect(servers.map(({ child }) => child.exitCode)).toEqual([null, null]);

  it("loses no acknowledged write when it is restarted under load", async () => {
    await begin("restarts");
    const next = inTurn(servers);
    const acknowledged = new Set<string>();
    const deleted = new Set<string>();
    const statuses = new Map<number, number>();
    let n = 0;
    const load = { isOver: false };
    let longest = 0;
    const worker = async (): Promise<void> => {
      while (!load.isOver) {
        const email = `n${n++}@load.test`;
        const asked = performance.now();
        const outcome = await signIn(email, next);
        longest = Math.max(longest, performance.now() - asked);
        if (typeof outcome !== "string") {
          const status =
            outcome.location?.searchParams.get("error") === "temporarily_unavailable" ? 503 : outcome.status;
          statuses.set(status, (statuses.get(status) ?? 0) + 1);
          continue;
        }
        acknowledged.add(email);
        if (n % 5 !== 0) continue;
        const { sub } = JSON.parse(Buffer.from(outcome.split(".")[1]!, "base64url").toString()) as { sub: string };
        const answer = await next().send(`/api/v1/users/${sub}`, "DELETE");
        if (answer.status === 200) deleted.add(email);
        // What became of it is not known.
        if (answer.status !== 200) acknowledged.delete(email);
      }
    };
    const workers = Array.from({ length: 16 }, worker);
    const backs: number[] = [];
    for (let round = 0; round < RESTARTS; round++) {
      await sleep(500 + 200 * (round % 4));
      await cluster.control("restart", "-m", "immediate");
      const found = await Promise.all(servers.map(recovery));
      backs.push(...found.map(({ back }) => back));
    }
    load.isOver = true;
    await Promise.all(workers);
    alive();
    expect([...statuses.keys()].filter((status) => status !== 503)).toEqual([]);
    const there = new Set((await users(servers[0]!)).map((user) => user.data.email));
    expect([...acknowledged].filter((email) => !deleted.has(email) && !there.has(email))).toEqual([]);
    expect([...deleted].filter((email) => there.has(email))).toEqual([]);
    figures.push(
      `restarts: ${RESTARTS} × pg_ctl -m immediate, ${acknowledged.size} sign-ins and ${deleted.size} deletions acknowledged, 0 lost, ` +
        `${statuses.get(503) ?? 0} × 503, back after at most ${Math.max(...backs).toFixed(0)} ms, longest sign-in ${longest.toFixed(0)} ms`,
    );
  });

  it("ends connections without crashing the servers", async () => {
    await begin("terminations");
    const next = inTurn(servers);
    const sql = admin(url);
    const counts = { ok: 0, unavailable: 0 };
    const load = { isOver: false };
    const worker = async (): Promise<void> => {
      while (!load.isOver) {
        const { status } = await next().send("/api/v1/users?limit=1");
        expect([200, 503]).toContain(status);
        if (status === 200) counts.ok++;
        else counts.unavailable++;
      }
    };
    const workers = Array.from({ length: 8 }, worker);
    for (let round = 0; round < TERMINATIONS; round++) {
      await sql`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'svc'`;
      await sleep(30);
    }
    // On a slow machine no connection may have lasted long enough for an answer.
    while (counts.ok === 0) await Promise.race([sleep(20), ...workers]);
    load.isOver = true;
    await Promise.all(workers);
    alive();
    for (const server of servers) await recovery(server);
    figures.push(
      `terminations: ${TERMINATIONS} × all connections, ${counts.ok} × 200, ${counts.unavailable} × 503, 0 crashes`,
    );
  });

  it("makes the servers answer 503 while it is suspended, and 200 after it resumes", async () => {
    await begin("paused");
    for (const server of servers) await recovery(server);
    await cluster.signal("SIGSTOP");
    const waits: number[] = [];
    try {
      const ask = async (path: string): Promise<number> => {
        const asked = performance.now();
        const { status } = await servers[0]!.send(path);
        waits.push(performance.now() - asked);
        return status;
      };
      const paths = [
        "/api/v1/users",
        "/api/v1/sessions",
        "/api/v1/users?limit=1",
        `/oauth/authorize?provider=google&redirect_uri=http://localhost/`,
      ];
      for (let round = 0; round < (FULL ? 6 : 2); round++)
        expect(await Promise.all(paths.map(ask))).toEqual([503, 503, 503, 503]);
    } finally {
      await cluster.signal("SIGCONT");
    }
    const found = await Promise.all(servers.map(recovery));
    alive();
    // What it wrote can arrive after its answers.
    await expect
      .poll(() => servers[0]!.log(), { timeout: 60_000 })
      .toMatch(/is unavailable: .*Requests get 503 until it is back\..* is available again\./s);
    figures.push(
      `paused: 503 after at most ${Math.max(...waits).toFixed(0)} ms, back after at most ${Math.max(...found.map(({ back }) => back)).toFixed(0)} ms`,
    );
  });

  it("makes the servers wait and then answer 503 while it has no connection left", async () => {
    await begin("exhausted");
    const hogs = [admin(url)];
    // A place that becomes free a moment later can still go to a server.
    const exhaust = async (): Promise<number[]> => {
      await hogs[0]!`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'svc'`;
      for (let isFull = false; !isFull;) {
        const hog = admin(url);
        isFull = await hog`SELECT 1`.then(
          () => false,
          () => true,
        );
        if (!isFull) hogs.push(hog);
      }
      return Promise.all(servers.map(async (server) => (await server.send("/api/v1/users")).status));
    };
    await expect.poll(exhaust, { timeout: 120_000 }).toEqual([503, 503]);
    await Promise.all(hogs.map((sql) => sql.end({ timeout: 0 })));
    await Promise.all(servers.map(recovery));
    alive();
  });

  it("still answers reads when it becomes read only, and writes get 503", async () => {
    await begin("readonly");
    await execute(url, "ALTER DATABASE readonly SET default_transaction_read_only = on");
    await execute(url, "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'svc'");
    await recovery(servers[0]!);
    const begun = await servers[0]!.send("/oauth/authorize?provider=google&redirect_uri=http://localhost/");
    expect([begun.status, begun.body]).toEqual([503, expect.stringContaining("Storage unavailable")]);
    const refused = await serve(url);
    expect("stderr" in refused && refused.stderr).toMatch(/is set to read only/);
    await execute(cluster.url("postgres"), "ALTER DATABASE readonly RESET ALL");
    await execute(url, "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'svc'");
    await recovery(servers[0]!);
    expect(typeof (await signIn("p1@acme.test", () => servers[0]!))).toBe("string");
    alive();
  });
});
