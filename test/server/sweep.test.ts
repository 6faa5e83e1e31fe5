// Below the faces: the looks at a connection are held, and made one by one.
import { once } from "node:events";
import { createServer, type RequestListener, type Server } from "node:http";
import { connect, type AddressInfo, type Socket } from "node:net";
import { expect, it, onTestFinished, vi } from "vitest";
import { openConnections, takeRequest, type OpenConnection } from "../../src/server/http/sockets.ts";
import { watch } from "../../src/server/http/connections.ts";
import { heldIntervals, LOOK_MS } from "../_held-intervals.ts";

interface Swept {
  readonly client: Socket;
  readonly connection: OpenConnection;
  readonly refuse: ReturnType<typeof vi.fn>;
  /** Has the connection looked at as often as in that time. */
  pass(milliseconds: number): void;
}

/** A connection to a server, at which the test alone looks. */
async function swept(sent: string, answer: RequestListener = () => {}): Promise<Swept> {
  const looks = heldIntervals(LOOK_MS);
  const refuse = vi.fn();
  const server: Server = createServer((request, response) => {
    takeRequest(request.socket, response);
    answer(request, response);
  });
  server.on("connection", (socket) => void watch(server, socket, true, refuse));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const client = connect((server.address() as AddressInfo).port, "127.0.0.1");
  onTestFinished(() => {
    client.destroy();
    server.close().closeAllConnections();
  });
  client.on("error", () => {}).pause();
  client.write(sent);
  const connection = await vi.waitFor(() => {
    const [first] = openConnections(server);
    expect(first?.socket.bytesRead).toBe(sent.length);
    return first!;
  });
  const [look] = looks();
  const pass = (milliseconds: number): void => {
    for (let passed = 0; passed < milliseconds; passed += LOOK_MS) look!();
  };
  return { client, connection, refuse, pass };
}

it.each([
  ["The head of a request", "GET / HTTP/1.1\r\nX: y\r\n", 5_000],
  ["The body of a request", "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n{", 10_000],
])("T54: %s that does not end is refused after its time", async (_, sent, time) => {
  const { refuse, pass } = await swept(sent);
  pass(time);
  expect(refuse).not.toHaveBeenCalled();
  pass(500);
  expect(refuse).toHaveBeenCalledOnce();
});

it("T54: A client that takes nothing of its answer for eight seconds is closed", async () => {
  const { client, connection, pass } = await swept("GET / HTTP/1.1\r\nHost: x\r\n\r\n", (_, response) =>
    response.end(Buffer.alloc(32 << 20)),
  );
  let taken = -1;
  await vi.waitFor(() => {
    const { bytesWritten, writableLength } = connection.socket;
    const before = taken;
    taken = bytesWritten - writableLength;
    expect([writableLength > 0, taken]).toEqual([true, before]);
  });
  pass(8_000);
  expect(connection.socket.destroyed).toBe(false);
  pass(500);
  expect(connection.socket.destroyed).toBe(true);
  client.resume();
});

it("T54: A connection that has ended is destroyed a second later, although the client keeps its half open", async () => {
  const { connection, pass } = await swept("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
  connection.socket.end("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
  await vi.waitFor(() => expect(connection.socket.writableFinished).toBe(true));
  pass(1_000);
  expect(connection.socket.destroyed).toBe(false);
  pass(500);
  expect(connection.socket.destroyed).toBe(true);
});
