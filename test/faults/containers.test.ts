import { spawn } from "node:child_process";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { Book } from "./_book.ts";
import { CONTAINER, directory, figure, needs, recovered, tools, Worker } from "./_processes.ts";

needs("unshare");

const container = { under: CONTAINER };
const ROUNDS = 30;
const COMPETITORS = figure(2, 4);

function load(processes: number): void {
  for (let n = 0; n < processes; n++) {
    const busy = spawn(process.execPath, ["-e", "for (;;);"], { stdio: "ignore" });
    onTestFinished(() => void busy.kill("SIGKILL"));
  }
}

it.skipIf(!tools.unshare)(
  `Exactly one of several containers that start on one directory gets the store, and nothing is lost (${ROUNDS} rounds under load)`,
  async () => {
    const path = join(await directory(), "db.json");
    const book = new Book();
    load(2);
    const workers = await Promise.all(
      Array.from({ length: COMPETITORS }, () => Worker.start(path, { book, ...container })),
    );
    for (let round = 1; round <= ROUNDS; round++) {
      await Promise.all(workers.map((worker) => worker.run("open")));
      const refusals = workers.map((worker) => worker.refusals.splice(0));
      const winners = workers.filter((_, n) => refusals[n]!.length === 0);
      expect(winners.length).toBe(1);
      for (const refusal of refusals.flat()) expect(refusal).toMatchObject({ kind: "StoreRefused", reason: "locked" });
      const [winner] = winners as [Worker];
      const loser = workers.find((worker) => worker !== winner)!;
      // The other keeps trying while the owner writes.
      await Promise.all([winner.run(`in ${round} ${round}`, `save ${round}`), loser.run("open")]);
      expect(winner.refusals).toEqual([]);
      expect(loser.refusals.splice(0)).toMatchObject([{ reason: "locked" }]);
      if (round % 2 === 0) await winner.run("close");
      else {
        await winner.kill();
        workers[workers.indexOf(winner)] = await Worker.start(path, { book, ...container });
      }
    }
    await Promise.all(workers.map((worker) => worker.kill()));
    expect(book.faults((await recovered(path, book)).found)).toEqual([]);
    console.log(
      `${ROUNDS} rounds of ${COMPETITORS} containers: one owner each, ${2 * ROUNDS} changes acknowledged, none lost`,
    );
  },
);

it.skipIf(!tools.unshare)(
  "The next owner removes the lock of a killed owner, and a clean stop leaves no lock",
  async () => {
    const path = join(await directory(), "db.json");
    const locks = async (): Promise<string[]> =>
      (await readdir(join(path, ".."))).filter((name) => name.endsWith(".lock"));
    const first = await Worker.start(path, container);
    await first.run("open");
    expect(await locks()).toHaveLength(1);
    await first.kill();
    const [left] = await locks();
    const second = await Worker.start(path);
    await second.run("open");
    expect(second.refusals).toEqual([]);
    expect(await locks()).toHaveLength(1);
    expect(await locks()).not.toContain(left);
    await second.run("close");
    expect(await locks()).toEqual([]);
  },
);
