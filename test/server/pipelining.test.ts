import { connect, type Socket } from "node:net";
import { expect, it, onTestFinished } from "vitest";
import { serve, type RunningServer } from "../../src/server/index.ts";

const PATH = "/.well-known/openid-configuration";

async function start(): Promise<RunningServer> {
  const server = await serve({ port: 0, store: "memory" });
  onTestFinished(() => server.close());
  return server;
}

/** Resolves on a close or an error: a reset connection ends with an error. */
function closed(socket: Socket): Promise<void> {
  return new Promise((resolve) => socket.once("close", () => resolve()));
}

/** Sends pipelined requests. @returns the number of responses before the connection closed */
async function pipeline({ port }: RunningServer, count: number): Promise<number> {
  const socket = connect(port, "127.0.0.1").setEncoding("latin1");
  let text = "";
  socket.on("data", (chunk: string) => (text += chunk)).on("error", () => undefined);
  const request = `GET ${PATH} HTTP/1.1\r\nHost: localhost:${port}\r\n\r\n`;
  const last = `GET ${PATH} HTTP/1.1\r\nHost: localhost:${port}\r\nConnection: close\r\n\r\n`;
  socket.write(request.repeat(count - 1) + last);
  await closed(socket);
  return text.split("HTTP/1.1 200").length - 1;
}

it("The server answers 64 pipelined requests in order", async () => {
  expect(await pipeline(await start(), 64)).toBe(64);
});

it("The server closes a connection with more than 64 unanswered pipelined requests", async () => {
  expect(await pipeline(await start(), 1_000)).toBeLessThanOrEqual(64);
});

it("The server answers others while twenty connections send megabytes of requests and read nothing", async () => {
  const server = await start();
  const request = `GET ${PATH} HTTP/1.1\r\nHost: localhost:${server.port}\r\n\r\n`;
  const flood = Buffer.from(request.repeat(Math.ceil(200_000 / request.length)));
  const sockets = Array.from({ length: 20 }, () => connect(server.port, "127.0.0.1").on("error", () => undefined));
  const allClosed = Promise.all(sockets.map(closed));
  for (const socket of sockets) socket.pause().write(flood);
  const answer = await fetch(`http://127.0.0.1:${server.port}${PATH}`);
  expect(answer.status).toBe(200);
  for (const socket of sockets) socket.resume();
  await allClosed;
});
