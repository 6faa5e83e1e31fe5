import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { Server as HttpServer } from "node:http";
import { Server as HttpsServer } from "node:https";
import { expect, it, onTestFinished, vi } from "vitest";
import { serve, type RunningServer } from "../../src/server/index.ts";

const PATH = "/.well-known/openid-configuration";

async function start(https = false): Promise<RunningServer> {
  const server = await serve({ port: 0, store: "memory", https });
  onTestFinished(() => server.close());
  return server;
}

/** Resolves on a close or an error: a reset connection ends with an error. */
function closed(socket: Socket): Promise<void> {
  return new Promise((resolve) => socket.on("error", () => undefined).once("close", () => resolve()));
}

it.each([false, true])(
  "close() does not wait for a connection that never sent a request (https: %s)",
  async (https) => {
    const server = await start(https);
    const socket = connect(server.port, "127.0.0.1").on("error", () => undefined);
    await once(socket, "connect");
    const { prototype } = https ? HttpsServer : HttpServer;
    const closedAll = vi.spyOn(prototype, "closeAllConnections");
    onTestFinished(() => closedAll.mockRestore());
    await server.close();
    // Which it does after the ten seconds that it gives to requests.
    expect(closedAll).not.toHaveBeenCalled();
    expect(socket.destroyed || (await once(socket, "close"))).toBeTruthy();
  },
);

it("close() answers requests sent before it on new and on kept connections", async () => {
  const server = await start();
  const request = `GET ${PATH} HTTP/1.1\r\nHost: localhost:${server.port}\r\n\r\n`;
  const kept = connect(server.port, "127.0.0.1").setEncoding("latin1");
  let onKept = "";
  kept.on("data", (text: string) => (onKept += text)).write(request);
  while (!onKept.includes("\r\n\r\n{")) await once(kept, "data");
  const sockets = Array.from({ length: 50 }, () => connect(server.port, "127.0.0.1").setEncoding("latin1"));
  const answers = sockets.map(async (socket) => {
    let text = "";
    socket.on("data", (part: string) => (text += part)).on("error", () => undefined);
    await once(socket, "connect");
    socket.write(request);
    return { text: () => text, end: closed(socket) };
  });
  const sent = await Promise.all(answers);
  kept.write(request);
  await Promise.all([server.close(), ...sent.map(({ end }) => end), closed(kept)]);
  expect(sent.filter(({ text }) => text().startsWith("HTTP/1.1 200")).length).toBe(50);
  expect(onKept.split("HTTP/1.1 200").length - 1).toBe(2);
  expect(onKept).toMatch(/connection: close/i);
});
