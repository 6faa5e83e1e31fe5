import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { expect, it } from "vitest";
import { Book } from "./_book.ts";
import { directory, figure, recovered, Worker } from "./_processes.ts";

const KILLS = figure(8, 400);

it(`${KILLS} kills of a process with 16 writers lose no acknowledged write, restore no deleted record, and never keep the store from opening`, async () => {
  const faults: string[] = [];
  let acknowledgements = 0;
  let path = join(await directory(), "db.json");
  let book = new Book();
  let worker = await Worker.start(path, { book });
  for (let round = 0; round < KILLS; round++) {
    await worker.run("open");
    expect(worker.refusals).toEqual([]);
    worker.send(`load ${(round + 1) * 100_000}`);
    // A new store now and then: there is an end to the states that one keeps.
    const isLast = round % 20 === 19;
    const nextPath = isLast ? join(await directory(), "db.json") : path;
    const nextBook = isLast ? new Book() : book;
    const next = Worker.start(nextPath, { book: nextBook });
    // Some at once, the others when a few writes have come through.
    const wanted = round % 4 === 0 ? 0 : book.acknowledgements + 20 + Math.random() * 100;
    while (book.acknowledgements < wanted) await delay(1);
    await delay(Math.random() * 20);
    await worker.kill();
    const { found } = await recovered(path, book);
    faults.push(...book.faults(found).map((fault) => `kill ${round}: ${fault}`));
    book.settle(found);
    if (isLast || round === KILLS - 1) acknowledgements += book.acknowledgements;
    worker = await next;
    [path, book] = [nextPath, nextBook];
  }
  expect(faults).toEqual([]);
  expect(acknowledgements).toBeGreaterThan(KILLS * 10);
  console.log(`${KILLS} kills, ${acknowledgements} acknowledged writes: 0 lost, 0 resurrected, 0 refusals`);
});
