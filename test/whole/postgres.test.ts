import { setTimeout as sleep } from "node:timers/promises";
import { expect, it } from "vitest";
import { wants } from "../_machine.ts";
import { startCluster } from "../postgres/_postgres.ts";
import { patient } from "../postgres/_store.ts";
import { killed, restarted, runWhole } from "./_hours.ts";
import { backUp, listUsers, rotateKey } from "./_watchers.ts";

it(
  "Two servers on PostgreSQL are used, watched, backed up, killed and restarted, outlive it, and have what they acknowledged",
  wants("haproxy", "prometheus"),
  async () => {
    const cluster = await startCluster();
    const store = patient(cluster.url("postgres"));
    const { units, svc } = await runWhole(
      [store, store],
      [
        (whole) => rotateKey(whole),
        (whole) => killed(whole, whole.units[0]!),
        async (whole, people) =>
          Promise.all([backUp(whole, whole.units[0]!, people), listUsers(whole, whole.units[1]!)]),
        (whole) => restarted(whole, whole.units[1]!),
        // One server has ended when its database is away.
        (whole) =>
          whole.disturb(async () => {
            await cluster.control("stop", "-m", "immediate");
            await whole.units[1]!.kill();
            // It has tried once.
            while (whole.units[1]!.ends.at(-1) === "ended with SIGKILL") await sleep(100);
            await cluster.control("start");
            for (const unit of whole.units) await unit.ready();
            await sleep(2_000);
          }),
        (whole) => rotateKey(whole),
      ],
    );
    const [first, second] = units;
    expect(await svc(first!, "store", "check")).toContain("users");
    expect(first!.ends).toEqual(["ended with SIGKILL"]);
    expect([...new Set(second!.ends)]).toEqual(["ended with SIGKILL", "ended with 1"]);
    expect([await first!.stop(), await second!.stop()]).toEqual([0, 0]);
  },
);
