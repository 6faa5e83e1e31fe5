import { beforeEach, expect, it } from "vitest";
import { admin, execute, startCluster, type Cluster } from "../postgres/_postgres.ts";
import { startTwo, type Server } from "../postgres/_serve.ts";
import { figures, lost, startLoad } from "./_sign-in-load.ts";

const FULL = process.env["SVC_FAULTS"] === "full";
const SIGN_INS = FULL ? 500 : 30;

let primary: Cluster;
let standby: Cluster;
let servers: Server[];

beforeEach(async () => {
  primary = await startCluster();
  await execute(primary.url("postgres"), "CREATE DATABASE svc");
  standby = await primary.startStandby();
  // What is acknowledged is on both.
  await execute(primary.url("postgres"), "ALTER SYSTEM SET synchronous_standby_names = '*'");
  await execute(primary.url("postgres"), "SELECT pg_reload_conf()");
  const url = primary.url("svc").replace(/(127\.0\.0\.1:\d+)/, `$1,127.0.0.1:${standby.port}`);
  servers = await startTwo(url);
});

it("A failover loses no acknowledged sign-in, and svc finds the new primary by itself", async () => {
  const load = startLoad(servers);
  await load.succeed(SIGN_INS);
  await primary.control("stop", "-m", "immediate");
  await standby.control("promote");
  await load.succeed(SIGN_INS);
  const outcome = await load.stop();
  console.log(figures("failover", outcome));
  expect(await lost(outcome, servers[0]!)).toEqual([]);
  expect(servers.map(({ child }) => child.exitCode)).toEqual([null, null]);
  // Only what was under way, or came before the promotion, failed, and as unavailable.
  expect(Object.keys(outcome.failed).filter((what) => !["503", "temporarily_unavailable"].includes(what))).toEqual([]);
});

it("svc recovers by itself from a switchover that leaves connections to the old, now read-only server open", async () => {
  const load = startLoad(servers);
  await load.succeed(SIGN_INS);
  // The old one ends no connection: it only refuses writes from now on (SQLSTATE 25006).
  const old = admin(primary.url("postgres"));
  await old.unsafe("ALTER SYSTEM SET default_transaction_read_only = on");
  await old.unsafe("SELECT pg_reload_conf()");
  await old.unsafe("SHOW default_transaction_read_only");
  const follower = admin(standby.url("postgres"));
  const [{ at }] = (await old`SELECT pg_current_wal_lsn() AS at`) as unknown as [{ at: string }];
  const replayed = async (): Promise<unknown> =>
    (await follower`SELECT pg_last_wal_replay_lsn() >= ${at}::pg_lsn AS done`)[0]!["done"];
  await expect.poll(replayed, { timeout: 60_000 }).toBe(true);
  await standby.control("promote");
  await load.succeed(SIGN_INS);
  const outcome = await load.stop();
  console.log(figures("switchover", outcome));
  expect(servers.map((server) => server.log()).join("")).not.toContain("internal error");
  expect(await lost(outcome, servers[0]!)).toEqual([]);
  expect(Object.keys(outcome.failed).filter((what) => !["503", "temporarily_unavailable"].includes(what))).toEqual([]);
  const [row] = await admin(standby.url("svc")).unsafe("SELECT count(*)::int AS n FROM svc.users");
  expect(row!["n"]).toBeGreaterThanOrEqual(outcome.acknowledged.length);
});
