import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { setTimeout as delay } from "node:timers/promises";
import { describe, expect, it, onTestFinished } from "vitest";
import { serve } from "../../src/server/serve.ts";
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
  stored,
  VERIFY,
  warnings,
  useServer,
} from "../_raw-http.ts";
import { temporaryDirectory } from "../_files.ts";
import { BIN } from "../_paths.ts";
import { seedFile } from "../_seed-file.ts";

useServer();

it("A request sent during a long response does not get into that response", async () => {
  const users = Array.from({ length: 20_000 }, (_, i) => ({ email: `u${i}@x.test`, name: "n".repeat(200) }));
  const seed = { instances: [{ name: "A", subdomain: "a", secret_key: KEY, users }] };
  const large = await serve({ port: 0, store: "memory", seed });
  onTestFinished(() => large.close());
  const { socket, received } = open(large.port, `GET /api/v1/users HTTP/1.1\r\nHost: {host}\r\n${KEYED}\r\n`);
  await once(socket, "data");
  // The response exceeds all buffers on its way, so it is still being sent then.
  socket.pause();
  socket.write("GARBAGE\r\n\r\n");
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
async function drip(begin: string, piece: string): Promise<Reply[]> {
  const { socket, received } = open(server.port, begin);
  const dripping = setInterval(() => socket.write(piece), 250);
  try {
    return parseReplies(await received);
  } finally {
    clearInterval(dripping);
  }
}

describe("slower: a slow client is disconnected", () => {
  it("in headers, in bodies and between requests, while others are answered", async () => {
    const slow = Promise.all([
      drip("GET / HTTP/1.1\r\nHost: {host}\r\n", "X: y\r\n"),
      drip("G", ""),
      drip(`${VERIFY}${KEYED}Content-Length: 1000\r\n\r\n`, "x"),
      drip(`${VERIFY}${KEYED}Transfer-Encoding: chunked\r\n\r\n`, "1\r\nx\r\n"),
      drip(`GET ${DISCOVERY} HTTP/1.1\r\nHost: {host}\r\n\r\n`, ""),
    ]);
    for (let i = 0; i < 50; i++) {
      expect(await shown(server)).toBe(stored);
      await Promise.race([slow, delay(200)]);
    }
    const [headers, method, body, chunks, idle] = await slow;
    const timeout = [[408, `{"error":"Request timeout"}`]];
    for (const replies of [headers, method, body, chunks]) {
      expect(replies.map((reply) => [reply.status, reply.body])).toEqual(timeout);
    }
    expect(idle.map(({ status }) => status)).toEqual([200]);
    expect(warnings).toEqual([]);
  });
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
  async function upload(port: number, framing: "length" | "chunks"): Promise<Reply[]> {
    const header = framing === "length" ? `Content-Length: ${SIZE}` : "Transfer-Encoding: chunked";
    const { socket, received } = open(port, `${VERIFY}${KEYED}${header}\r\n\r\n`);
    for (let sent = 0; sent < SIZE && socket.writable; sent += PIECE.length) {
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

  it.each(["length", "chunks"] as const)("with %s is refused readably and uses no memory", async (framing) => {
    const { port, pid } = await start();
    const replies = [await upload(port, framing)];
    const before = peakOf(pid);
    for (let i = 0; i < 3; i++) replies.push(await upload(port, framing));
    expect(peakOf(pid) - before).toBeLessThanOrEqual(48);
    expect(replies.map(([reply]) => [reply?.status, reply?.body])).toEqual(
      Array.from({ length: 4 }, () => [413, `{"error":"Body too large"}`]),
    );
    expect(replies.map(({ length }) => length)).toEqual([1, 1, 1, 1]);
  });
});
