import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, it } from "vitest";
import { temporaryDirectory } from "../_files.ts";
import { wants } from "../_machine.ts";
import { locked, LOCKING } from "./_directory.ts";
import { killed, restarted, runWhole } from "./_hours.ts";
import { backUp, listUsers, rotateKey } from "./_watchers.ts";

const PARTS = ["haproxy", "prometheus", LOCKING] as const;

it(
  "A server on a file is used, watched, backed up, killed and restarted, and has what it acknowledged",
  wants(...PARTS),
  async () => {
    const directory = temporaryDirectory();
    const { units, svc } = await runWhole(
      [join(directory, "db.json")],
      [
        (whole) => rotateKey(whole),
        // Its journal can be written, so it is ready, and refuses nothing.
        () => locked(directory, () => sleep(3_000)),
        (whole) => killed(whole, whole.units[0]!),
        async (whole, people) =>
          Promise.all([backUp(whole, whole.units[0]!, people), listUsers(whole, whole.units[0]!)]),
        (whole) => restarted(whole, whole.units[0]!),
        (whole) => rotateKey(whole),
        (whole) => killed(whole, whole.units[0]!),
        (whole, people) => backUp(whole, whole.units[0]!, people),
      ],
    );
    const [unit] = units;
    expect(await svc(unit!, "store", "check")).toContain("users");
    expect([await unit!.stop(), unit!.ends]).toEqual([0, ["ended with SIGKILL", "ended with SIGKILL"]]);
  },
);
