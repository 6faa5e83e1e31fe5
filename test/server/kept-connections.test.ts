import { setTimeout as delay } from "node:timers/promises";
import { expect, it, describe, onTestFinished } from "vitest";
import { serve } from "../../src/server/index.ts";
import { CLOSE, DISCOVERY, KEYED, open, parseReplies, server, useServer, VERIFY, type Reply } from "../_raw-http.ts";
import { SEED } from "../_setup.ts";

useServer();

const ADA = "/api/v1/users/00000000-0000-4000-8000-0000000000a1";
const HOST = "HTTP/1.1\r\nHost: {host}\r\n";
/** It would be executed if a server took what it did not read for the next request. */
const REMOVE = `DELETE ${ADA} HTTP/1.1\r\nHost: localhost\r\n${KEYED}\r\n`;
const LENGTH = `Content-Length: ${REMOVE.length}\r\n`;
const CHUNKED = "Transfer-Encoding: chunked\r\n";
const GOOD = `GET ${DISCOVERY} ${HOST}${CLOSE}\r\n`;
const SMALL = 65_536;

function chunk(text: string): string {
  return `${text.length.toString(16)}\r\n${text}\r\n`;
}

/** What the server sends to a head, to the pieces of a body that follow it, and to a request that follows its answer. */
async function talk(port: number, head: string, pieces: readonly string[], next: string): Promise<Reply[]> {
  const { socket, received } = open(port, `${head}\r\n`);
  const answered = new Promise<void>((resolve) => {
    let text = "";
    socket.on("data", (data: string) => {
      text += data;
      if (/^(?:HTTP\/1\.1 100 .*\r\n\r\n)?HTTP\/1\.1 [2-5].*\r\n\r\n/s.test(text)) resolve();
    });
  });
  for (const piece of pieces) {
    // In a packet of its own, as most clients send a body.
    await delay(20);
    socket.write(piece.replaceAll("{host}", `localhost:${port}`), "latin1");
  }
  await Promise.race([answered, received]);
  // What is left of the answer arrives first.
  await delay(20);
  socket.write(next.replaceAll("{host}", `localhost:${port}`), "latin1");
  return parseReplies(await received);
}

type Case = [name: string, head: string, pieces: string[], status: number];

const LIVES: Case[] = [
  ["no key", VERIFY + LENGTH, [REMOVE], 401],
  ["an unknown key", `${VERIFY}X-Service-Secret-Key: sk_x\r\n${LENGTH}`, [REMOVE], 401],
  ["no key, in chunks", VERIFY + CHUNKED, [chunk(REMOVE), "0\r\n\r\n"], 401],
  ["no key, and trailers", VERIFY + CHUNKED, [chunk(REMOVE), `0\r\n${KEYED}\r\n`], 401],
  ["no key, and no bytes", `${VERIFY}Content-Length: 0\r\n`, [], 401],
  ["no key, and no chunk", VERIFY + CHUNKED, ["0\r\n\r\n"], 401],
  ["no key, in many pieces", VERIFY + LENGTH, [REMOVE.slice(0, 5), REMOVE.slice(5, 90), REMOVE.slice(90)], 401],
  ["no key, and 64 KiB", `${VERIFY}Content-Length: ${SMALL}\r\n`, [REMOVE.padEnd(SMALL)], 401],
  ["no key, and 64 KiB in chunks", VERIFY + CHUNKED, [chunk(REMOVE.padEnd(SMALL)), "0\r\n\r\n"], 401],
  ["no key, and the body in the head's packet", `${VERIFY}${LENGTH}\r\n${REMOVE.slice(0, -2)}`, [], 401],
  ["a type that is not taken", VERIFY + KEYED.replace("json", "xml") + LENGTH, [REMOVE], 415],
  ["what is not JSON", VERIFY + KEYED + LENGTH, [REMOVE], 400],
  ["a path that is not found", `POST /nope ${HOST}${LENGTH}`, [REMOVE], 404],
  ["a path that is not taken", `POST /api/v1/%2e%2e/x ${HOST}${LENGTH}`, [REMOVE], 404],
  ["a method that is not allowed", `PUT ${ADA} ${HOST}${KEYED}${LENGTH}`, [REMOVE], 405],
  [
    "a method that is not allowed, in chunks",
    `PATCH ${ADA} ${HOST}${KEYED}${CHUNKED}`,
    [chunk(REMOVE), "0\r\n\r\n"],
    405,
  ],
  ["a deletion without a key", `DELETE ${ADA} ${HOST}${LENGTH}`, [REMOVE], 401],
  ["a user, with a body", `GET ${ADA} ${HOST}${KEYED}${LENGTH}`, [REMOVE], 200],
  ["a user, with chunks", `GET ${ADA} ${HOST}${KEYED}${CHUNKED}`, [chunk(REMOVE), "0\r\n\r\n"], 200],
  ["a list, with a body", `GET /api/v1/users ${HOST}${KEYED}${LENGTH}`, [REMOVE], 200],
  ["a page, with a body", `GET / ${HOST}Accept: text/html\r\n${LENGTH}`, [REMOVE], 200],
  ["a probe, with a body", `GET /__svc/health/live ${HOST}${LENGTH}`, [REMOVE], 200],
  ["a callback that is no GET", `POST /oauth/google/callback ${HOST}${LENGTH}`, [REMOVE], 405],
  ["the control API without its key", `POST /__svc/v1/reset ${HOST}${LENGTH}`, [REMOVE], 401],
  ["a strange host", `POST / HTTP/1.1\r\nHost: evil.example\r\n${LENGTH}`, [REMOVE], 421],
  ["a WebSocket", `GET / ${HOST}Sec-WebSocket-Key: x\r\n${LENGTH}`, [REMOVE], 400],
];

describe("A connection lives behind an answer to a request whose small body nobody wanted:", () => {
  it.each(LIVES)("%s", async (_, head, pieces, status) => {
    const replies = await talk(server.port, head, pieces, GOOD);
    expect(replies.map((reply) => [reply.status, reply.headers["connection"]])).toEqual([
      [status, "keep-alive"],
      [200, "close"],
    ]);
  });

  it("a HEAD, whose answer has no body either", async () => {
    const { socket, received } = open(server.port, `HEAD /__svc/health/live ${HOST}${LENGTH}\r\n`);
    // In a packet of its own.
    await delay(20);
    socket.write(REMOVE + GOOD.replaceAll("{host}", `localhost:${server.port}`));
    expect((await received).match(/^HTTP\/1\.1 \d+/gm)).toEqual(["HTTP/1.1 200", "HTTP/1.1 200"]);
  });
});

const CLOSES: Case[] = [
  ["a body of more than 64 KiB", `${VERIFY}Content-Length: ${SMALL + 1}\r\n`, [REMOVE], 401],
  ["more than 64 KiB in chunks", VERIFY + CHUNKED, [chunk(REMOVE.padEnd(SMALL + 1))], 401],
  ["a body that is too large for its route", `${VERIFY}${KEYED}Content-Length: ${SMALL + 1}\r\n`, [REMOVE], 413],
  ["chunks too large for their route", VERIFY + KEYED + CHUNKED, [chunk(REMOVE.padEnd(SMALL + 1))], 413],
  ["an expectation", `${VERIFY}Expect: 100-continue\r\n${LENGTH}`, [], 401],
  ["bad framing", VERIFY + CHUNKED, [`zz\r\n${REMOVE}`], 400],
  ["bad framing behind a good chunk", VERIFY + CHUNKED, [chunk(REMOVE), `zz\r\n${REMOVE}`], 400],
  ["two hosts", `${VERIFY}Host: {host}\r\n${LENGTH}`, [REMOVE], 400],
  ["two lengths", `${VERIFY}${LENGTH}${LENGTH}`, [REMOVE], 400],
];

/** The same, once the server has waited a second for the rest. */
const WAITS: Case[] = [
  ["a body that does not come", VERIFY + LENGTH, [], 401],
  ["half a body", VERIFY + LENGTH, [REMOVE.slice(0, 40)], 401],
  ["chunks that do not end", VERIFY + CHUNKED, [chunk(REMOVE)], 401],
  ["chunks that do not end, to a page", `GET / ${HOST}${CHUNKED}`, [chunk(REMOVE)], 200],
];

describe("An answer that ends its connection says so, and what follows is not executed:", () => {
  /** The status and the end of each reply to a case. */
  async function endsOf([, head, pieces]: Case): Promise<unknown[][]> {
    const replies = (await talk(server.port, head, pieces, REMOVE)).filter((reply) => reply.status !== 100);
    return replies.map((reply) => [reply.status, reply.headers["connection"]?.toLowerCase()]);
  }

  it.each(CLOSES)("%s", async (...one) => {
    expect(await endsOf(one)).toEqual([[one[3], "close"]]);
  });

  it("bodies without an end, all at once", async () => {
    const ends = await Promise.all(WAITS.map(async (one) => [one[0], await endsOf(one)]));
    expect(ends).toEqual(WAITS.map(([name, , , status]) => [name, [[status, "close"]]]));
  });
});

it("A server that stops waits for no body", async () => {
  const stopping = await serve({ port: 0, store: "memory", seed: SEED as never });
  const before = open(stopping.port, "");
  await new Promise((resolve) => before.socket.once("connect", resolve));
  const closed = stopping.close({ drainMs: 500 });
  onTestFinished(() => closed);
  before.socket.write(`${VERIFY.replace("{host}", `localhost:${stopping.port}`)}${LENGTH}\r\n`);
  const replies = parseReplies(await before.received);
  expect(replies.map((reply) => [reply.status, reply.headers["connection"]])).toEqual([[401, "close"]]);
});
