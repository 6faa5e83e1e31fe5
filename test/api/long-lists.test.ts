import { connect, type Socket } from "node:net";
import { once } from "node:events";
import { setTimeout as delay } from "node:timers/promises";
import { expect, it, onTestFinished } from "vitest";
import { heldIntervals, LOOK_MS } from "../_held-intervals.ts";
import { SECRET_KEY, serverOf, userId } from "../_many-users.ts";
import { ask } from "../_sockets.ts";

const MANY = 60_000;
const SEVERAL = 20_000;
const KEYED = ["X-Service-Secret-Key", SECRET_KEY];

/** A list requested over a socket and not read until the socket is resumed. */
function listing(port: number, path = "/api/v1/users"): Socket {
  const socket = connect(port, "127.0.0.1").on("error", () => undefined);
  onTestFinished(() => void socket.destroy());
  socket
    .pause()
    .write(
      `GET ${path} HTTP/1.1\r\nHost: localhost:${port}\r\nX-Service-Secret-Key: ${SECRET_KEY}\r\nConnection: close\r\n\r\n`,
    );
  return socket;
}

async function signIn(port: number): Promise<string> {
  const callback = "http://localhost:3000/callback";
  let location = `/oauth/authorize?${new URLSearchParams({ provider: "google", redirect_uri: callback, login_hint: "ada" }).toString()}`;
  while (!location.startsWith(callback))
    location = String((await ask(port, { path: location })).headers["location"]).replace(
      `http://localhost:${port}`,
      "",
    );
  return location;
}

it.each([
  [MANY, "/api/v1/users"],
  [SEVERAL, "/api/v1/users/search?query=name:*u*"],
  [SEVERAL, "/api/v1/users/search?query=-name:absent"],
])(
  "other clients can sign in and read users while one client gets %i of them from %s",
  { timeout: 120_000 },
  async (count, path) => {
    const { port } = await serverOf(count);
    const long = listing(port, path);
    let received = "";
    const progress = { isDone: false };
    long
      .setEncoding("latin1")
      .on("data", (text: string) => (received += text))
      .once("close", () => (progress.isDone = true))
      .resume();
    await once(long, "data");
    let answers = 0;
    while (!progress.isDone) {
      const answer = await ask(port, { path: `/api/v1/users/${userId(7)}`, headers: KEYED });
      expect(answer.status).toBe(200);
      expect(await signIn(port)).toContain("token=");
      if (!progress.isDone) answers++;
    }
    expect(received.match(/"email":/g)).toHaveLength(count);
    expect(answers).toBeGreaterThan(0);
  },
);

it("two long lists take turns: the second sends rows before the first ends", { timeout: 120_000 }, async () => {
  const { port } = await serverOf(SEVERAL);
  const [first, second] = [listing(port), listing(port)];
  const progress = [0, 0];
  const order: number[] = [];
  for (const [n, socket] of [first, second].entries()) {
    socket.on("data", ({ length }: Buffer) => (progress[n]! += length)).once("close", () => order.push(n));
    socket.resume();
  }
  await Promise.race([once(first, "close"), once(second, "close")]);
  const [ended, other] = order[0] === 0 ? [progress[0]!, progress[1]!] : [progress[1]!, progress[0]!];
  expect(other).toBeGreaterThan(ended / 4);
});

it("a list that starts while a long list is sent does not wait for it", { timeout: 120_000 }, async () => {
  const { port } = await serverOf(SEVERAL);
  const long = listing(port);
  let isDone = false;
  long.once("close", () => (isDone = true)).resume();
  await once(long, "data");
  for (let n = 0; n < 5; n++) {
    const { status, body } = await ask(port, { path: "/api/v1/users?limit=100", headers: KEYED });
    expect([status, (JSON.parse(body) as unknown[]).length, isDone]).toEqual([200, 100, false]);
  }
});

it("the server stops producing 25 unread lists at a bound", { timeout: 120_000 }, async () => {
  const LISTS = 25;
  // Otherwise a list that nobody reads is closed after a time, in which a busy machine has not begun the others.
  heldIntervals(LOOK_MS);
  const { server, port } = await serverOf(MANY);
  server.timeout = 0;
  const sockets = new Set<Socket>();
  server.on("connection", (socket: Socket) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
  });
  const clients = Array.from({ length: LISTS }, () => listing(port));
  /** Bytes the server has produced: sent to the system's buffers, or waiting in the process. */
  const produced = (): { all: number; waiting: number }[] =>
    [...sockets].map((socket) => ({ all: socket.bytesWritten, waiting: socket.writableLength }));
  const total = (): number => produced().reduce((sum, { all }) => sum + all, 0);
  while (sockets.size < LISTS || produced().some(({ waiting }) => waiting === 0)) await delay(20);
  // Now all are stuck: nothing may be added over many turns in which others are answered.
  const before = total();
  for (let n = 0; n < 20; n++)
    expect((await ask(port, { path: `/api/v1/users/${userId(7)}`, headers: KEYED })).status).toBe(200);
  const own = produced().slice(0, LISTS);
  expect(own.reduce((sum, { all }) => sum + all, 0)).toBe(before);
  expect(Math.max(...own.map(({ waiting }) => waiting))).toBeLessThan(512 << 10);
  // A client that reads again gets the rest.
  let received = "";
  clients[0]!
    .setEncoding("latin1")
    .on("data", (text: string) => (received += text))
    .resume();
  await once(clients[0]!, "close");
  expect(received.match(/"email":/g)).toHaveLength(MANY);
});
