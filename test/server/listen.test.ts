import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { Server } from "node:http";
import { Server as HttpsServer } from "node:https";
import { createServer } from "node:net";
import { networkInterfaces } from "node:os";
import { expect, it, onTestFinished, vi } from "vitest";
import { serve, type RunningServer } from "../../src/server/index.ts";
import { freePort } from "../_free-port.ts";
import { listening } from "../_sockets.ts";

it.each([false, true])(
  "Of two servers that start at one port at once, one says that it is taken (https: %s)",
  async (https) => {
    // A certificate takes half a second to make.
    for (let time = 0; time < (https ? 1 : 5); time++) {
      const options = { port: await freePort(), store: "memory", https } as const;
      const started = await Promise.allSettled([serve(options), serve(options)]);
      const running = started.filter(({ status }) => status === "fulfilled") as PromiseFulfilledResult<RunningServer>[];
      const failed = started.filter(({ status }) => status === "rejected") as PromiseRejectedResult[];
      await Promise.all(running.map(({ value }) => value.close()));
      expect(running.length).toBeLessThanOrEqual(1);
      for (const { reason } of failed) {
        expect(reason).toMatchObject({ code: "port_unavailable" });
        expect(String(reason)).toMatch(/is in use by another process|just took port/);
      }
    }
  },
);

it.each([false, true])(
  "A port that is taken at the last moment is an error, not the end of the process (https: %s)",
  async (https) => {
    const port = await freePort();
    const other = createServer();
    onTestFinished(() => void other.close());
    const take = (event: unknown): void => {
      const { server } = event as { server: unknown };
      if (server instanceof Server || server instanceof HttpsServer) {
        unsubscribe("tracing:net.server.listen:asyncStart", take);
        other.listen(port, "127.0.0.1");
      }
    };
    const starting = serve({ port, store: "memory", host: "127.0.0.1", https });
    void starting.catch(() => undefined);
    subscribe("tracing:net.server.listen:asyncStart", take);
    await expect(starting).rejects.toThrow(`Another program just took port ${port}.`);
  },
);

it.each([false, true])("A port that browsers refuse is refused, and no other is taken (https: %s)", async (https) => {
  await expect(serve({ port: 6667, store: "memory", https })).rejects.toThrow(
    "Browsers and fetch refuse port 6667 (ERR_UNSAFE_PORT). Choose another with --port.",
  );
});

const [zone] = Object.entries(networkInterfaces()).flatMap(([name, addresses = []]) =>
  addresses.filter(({ address }) => address.startsWith("fe80:")).map(({ address }) => `${address}%${name}`),
);

it.skipIf(zone === undefined)("An address with a zone is refused, and no other is taken", async () => {
  await expect(serve({ port: 0, store: "memory", providers: "simulated", host: zone! })).rejects.toThrow(
    `can't listen at "${zone}"`,
  );
});

it.each([false, true])("A server that starts and stops prints nothing by itself (https: %s)", async (https) => {
  const printed: unknown[] = [];
  for (const stream of [process.stdout, process.stderr]) {
    const spy = vi.spyOn(stream, "write").mockImplementation((text) => printed.push(text) > 0);
    onTestFinished(() => spy.mockRestore());
  }
  const { close } = await listening({ https });
  await close();
  expect(printed).toEqual([]);
});

it("The process gets no handlers of signals from a server", async () => {
  const count = (): number[] => ["SIGINT", "SIGTERM", "SIGHUP", "exit"].map((name) => process.listenerCount(name));
  const before = count();
  await listening();
  expect(count()).toEqual(before);
});
