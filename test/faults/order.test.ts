import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { attach, directory, figure, needs, tools, Worker } from "./_processes.ts";
import { Order, readTrace } from "./_trace.ts";

needs("strace");

const WRITES = figure(200, 1000);
const COMPACTIONS = figure(4, 20);
const CALLS =
  "openat,write,pwrite64,writev,pwritev,rename,renameat,renameat2,link,linkat,unlink,unlinkat,fsync,fdatasync,ftruncate";

describe.skipIf(!tools.strace)("The file store under strace", () => {
  it(`acknowledges none of ${WRITES} writes in ${COMPACTIONS} compactions before it is synced`, async () => {
    const place = await directory();
    const trace = join(await directory(), "trace");
    const worker = await Worker.start(join(place, "db.json"));
    const detach = await attach(worker.pid, ["-y", "-s", "1000000", "-o", trace, "-e", `trace=${CALLS}`]);
    await worker.run("open");
    let n = 0;
    for (let round = 0; round < COMPACTIONS; round++) {
      for (let group = 0; group < WRITES / COMPACTIONS / 10; group++) {
        const [a, b, c, d, e] = [1, 2, 3, 4, 5].map(() => ++n) as [number, number, number, number, number];
        await worker.run(
          `save ${a} & in ${b} ${b} & save ${c}`,
          `end ${a} ${d} ${d} & out ${b} & save ${e}`,
          `out ${d} & save ${d}`,
          `take ${e} & take ${c}`,
        );
      }
      await worker.run("compact");
    }
    await worker.run("close");
    await detach();
    await worker.kill();

    const order = new Order(place);
    for (const call of await readTrace(trace)) order.see(call);
    expect(worker.refusals).toEqual([]);
    expect(order.faults).toEqual([]);
    expect(order.acknowledgements).toBe(worker.book.acknowledgements);
    expect([order.acknowledgements >= WRITES, order.compactions >= COMPACTIONS]).toEqual([true, true]);
    console.log(
      `${order.acknowledgements} acknowledgements and ${order.compactions} compactions: 0 ahead of their sync`,
    );
  });
});
