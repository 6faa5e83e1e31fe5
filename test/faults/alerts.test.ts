import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { connect, type AddressInfo, type Socket } from "node:net";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { ROOT } from "../_paths.ts";
import { admin, execute, startCluster } from "../postgres/_postgres.ts";
import { APP, SECRET_KEY, signIn, started, type Server } from "../postgres/_serve.ts";
import { hasPrometheus, startPrometheus } from "./_prometheus.ts";
import { fill } from "./_full.ts";
import { directory, tools } from "./_processes.ts";

it("has what it needs: prometheus, prlimit, mount", ({ skip }) => {
  const missing = !hasPrometheus || !tools.prlimit || !tools.mount;
  const message = "this machine has no prometheus, or is not root; the test of the alerts is left out";
  if (!hasPrometheus && process.env["CI"]) throw new Error(message);
  skip(missing, message);
});

const BURNS = ["SvcBudgetBurnsFast", "SvcBudgetBurnsSlowly"];
const BEGIN = `/oauth/authorize?${new URLSearchParams({ provider: "google", redirect_uri: APP }).toString()}`;

it.skipIf(!hasPrometheus || !tools.prlimit || !tools.mount)(
  "Each incident fires its alert, and none fires before",
  async () => {
    const cluster = await startCluster();
    const superuser = cluster.url("postgres");
    await execute(superuser, "CREATE DATABASE svc");
    const configure = async (setting: string): Promise<void> => {
      await execute(superuser, `ALTER SYSTEM ${setting}`);
      await execute(superuser, "SELECT pg_reload_conf()");
    };
    const disk = await directory();
    execFileSync("mount", ["-t", "tmpfs", "-o", "size=512k", "none", disk]);
    onTestFinished(() => void execFileSync("umount", ["-l", disk]));

    const url = cluster.url("svc");
    const small = `${url}?pool_size=1&statement_timeout=1&list_connections=1`;
    const flags = ["--metrics"];
    // The first fills the database.
    await (await started(url)).stop();
    const server = await started(small, flags);
    const late = await started(url, flags);
    const onDisk = await started(join(disk, "db.json"), flags);
    const prometheus = await startPrometheus([server, late, onDisk].map(({ port }) => port));
    await signIn("a@acme.test", () => server);
    await expect.poll(async () => (await onDisk.send(BEGIN)).status).toBe(302);

    const seen = new Set<string>();
    /** @param again what goes on while the incident lasts */
    const fires = async (alert: string, again: () => Promise<unknown> = async () => undefined): Promise<void> => {
      await expect
        .poll(
          async () => {
            await again();
            return prometheus.firing();
          },
          { timeout: 60_000, interval: 300 },
        )
        .toContain(alert);
      seen.add(alert);
    };
    const calm = async (): Promise<void> => {
      await expect.poll(() => prometheus.firing(), { timeout: 60_000, interval: 300 }).toEqual([]);
    };
    await calm();

    // A few could be anybody's.
    const askOften = (): Promise<unknown> =>
      Promise.all(Array.from({ length: 5 }, () => askWithKey(server, `${SECRET_KEY}x`)));
    await fires("SvcKeyRefused", askOften);
    await fires("SvcCallbacksRefused", () => server.send(`/oauth/google/callback?code=x&state=${"0".repeat(64)}`));
    await fires("SvcSignInsFail", () => failAtProvider(server));
    await calm();

    await execute(
      url,
      `CREATE FUNCTION public.slow() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM pg_sleep(0.3); RETURN new; END';
       CREATE TRIGGER slow BEFORE INSERT ON svc.states FOR EACH ROW EXECUTE FUNCTION public.slow()`,
    );
    await fires("SvcCommitsSlow", () => server.send(BEGIN));
    await execute(url, "DROP FUNCTION public.slow() CASCADE");

    const holder = admin(url);
    await holder.begin("isolation level read committed", async (sql) => {
      await sql.unsafe("LOCK TABLE svc.states IN ACCESS EXCLUSIVE MODE");
      const requests: Promise<unknown>[] = [];
      for (const alert of ["SvcConnectionsExhausted", "SvcStatementsTimeOut", "SvcRequestsFail", ...BURNS])
        await fires(alert, async () => Promise.resolve(requests.push(server.send(BEGIN), server.send(BEGIN))));
      await Promise.all(requests);
    });
    expect(server.log()).toMatch(
      /statement timeout\. Locks: AccessExclusiveLock on svc\.states, held by process \d+ \(postgres\.js, role postgres\)/,
    );
    await calm();

    // A standby that does not exist.
    await configure("SET synchronous_standby_names = 'missing'");
    await fires("SvcStandbyMissing", () => late.send(BEGIN));
    await configure("RESET synchronous_standby_names");
    await calm();

    const clock = await started(url, flags, { clockAheadMs: 20_000 });
    const descriptors = await started(url, [...flags, "--trust-proxy", "127.0.0.1"], {
      by: ["prlimit", "--nofile=96:96"],
    });
    const others = await startPrometheus([clock.port, descriptors.port]);
    const sockets = new Set<Socket>();
    onTestFinished(() => sockets.forEach((socket) => socket.destroy()));
    // A connection without a request is closed after some seconds.
    const hold = (): void => {
      while (sockets.size < 50) {
        const socket = connect(descriptors.port, "127.0.0.1").on("error", () => undefined);
        sockets.add(socket.once("close", () => sockets.delete(socket)));
      }
    };
    for (const alert of ["SvcClockDiffers", "SvcDescriptorsExhausted"]) {
      await expect
        .poll(
          () => {
            hold();
            return others.firing();
          },
          { timeout: 60_000, interval: 300 },
        )
        .toContain(alert);
      seen.add(alert);
    }

    const exporter = createServer((_, response) => void response.end("svc_backup_timestamp_seconds 1\n"));
    onTestFinished(() => void exporter.close());
    await once(exporter.listen(0, "127.0.0.1"), "listening");
    const [absent, backups] = [[], [(exporter.address() as AddressInfo).port]];
    for (const [alert, ports] of [
      ["SvcAbsent", absent],
      ["SvcBackupOld", backups],
    ] as const) {
      const { firing } = await startPrometheus(ports);
      await expect.poll(firing, { timeout: 60_000, interval: 300 }).toEqual([alert]);
      seen.add(alert);
    }

    await fires("SvcJournalLong", () => onDisk.send(BEGIN));
    await fill(join(disk, "filler"));
    await fires("SvcStoreFull", () => onDisk.send(BEGIN));
    await configure("SET default_transaction_read_only = on");
    await fires("SvcStoreReadOnly");
    await configure("RESET default_transaction_read_only");
    await cluster.control("stop", "-m", "immediate");
    await fires("SvcStoreUnavailable");
    await late.stop();
    await fires("SvcDown");

    const rules = await readFile(join(ROOT, "docs/alerts.yaml"), "utf8");
    const all = [...rules.matchAll(/alert: (\w+)/g)].map(([, name]) => name!);
    expect([...seen].toSorted()).toEqual(all.toSorted());
    expect(all.length).toBeGreaterThanOrEqual(13);
  },
  300_000,
);

async function askWithKey({ port }: Server, key: string): Promise<void> {
  const headers = { "x-service-secret-key": key };
  await fetch(`http://localhost:${port}/api/v1/users`, { headers });
}

/** As a provider that is down sends the browser back. */
async function failAtProvider(server: Server): Promise<void> {
  const begun = await server.send(BEGIN);
  const state = begun.location!.searchParams.get("state")!;
  const query = new URLSearchParams({ state, error: "temporarily_unavailable" });
  await server.send(`/oauth/google/callback?${query.toString()}`);
}
