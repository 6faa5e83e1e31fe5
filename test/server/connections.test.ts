// Below the faces: a server of a process has more descriptors than a test can use up.
import { once } from "node:events";
import type { Server } from "node:http";
import { connect, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import { listen } from "listhen";
import { expect, it, onTestFinished, vi } from "vitest";
import { createConnectionLimit, type ConnectionLimitOptions } from "../../src/server/http/connection-limit.ts";
import { configureServer } from "../../src/server/http/connections.ts";

/** In all 12 connections, 6 of a client, and one that is refused at a time. */
const DESCRIPTORS = 16;

interface Limited {
  readonly warnings: string[];
  /** @returns the socket and the first bytes that it received, or "closed" */
  open(localAddress?: string): Promise<Opened>;
}

interface Opened {
  readonly socket: Socket;
  readonly received: () => string;
}

async function limited(https: boolean, isProxy: ConnectionLimitOptions["isProxy"] = () => false): Promise<Limited> {
  const warnings: string[] = [];
  const limit = createConnectionLimit({ isProxy, warn: (message) => warnings.push(message) }, DESCRIPTORS);
  const options = { port: 0, hostname: "127.0.0.1", https, isTest: true, autoClose: false };
  const { server, address } = await listen(() => undefined, options);
  configureServer(server as Server, limit);
  const { port } = address;
  const sockets: Socket[] = [];
  onTestFinished(() => {
    sockets.forEach((socket) => socket.destroy());
    server.close().closeAllConnections();
  });
  return {
    warnings,
    async open(localAddress = "127.0.0.1") {
      const to = { host: "127.0.0.1", port, localAddress };
      const socket = https ? connectTls({ ...to, rejectUnauthorized: false } as object) : connect(to);
      sockets.push(socket);
      let received = "";
      socket.on("data", (chunk: Buffer) => (received += chunk.toString())).on("error", () => undefined);
      await Promise.race([once(socket, https ? "secureConnect" : "connect"), once(socket, "close")]);
      return { socket, received: () => received };
    },
  };
}

async function openAll(count: number, open: () => Promise<Opened>): Promise<Opened[]> {
  const opened: Opened[] = [];
  for (let n = 0; n < count; n++) opened.push(await open());
  return opened;
}

const refused = ({ received }: Opened): Promise<void> =>
  vi.waitFor(() => {
    expect(received()).toMatch(/^HTTP\/1\.1 503 .*\r\nRetry-After: 1\r\n.*\{"error":"Too many connections"\}$/s);
  });

it.each([false, true])(
  "T54: A client has half of the connections, and the next is answered 503 until one of them is closed (https: %s)",
  async (https) => {
    const { open, warnings } = await limited(https);
    const opened = await openAll(6, open);
    const seventh = await open();
    await refused(seventh);
    expect(opened.map(({ received }) => received())).toEqual(opened.map(() => ""));
    expect(warnings).toEqual([expect.stringContaining("127.0.0.1 has 6 connections open")]);
    opened[0]!.socket.destroy();
    const answer = async (): Promise<void> => {
      const next = await open();
      next.socket.write("GARBAGE\r\n\r\n");
      await vi.waitFor(() => expect(next.received()).toContain("HTTP/1.1 400"), 300);
    };
    await vi.waitFor(answer, 10_000);
  },
);

it.each([false, true])("A proxy that is trusted may have all connections, and no more (https: %s)", async (https) => {
  const { open, warnings } = await limited(https, (address) => address === "127.0.0.1");
  await openAll(12, open);
  await refused(await open());
  expect(warnings).toEqual([expect.stringContaining("12 connections are open, as many as this process may have")]);
});

it.skipIf(process.platform !== "linux")("Another client is admitted beside one that has its half", async () => {
  const { open } = await limited(false);
  await openAll(6, open);
  const { socket, received } = await open("127.0.0.2");
  socket.write("GARBAGE\r\n\r\n");
  await vi.waitFor(() => expect(received()).toContain("HTTP/1.1 400"));
});

it("A refused connection beyond the one that may wait is closed without an answer", async () => {
  const { open } = await limited(false);
  await openAll(6, open);
  const [first, second] = await Promise.all([open(), open()]);
  await refused(first);
  if (!second.socket.destroyed) await once(second.socket, "close");
  expect(second.received()).toBe("");
});
