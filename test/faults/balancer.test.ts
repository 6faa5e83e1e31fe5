import { Agent, request } from "node:http";
import { connect, createServer, type AddressInfo, type Server as TcpServer, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, it, onTestFinished } from "vitest";
import { freePort } from "../_free-port.ts";
import { needs } from "../_machine.ts";
import { startHaproxy } from "./_haproxy.ts";
import { createDatabase } from "../postgres/_postgres.ts";
import { FRONT_HOST, SECRET_KEY, started, type Server } from "../postgres/_serve.ts";

const REQUESTS = process.env["SVC_FAULTS"] === "full" ? 2000 : 200;

interface Counts {
  answered: number;
  /** By status, or by what went wrong on the way. */
  readonly failed: Record<string, number>;
}

/** A connection to a database that can be cut: then it refuses new connections and closes the open ones. */
interface Cable {
  readonly port: number;
  cut(): void;
  restore(): void;
}

async function layCable(port: number): Promise<Cable> {
  let isCut = false;
  const open = new Set<Socket>();
  const server = createServer((socket) => {
    if (isCut) return void socket.destroy();
    const there = connect(port, "127.0.0.1");
    for (const [one, other] of [
      [socket, there],
      [there, socket],
    ] as const) {
      open.add(one);
      one.on("error", () => other.destroy());
      one.on("close", () => {
        open.delete(one);
        other.destroy();
      });
      one.pipe(other);
    }
  });
  await listen(server, 0);
  onTestFinished(() => {
    for (const socket of open) socket.destroy();
    server.close();
  });
  return {
    port: (server.address() as AddressInfo).port,
    cut() {
      isCut = true;
      for (const socket of open) socket.destroy();
    },
    restore() {
      isCut = false;
    },
  };
}

async function listen(server: TcpServer, port: number): Promise<void> {
  await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
}

/** Requests users without a pause. */
function ask(port: number, workers = 8): { counts: Counts; stop(): Promise<void> } {
  const agent = new Agent({ keepAlive: true });
  const counts: Counts = { answered: 0, failed: {} };
  const headers = { host: FRONT_HOST, "x-service-secret-key": SECRET_KEY };
  const state = { isOver: false };
  const one = (): Promise<string> =>
    new Promise((resolve) => {
      const sent = request({ agent, host: "127.0.0.1", port, path: "/api/v1/users?limit=1", headers }, (response) => {
        response.resume().on("end", () => resolve(String(response.statusCode)));
      });
      sent.on("error", (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message)).end();
    });
  const running = Array.from({ length: workers }, async () => {
    while (!state.isOver) {
      const outcome = await one();
      if (outcome === "200") counts.answered++;
      else counts.failed[outcome] = (counts.failed[outcome] ?? 0) + 1;
    }
  });
  return {
    counts,
    async stop() {
      state.isOver = true;
      await Promise.all(running);
      agent.destroy();
    },
  };
}

async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await condition())) await sleep(50);
}

it(
  "Four servers behind a load balancer fail no request when one loses its database and one is replaced",
  needs("haproxy"),
  async () => {
    const direct = await createDatabase();
    const cable = await layCable(Number(new URL(direct).port));
    const cut = new URL(direct);
    cut.port = String(cable.port);
    const ports = await Promise.all(Array.from({ length: 4 }, freePort));
    const start = (n: number, store: string): Promise<Server> =>
      started(store, ["--port", String(ports[n]), "--drain", "2"]);
    // The first fills the database.
    await (await started(direct)).stop();
    const servers: Server[] = [];
    for (const n of [0, 1, 2, 3]) servers.push(await start(n, n === 1 ? cut.href : direct));
    const balancer = await startHaproxy(ports);
    await until(async () => {
      const trial = ask(balancer, 1);
      await sleep(100);
      await trial.stop();
      return trial.counts.answered > 0 && Object.keys(trial.counts.failed).length === 0;
    });

    const load = ask(balancer);
    const more = async (): Promise<void> => {
      const wanted = load.counts.answered + REQUESTS;
      await until(() => load.counts.answered >= wanted);
    };
    const ready = async (n: number): Promise<boolean> => {
      const response = await fetch(`http://127.0.0.1:${ports[n]}/__svc/health/ready`).catch(() => undefined);
      return response?.status === 200;
    };
    await more();
    cable.cut();
    await until(async () => !(await ready(1)));
    await more();
    cable.restore();
    await until(() => ready(1));
    await more();
    // A rolling update: the old one drains, the new one takes its place.
    await servers[2]!.stop();
    servers[2] = await start(2, direct);
    await until(() => ready(2));
    await more();
    await load.stop();
    console.log(
      `balancer: ${load.counts.answered} answered, failed: ${JSON.stringify(load.counts.failed)}, over 4 servers, one without its database, one replaced`,
    );
    expect(load.counts.failed).toEqual({});
  },
);
