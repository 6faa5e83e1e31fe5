// Below the faces: a client is given 25 ms where a server gives it seconds.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { setTimeout as delay } from "node:timers/promises";
import { describe, expect, it, onTestFinished } from "vitest";
import { watch } from "../../src/server/http/connections.ts";
import { serverOf, userId } from "../_many-users.ts";
import {
  DISCOVERY,
  exchange,
  KEY,
  KEYED,
  open,
  parseReplies,
  post,
  type Reply,
  server,
  shown,
  VERIFY,
  warnings,
  useServer,
} from "../_raw-http.ts";
import { temporaryDirectory } from "../_files.ts";
import { BIN } from "../_paths.ts";
import { seedFile } from "../_seed-file.ts";
import { ask } from "../_sockets.ts";

useServer();

it("A request sent during a long response does not get into that response", async () => {
  const { port } = await serverOf(5_000, () => "n".repeat(2_000));
  const { socket, received } = open(port, `GET /api/v1/users HTTP/1.1\r\nHost: {host}\r\n${KEYED}\r\n`);
  await once(socket, "data");
  // The response exceeds all buffers on its way, so it is still being sent then.
  socket.pause();
  socket.write("GARBAGE\r\n\r\n");
  // The server reads it meanwhile.
  await delay(100);
  socket.resume();
  const [list] = parseReplies(await received);
  expect([list?.status, list?.headers["transfer-encoding"]]).toEqual([200, "chunked"]);
  expect(list?.body.includes("Bad request")).toBe(false);
});

describe("A client that disconnects does not log an error:", () => {
  it.each([
    ["in the middle of a header", "GET / HTTP/1.1\r\nHo"],
    ["before the last line", `GET / HTTP/1.1\r\nHost: {host}\r\n`],
    ["in the middle of a body", `${VERIFY}${KEYED}Content-Length: 50\r\n\r\n{"token":`],
    ["in the middle of a chunk", `${VERIFY}${KEYED}Transfer-Encoding: chunked\r\n\r\n20\r\n{"token":`],
    ["before an answer", `GET /api/v1/users HTTP/1.1\r\nHost: {host}\r\n${KEYED}\r\n`],
    [
      "before a deletion",
      `DELETE /api/v1/users/00000000-0000-4000-8000-00000000dead HTTP/1.1\r\nHost: {host}\r\n${KEYED}\r\n`,
    ],
    ["before it sends anything", ""],
  ])("%s", async (_, text) => {
    for (const goodbye of ["end", "destroy", "resetAndDestroy"] as const) {
      const { socket, received } = open(server.port, text);
      await once(socket, "connect");
      // Long enough for the server to have read it.
      await delay(20);
      socket[goodbye]();
      await received;
    }
    await shown(server);
    // A warning may come behind the answers.
    await delay(20);
    expect(warnings).toEqual([]);
  });

  it("in a body with invalid framing", async () => {
    for (const body of ["zz\r\n", "1\r\n{}\r\n", `2\r\n{}\r\n0\r\n: x\r\n\r\n`]) {
      await exchange(server.port, post(`${KEYED}Transfer-Encoding: chunked\r\n`, body));
    }
    await shown(server);
    expect(warnings).toEqual([]);
  });
});

/** Sends a piece repeatedly until the server closes the connection. */
async function drip(port: number, begin: string, piece: string): Promise<Reply[]> {
  const { socket, received } = open(port, begin);
  const dripping = setInterval(() => socket.write(piece), 25);
  try {
    return parseReplies(await received);
  } finally {
    clearInterval(dripping);
  }
}

it("A slow client is disconnected in headers, in bodies and between requests, while others are answered", async () => {
  const hasty = await serverOf(1);
  // By looks of its own, 20 times as often: security/held-connections waits for the real times.
  hasty.server.on("connection", (socket) => void watch(hasty.server, socket, true, undefined, 25));
  hasty.server.keepAliveTimeout = 250;
  const slow = Promise.all([
    drip(hasty.port, "GET / HTTP/1.1\r\nHost: {host}\r\n", "X: y\r\n"),
    drip(hasty.port, "G", ""),
    drip(hasty.port, `${VERIFY}${KEYED}Content-Length: 1000\r\n\r\n`, "x"),
    drip(hasty.port, `${VERIFY}${KEYED}Transfer-Encoding: chunked\r\n\r\n`, "1\r\nx\r\n"),
    drip(hasty.port, `GET ${DISCOVERY} HTTP/1.1\r\nHost: {host}\r\n\r\n`, ""),
  ]);
  const progress = { isDone: false };
  void slow.finally(() => (progress.isDone = true));
  let answered = 0;
  for (; !progress.isDone; await delay(20)) {
    const { status } = await ask(hasty.port, {
      path: `/api/v1/users/${userId(1)}`,
      headers: ["X-Service-Secret-Key", KEY],
    });
    expect(status).toBe(200);
    answered++;
  }
  expect(answered).toBeGreaterThan(0);
  const [headers, method, body, chunks, idle] = await slow;
  for (const replies of [headers, method, body, chunks])
    expect(replies.map((reply) => [reply.status, reply.body])).toEqual([[408, `{"error":"Request timeout"}`]]);
  expect(idle.map(({ status }) => status)).toEqual([200]);
});

describe("A body of a hundred megabytes", () => {
  const SIZE = 100 << 20;
  const PIECE = Buffer.alloc(1 << 16, "x");

  async function start(): Promise<{ port: number; pid: number }> {
    const flags = ["serve", "--json", "--port", "0", "--store", "memory", "--seed", seedFile()];
    const cwd = temporaryDirectory();
    const child = spawn(process.execPath, [BIN, ...flags], { cwd, stdio: ["ignore", "pipe", "inherit"] });
    onTestFinished(async () => {
      child.kill("SIGKILL");
      await once(child, "exit");
    });
    const [ready] = (await once(createInterface(child.stdout), "line")) as [string];
    return { port: (JSON.parse(ready) as { port: number }).port, pid: child.pid! };
  }

  /** Sends as long as possible, whatever comes back meanwhile. */
  async function upload(port: number, framing: "length" | "chunks", size: number): Promise<Reply[]> {
    const header = framing === "length" ? `Content-Length: ${size}` : "Transfer-Encoding: chunked";
    const { socket, received } = open(port, `${VERIFY}${KEYED}${header}\r\n\r\n`);
    for (let sent = 0; sent < size && socket.writable; sent += PIECE.length) {
      if (framing === "chunks") socket.write(`${PIECE.length.toString(16)}\r\n`);
      const goesOn = socket.write(PIECE);
      if (framing === "chunks") socket.write("\r\n");
      if (!goesOn) await Promise.race([received, new Promise((resolve) => socket.once("drain", resolve))]);
    }
    return parseReplies(await received);
  }

  const peakOf = (pid: number): number =>
    process.platform === "linux"
      ? Number(/VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) >> 10
      : 0;

  it("is refused readably and uses no memory, with a length and in chunks", async () => {
    const { port, pid } = await start();
    // What the first request loads is no part of it.
    await upload(port, "length", PIECE.length);
    const before = peakOf(pid);
    for (const framing of ["length", "chunks"] as const) {
      const replies = await upload(port, framing, SIZE);
      expect(replies.map(({ status, body }) => [status, body])).toEqual([[413, `{"error":"Body too large"}`]]);
    }
    expect(peakOf(pid) - before).toBeLessThanOrEqual(48);
  });
});
