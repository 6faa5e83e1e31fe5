// Below the faces: what is left unread must be there at the very moment of the answer.
import { once } from "node:events";
import { createServer } from "node:http";
import { connect, type AddressInfo, type Socket } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { expect, it, onTestFinished } from "vitest";
import { settleConnection } from "../../src/server/http/listener.ts";
import { takeRequest, track } from "../../src/server/http/sockets.ts";

interface Client {
  readonly client: Socket;
  readonly received: () => string;
  readonly faults: Error[];
  readonly closed: Promise<unknown>;
}

/** A client of a server that answers every request with "No", and leaves its connections to what is tested. */
async function clientOf(isLast: boolean): Promise<Client> {
  const server = createServer((request, response) => {
    takeRequest(request.socket, response);
    // By then Node has read the end of a request without a body, as it has when a service answers.
    setImmediate(() => void Promise.resolve(settleConnection(response, () => isLast)).then(() => response.end("No")));
  });
  server.on("connection", (socket) => void track(server, socket, true));
  await once(server.listen(0, "127.0.0.1"), "listening");
  const { port } = server.address() as AddressInfo;
  const client = connect({ port, host: "127.0.0.1", allowHalfOpen: true }).setEncoding("latin1");
  onTestFinished(() => {
    client.destroy();
    server.close().closeAllConnections();
  });
  const faults: Error[] = [];
  let text = "";
  client.on("error", (error) => faults.push(error)).on("data", (piece: string) => (text += piece));
  return { client, received: () => text, faults, closed: new Promise((resolve) => client.once("close", resolve)) };
}

it.each([
  [true, "close"],
  [false, "keep-alive"],
])("The answer to a whole request says whether it is the last of its connection: %s", async (isLast, connection) => {
  const { client, received } = await clientOf(isLast);
  client.write("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
  await expect.poll(received).toMatch(/\r\n\r\n.*No/s);
  expect(/^Connection: (.*)\r$/im.exec(received())?.[1]).toBe(connection);
});

it("A client that is still sending a body that was refused gets the answer, and is not reset", async () => {
  const { client, received, faults, closed } = await clientOf(false);
  const ended = new Promise((resolve) => client.once("end", resolve));
  const piece = "x".repeat(1 << 16);
  client.write(`POST / HTTP/1.1\r\nHost: x\r\nContent-Length: ${6 * piece.length}\r\n\r\n${piece}`);
  await Promise.race([ended, closed]);
  for (let n = 0; n < 5; n++) {
    // A reset that one piece causes is met by the next.
    await delay(20);
    client.write(piece);
  }
  client.end();
  await closed;
  expect(received()).toMatch(/^HTTP\/1\.1 200 OK\r\nConnection: close\r\n.*No/is);
  expect(faults).toEqual([]);
});
