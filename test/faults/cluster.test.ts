import { setTimeout as sleep } from "node:timers/promises";
import { expect, it, onTestFinished } from "vitest";
import { frontAt, signIn, started, users, type Server } from "../postgres/_serve.ts";
import { execute } from "../postgres/_postgres.ts";
import { startPgBouncer } from "../postgres/_pgbouncer.ts";
import { gap, startClusterLoad, startReference, watchConnections } from "./_cluster-load.ts";
import { startHaproxy } from "./_haproxy.ts";
import { hasPrometheus, startPrometheus } from "./_prometheus.ts";
import { missingForPatroni, startPatroni, type Node, type Patroni } from "./_patroni.ts";

const ROLE = "svc";
const POOL_SIZE = 6;
/** One more looks for a primary, and two change several records at once. */
const MOST_CONNECTIONS = POOL_SIZE + 3;
const PGBOUNCER_POOL = 5;

interface Event {
  readonly name: string;
  /** Makes another node the primary, or the same one again. @returns what ends the event */
  happen(cluster: Patroni, primary: Node): Promise<() => void>;
}

const nothing = (): void => undefined;

const EVENTS: readonly Event[] = [
  { name: "switchover", happen: (cluster) => cluster.switchover().then(() => nothing) },
  {
    name: "kill -9 of the postmaster",
    async happen(_, primary) {
      process.kill(primary.postgres()[0]!, "SIGKILL");
      return Promise.resolve(nothing);
    },
  },
  {
    name: "node paused until another was promoted",
    async happen(cluster, primary) {
      primary.signal("SIGSTOP");
      // On a busy machine Patroni may just have struck out the synchronous standby, and then it promotes none.
      const promoted = await cluster.untilPrimary(primary, 60_000).catch(() => undefined);
      if (promoted) return () => primary.signal("SIGCONT");
      primary.signal("SIGCONT");
      return this.happen(cluster, await cluster.untilWhole());
    },
  },
];

/** The address of svc's own role, on all nodes or on the poolers in front of them. */
function addressOf(ports: readonly number[], name: string): string {
  const hosts = ports.map((port) => `127.0.0.1:${port}`).join(",");
  return `postgres://${ROLE}:pw-of-svc@${hosts}/svc?pool_size=${POOL_SIZE}&application_name=${name}`;
}

async function isReady(server: Server): Promise<boolean> {
  return (await server.send("/__svc/health/ready")).status === 200;
}

it("has what it needs: patroni, etcd, haproxy, pgbouncer, postgresql", ({ skip }) => {
  const message = `this machine has no ${missingForPatroni.join(", ")}; the test of a cluster is left out`;
  if (missingForPatroni.length > 0 && process.env["CI"]) throw new Error(message);
  skip(missingForPatroni.length > 0, message);
});

it.skipIf(missingForPatroni.length > 0)(
  "On a cluster of Patroni, svc follows the primary with load and without, and loses, doubles and brings back nothing",
  async () => {
    const cluster = await startPatroni();
    onTestFinished(() => cluster.stop());
    const first = await cluster.untilWhole();
    await execute(first.url("postgres"), `CREATE ROLE ${ROLE} LOGIN PASSWORD 'pw-of-svc'`);
    await execute(first.url("postgres"), `CREATE DATABASE svc OWNER ${ROLE}`);
    await execute(first.url("svc"), "CREATE TABLE public.reference (at timestamptz DEFAULT now())");

    const direct = cluster.nodes.map(({ port }) => port);
    const poolers = await Promise.all(
      direct.map((port) =>
        startPgBouncer(`postgres://${ROLE}:pw-of-svc@127.0.0.1:${port}/svc`, ["server_login_retry = 1"]),
      ),
    );
    const pooled = poolers.map((pooler) => Number(new URL(pooler.url(first.url("svc"))).port));
    // The first fills the database.
    await (await started(addressOf(direct, "first"))).stop();
    // Their clocks differ as much as those of ready servers may.
    const servers = {
      "direct-1": await started(addressOf(direct, "direct-1"), ["--metrics"], { clockAheadMs: 30_000 }),
      "direct-2": await started(addressOf(direct, "direct-2"), ["--metrics"]),
      "direct-idle": await started(addressOf(direct, "direct-idle"), ["--metrics"], { clockAheadMs: -30_000 }),
      pooled: await started(addressOf(pooled, "pooled"), ["--metrics"]),
      "pooled-idle": await started(addressOf(pooled, "pooled-idle"), ["--metrics"]),
    };
    const all = Object.values(servers);
    const balancer = async (...behind: Server[]): Promise<ReturnType<typeof frontAt>> =>
      frontAt(await startHaproxy(behind.map(({ port }) => port)));
    const fronts = {
      direct: await balancer(servers["direct-1"], servers["direct-2"]),
      pooled: await balancer(servers.pooled),
      "direct-idle": await balancer(servers["direct-idle"]),
      "pooled-idle": await balancer(servers["pooled-idle"]),
    };
    const untilReady = async (): Promise<void> => {
      for (const server of all) await expect.poll(() => isReady(server), { timeout: 60_000 }).toBe(true);
    };
    await untilReady();

    const reference = startReference(cluster);
    const connections = watchConnections(cluster, ROLE);
    const loads = {
      direct: startClusterLoad(fronts.direct, "direct", 6),
      pooled: startClusterLoad(fronts.pooled, "pooled", 3),
    };
    for (const each of [reference, connections, ...Object.values(loads)]) onTestFinished(() => each.stop());
    const succeeds = async (since: number): Promise<void> => {
      await expect
        .poll(
          () =>
            [reference, ...Object.values(loads)].every(({ moments }) => moments.filter((at) => at > since).length > 10),
          {
            timeout: 90_000,
          },
        )
        .toBe(true);
    };
    await succeeds(performance.now());

    const prometheus = hasPrometheus ? await startPrometheus(all.map(({ port }) => port)) : undefined;
    /** Besides the one of the clocks, which fires all the time. */
    const fired = async (since: number): Promise<string> => {
      const names = await prometheus?.fired((performance.now() - since) / 1000);
      return names?.filter((name) => name !== "SvcClockDiffers").join(", ") ?? "not looked at";
    };
    const table: string[] = [];
    for (const { name, happen } of EVENTS) {
      const before = await cluster.untilWhole();
      const outages = reference.outages();
      const since = performance.now();
      const end = await happen(cluster, before);
      await expect.poll(() => reference.outages(), { timeout: 90_000 }).toBeGreaterThan(outages);
      // Servers that get no requests are back, too, and the first request that comes succeeds.
      const seconds: Record<string, number> = {};
      const usable = gap(reference.moments, since);
      await Promise.all(
        (["direct-idle", "pooled-idle"] as const).map(async (idle) => {
          await expect.poll(() => isReady(servers[idle]), { timeout: 60_000, interval: 50 }).toBe(true);
          seconds[idle] = (performance.now() - usable.end) / 1000;
        }),
      );
      await succeeds(performance.now());
      for (const idle of ["direct-idle", "pooled-idle"] as const)
        expect(await signIn(`${idle}-${outages}@load.test`, () => fronts[idle])).toBeTypeOf("string");
      for (const [group, { moments }] of Object.entries(loads))
        seconds[group] = (gap(moments, since).end - gap(reference.moments, since).end) / 1000;
      const shown = Object.entries(seconds).map(([group, value]) => `${group} ${Math.max(0, value).toFixed(1)} s`);
      table.push(
        `${name}: Patroni's own ${(gap(reference.moments, since).ms / 1000).toFixed(1)} s; beyond it ${shown.join(", ")}; alerts: ${await fired(since)}`,
      );
      end();
    }
    const since = performance.now();
    await withoutStandby(cluster, all);
    table.push(`synchronous standby missing: every server not ready, and says why; alerts: ${await fired(since)}`);
    if (prometheus) expect(await fired(since)).toContain("SvcStandbyMissing");
    await succeeds(performance.now());
    await untilReady();

    await Promise.all([...Object.values(loads), reference, connections].map((each) => each.stop()));
    const known = await users(servers["direct-1"]);
    const emails = known.map(({ data }) => data.email);
    const acknowledged = Object.values(loads).flatMap((load) => [...load.acknowledged]);
    const deleted = Object.values(loads).flatMap((load) => [...load.deleted]);
    const lost = acknowledged.filter((email) => !emails.includes(email));
    const doubled = emails.filter((email, n) => emails.indexOf(email) !== n);
    const resurrected = deleted.filter(([email, id]) => emails.includes(email) || known.some((user) => user.id === id));
    const failed = Object.entries(loads).map(([group, load]) => `${group} ${JSON.stringify(load.failed)}`);
    console.log(
      [
        ...table,
        `${acknowledged.length} sign-ins and ${deleted.length} deletions acknowledged: lost ${lost.length}, doubled ${doubled.length}, resurrected ${resurrected.length}`,
        `not acknowledged: ${failed.join(", ")}`,
        `connections at most: ${JSON.stringify(connections.most)}`,
      ].join("\n"),
    );
    expect([lost, doubled, resurrected]).toEqual([[], [], []]);
    for (const [name, count] of Object.entries(connections.most))
      expect([name, count <= (name.startsWith("pooled") ? 2 * PGBOUNCER_POOL : MOST_CONNECTIONS)]).toEqual([
        name,
        true,
      ]);
    // Nothing but the outages was a reason to fail.
    const reasons = Object.values(loads).flatMap((load) => Object.keys(load.failed));
    expect(reasons.filter((what) => !/^(503|temporarily_unavailable|deletion 503|504|400)$/.test(what))).toEqual([]);
    for (const server of all) {
      expect(server.child.exitCode).toBeNull();
      // Of each event: what is lost, that it is back, and where the requests go now.
      expect(server.log().trim().split("\n").length).toBeLessThan(25);
    }
  },
  600_000,
);

/** Commits can't end until the standby is back. */
async function withoutStandby(cluster: Patroni, servers: readonly Server[]): Promise<void> {
  const primary = await cluster.untilWhole();
  const standby = cluster.nodes.find((node) => node !== primary)!;
  await cluster.configure({ synchronous_mode_strict: true });
  await sleep(3000);
  standby.signal("SIGSTOP");
  const reasons = async (): Promise<(string | undefined)[]> =>
    Promise.all(
      servers.map(async (server) => {
        const { code, error } = JSON.parse((await server.send("/__svc/health/ready")).body) as {
          code?: string;
          error?: string;
        };
        return code === "store_unavailable" ? error : undefined;
      }),
    );
  await expect
    .poll(reasons, { timeout: 60_000 })
    .toEqual(servers.map(() => expect.stringMatching(/commits? waits? for the synchronous standby/)));
  // Long enough for each request that was given up to open another connection.
  await sleep(8000);
  expect(await reasons()).toEqual(
    servers.map(() => expect.stringMatching(/commits? waits? for the synchronous standby/)),
  );
  // Other programs get a connection.
  await execute(primary.url("svc"), "SELECT 1");
  standby.signal("SIGCONT");
  await cluster.configure({ synchronous_mode_strict: false });
}
