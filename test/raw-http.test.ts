import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { serve, type RunningServer } from "../src/server/serve.ts";
import { SEED } from "./_setup.ts";

const KEY = SEED.instances[0]!.secret_key;
const ADA = "/api/v1/users/00000000-0000-4000-8000-0000000000a1";
const DISCOVERY = "/.well-known/openid-configuration";
const VERIFY = "POST /api/v1/tokens/verify HTTP/1.1\r\nHost: {host}\r\n";
const KEYED = `X-Service-Secret-Key: ${KEY}\r\nContent-Type: application/json\r\n`;
const CLOSE = "Connection: close\r\n";

interface Reply {
  status: number;
  headers: Record<string, string>;
  body: string;
}

/** The replies in what a server sent. The last one may be cut off; anything else that is no reply throws. */
function parseReplies(text: string): Reply[] {
  const replies: Reply[] = [];
  for (let rest = text; rest !== "";) {
    const end = rest.indexOf("\r\n\r\n");
    const [first = "", ...lines] = rest.slice(0, end).split("\r\n");
    const status = /^HTTP\/1\.1 (\d{3}) /.exec(first)?.[1];
    if (end < 0 || status === undefined) throw new Error(`no reply: ${rest.slice(0, 200)}`);
    const headers = Object.fromEntries(
      lines.map((line) => [line.split(": ")[0]!.toLowerCase(), line.slice(line.indexOf(": ") + 2)]),
    );
    rest = rest.slice(end + 4);
    let body = "";
    if (headers["transfer-encoding"] === "chunked") [body, rest] = takeChunks(rest);
    else {
      const length = Number(headers["content-length"] ?? 0);
      [body, rest] = [rest.slice(0, length), rest.slice(length)];
    }
    replies.push({ status: Number(status), headers, body });
  }
  return replies;
}

function takeChunks(text: string): [body: string, rest: string] {
  let body = "";
  for (let at = 0; ;) {
    const line = /^([0-9a-f]*)(\r\n)?/i.exec(text.slice(at, at + 20));
    if (line?.[2] === undefined) {
      if (text.length - at < 10 && line?.[0] === text.slice(at)) return [body, ""];
      throw new Error(`no chunk: ${text.slice(at, at + 200)}`);
    }
    const start = at + line[0].length;
    const length = Number.parseInt(line[1]!, 16);
    if (length === 0) return [body, text.slice(start + 2)];
    body += text.slice(start, start + length);
    at = start + length + 2;
    if (at > text.length) return [body, ""];
    if (text.slice(at - 2, at) !== "\r\n") throw new Error(`no chunk's end: ${text.slice(at - 2, at + 200)}`);
  }
}

interface Opened {
  readonly socket: Socket;
  /** All that came, once the connection is closed, however that happened. */
  readonly received: Promise<string>;
}

/** A connection over which bytes are sent; `{host}` stands for the server's own host. */
function open(port: number, text: string): Opened {
  const socket = connect(port, "127.0.0.1").setEncoding("latin1");
  socket.write(text.replaceAll("{host}", `localhost:${port}`), "latin1");
  let all = "";
  socket.on("data", (chunk: string) => (all += chunk)).on("error", () => undefined);
  return { socket, received: new Promise((resolve) => socket.on("close", () => resolve(all))) };
}

async function exchange(port: number, text: string): Promise<Reply[]> {
  return parseReplies(await open(port, text).received);
}

function seedFile(seed: object): string {
  const directory = mkdtempSync(join(tmpdir(), "svc-raw-"));
  onCleanup(() => rmSync(directory, { recursive: true, force: true }));
  writeFileSync(join(directory, "seed.json"), JSON.stringify(seed));
  return join(directory, "seed.json");
}

const cleanups: (() => unknown)[] = [];
const onCleanup = (cleanup: () => unknown): unknown => cleanups.push(cleanup);
afterAll(async () => {
  for (const cleanup of cleanups.toReversed()) await cleanup();
});

const warnings: string[] = [];
let server: RunningServer;
let stored: string;

/** All that the API shows of the store; also the good request that must always be answered. */
async function shown({ port }: RunningServer): Promise<string> {
  const headers = { "x-service-secret-key": KEY };
  const paths = ["/api/v1/users", "/api/v1/sessions", DISCOVERY];
  const answers = await Promise.all(paths.map((path) => fetch(`http://127.0.0.1:${port}${path}`, { headers })));
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
  return (await Promise.all(answers.map((answer) => answer.text()))).join("\n");
}

beforeAll(async () => {
  server = await serve({ port: 0, store: "memory", seed: seedFile(SEED), warn: (message) => warnings.push(message) });
  onCleanup(() => server.close());
  stored = await shown(server);
});

beforeEach(() => {
  warnings.length = 0;
});

afterEach(async () => {
  expect(await shown(server)).toBe(stored);
});

type Expected = [status: number, error: string];
type Case = [name: string, text: string, ...replies: Expected[]];

const BAD: Expected = [400, "Bad request"];
const TOO_LARGE: Expected = [413, "Body too large"];
const TOO_LONG: Expected = [431, "Request headers too large"];
const NOT_OURS: Expected = [421, "Unknown host: this server does not answer for it; add it with --allowed-host"];
const NO_KEY: Expected = [401, "Missing secret key"];

function get(path: string, headers = ""): string {
  return `GET ${path} HTTP/1.1\r\nHost: {host}\r\n${headers}${CLOSE}\r\n`;
}

/** A verification with whatever framing, whose body would be `{}`. */
function post(headers: string, body = "{}"): string {
  return `${VERIFY}${headers}${CLOSE}\r\n${body}`;
}

const HOSTS: Case[] = [
  ["two hosts", `GET / HTTP/1.1\r\nHost: {host}\r\nHost: evil.example\r\n\r\n`, BAD],
  ["a strange host first", `GET / HTTP/1.1\r\nHost: evil.example\r\nHost: {host}\r\n\r\n`, BAD],
  ["the same host twice", `GET / HTTP/1.1\r\nHost: {host}\r\nhost: {host}\r\n\r\n`, BAD],
  ["no host", `GET / HTTP/1.1\r\n\r\n`, BAD],
  ["no host in HTTP/1.0", `GET / HTTP/1.0\r\n\r\n`, BAD],
  ["an empty host", `GET / HTTP/1.1\r\nHost:\r\n${CLOSE}\r\n`, NOT_OURS],
  ["a host with a path", `GET / HTTP/1.1\r\nHost: {host}/x\r\n${CLOSE}\r\n`, NOT_OURS],
  ["a host of 9,000 characters", `GET / HTTP/1.1\r\nHost: ${"a".repeat(9000)}\r\n${CLOSE}\r\n`, NOT_OURS],
  ["another authority in the target", `GET http://evil.example${ADA} HTTP/1.1\r\nHost: {host}\r\n\r\n`, BAD],
  ["another port in the target", `GET http://localhost:1${ADA} HTTP/1.1\r\nHost: {host}\r\n\r\n`, BAD],
  ["a strange host behind ours in the target", `GET http://{host}${ADA} HTTP/1.1\r\nHost: evil.example\r\n\r\n`, BAD],
  ["a user name in the target", `GET http://evil:x@{host}${ADA} HTTP/1.1\r\nHost: {host}\r\n${CLOSE}\r\n`, BAD],
  ["another scheme in the target", `GET ftp://{host}${ADA} HTTP/1.1\r\nHost: {host}\r\n\r\n`, BAD],
  ["a target that is no path", `GET api/v1/users HTTP/1.1\r\nHost: {host}\r\n\r\n`, BAD],
];

const FRAMING: Case[] = [
  ["a length and chunks", post("Content-Length: 2\r\nTransfer-Encoding: chunked\r\n", "0\r\n\r\n"), BAD],
  ["chunks and a length", post("Transfer-Encoding: chunked\r\nContent-Length: 2\r\n", "0\r\n\r\n"), BAD],
  ["two lengths", post("Content-Length: 2\r\nContent-Length: 3\r\n"), BAD],
  ["the same length twice", post("Content-Length: 2\r\nContent-Length: 2\r\n"), BAD],
  ["a list of lengths", post("Content-Length: 2, 2\r\n"), BAD],
  ["a length with a sign", post("Content-Length: +2\r\n"), BAD],
  ["a negative length", post("Content-Length: -2\r\n"), BAD],
  ["a hexadecimal length", post("Content-Length: 0x2\r\n"), BAD],
  ["a length beyond all numbers", post(`Content-Length: ${"9".repeat(40)}\r\n`), BAD],
  ["identity before chunked", post("Transfer-Encoding: identity, chunked\r\n", "0\r\n\r\n"), BAD],
  ["gzip before chunked", post("Transfer-Encoding: gzip, chunked\r\n", "0\r\n\r\n"), BAD],
  ["gzip alone", post("Transfer-Encoding: gzip\r\n"), BAD],
  ["an encoding that looks like chunked", post("Transfer-Encoding: xchunked\r\n"), BAD],
  ["chunked in one word with more", post("Transfer-Encoding: chunked;x\r\n"), BAD],
  ["chunked twice", post("Transfer-Encoding: chunked, chunked\r\n", "0\r\n\r\n"), BAD],
  ["chunked in two lines", post("Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n", "0\r\n\r\n"), BAD],
  ["a chunk without a size", post(`${KEYED}Transfer-Encoding: chunked\r\n`, "zz\r\n{}\r\n0\r\n\r\n"), BAD],
  ["a chunk longer than it says", post(`${KEYED}Transfer-Encoding: chunked\r\n`, "1\r\n{}\r\n0\r\n\r\n"), BAD],
  ["a chunk's size beyond all numbers", post(`${KEYED}Transfer-Encoding: chunked\r\n`, `${"f".repeat(20)}\r\n`), BAD],
  ["a key among the trailers", post("Transfer-Encoding: chunked\r\n", `2\r\n{}\r\n0\r\n${KEYED}\r\n`), NO_KEY],
  ["another request in what is too long", `${VERIFY}Content-Length: 70000\r\n\r\n${get("/nope").repeat(3)}`, TOO_LARGE],
];

const SYNTAX: Case[] = [
  ["bare line feeds", "GET / HTTP/1.1\nHost: {host}\n\n", BAD],
  ["one bare line feed", "GET / HTTP/1.1\r\nHost: {host}\nX: y\r\n\r\n", BAD],
  ["a bare carriage return", "GET / HTTP/1.1\r\nHost: {host}\rX: y\r\n\r\n", BAD],
  ["a folded header", get("/", "X: a\r\n b\r\n"), BAD],
  ["a first header that is folded", "GET / HTTP/1.1\r\n Host: {host}\r\n\r\n", BAD],
  ["a space before the colon", get("/", "X : a\r\n"), BAD],
  ["a header without a colon", get("/", "X\r\n"), BAD],
  ["a header without a name", get("/", ": x\r\n"), BAD],
  ["a NUL in a header", get("/", "X: a\0b\r\n"), BAD],
  ["a NUL in the target", get("/\0"), BAD],
  ["a space in the target", get("/a b"), BAD],
  ["a backslash at the beginning of the target", get("\\api\\v1\\users"), BAD],
  ["a byte that is no ASCII in the target", get("/caf\u00e9"), BAD],
  ["no version", "GET /\r\n\r\n", BAD],
  ["a version that there is not", "GET / HTTP/1.9\r\nHost: {host}\r\n\r\n", BAD],
  ["the preface of HTTP/2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", BAD],
  ["the hello of TLS", "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", BAD],
  ["a method that there is not", "STEAL / HTTP/1.1\r\nHost: {host}\r\n\r\n", BAD],
  ["a method in small letters", "get / HTTP/1.1\r\nHost: {host}\r\n\r\n", BAD],
  ["a target of a whole server", `OPTIONS * HTTP/1.1\r\nHost: {host}\r\n\r\n`, BAD],
  ["a tunnel", `CONNECT evil.example:443 HTTP/1.1\r\nHost: {host}\r\n\r\n`],
  ["a trace", `TRACE / HTTP/1.1\r\nHost: {host}\r\nCookie: secret\r\n${CLOSE}\r\n`, [405, "Method not allowed"]],
];

const SIZES: Case[] = [
  ["a header of 20,000 bytes", get("/", `X: ${"a".repeat(20_000)}\r\n`), TOO_LONG],
  ["a target of 20,000 bytes", get(`/${"a".repeat(20_000)}`), TOO_LONG],
  ["101 headers", get(DISCOVERY, "X: y\r\n".repeat(99)), TOO_LONG],
  ["1,000 headers", get(DISCOVERY, "X:y\r\n".repeat(1000)), TOO_LONG],
  ["a second host behind 140 headers", get(DISCOVERY, `${"X: y\r\n".repeat(140)}Host: evil.example\r\n`), TOO_LONG],
  [
    "an encoding behind 140 headers",
    post(`${"X: y\r\n".repeat(140)}Transfer-Encoding: identity, chunked\r\n`, "0\r\n\r\n"),
    TOO_LONG,
  ],
  ["a terabyte that never comes", post("Content-Length: 999999999999\r\n", ""), TOO_LARGE],
  ["a terabyte that never comes, with a key", post(`${KEYED}Content-Length: 999999999999\r\n`, ""), TOO_LARGE],
  ["a terabyte that never comes, for a page", get("/", "Content-Length: 999999999999\r\n"), TOO_LARGE],
  ["one byte too many", post(`${KEYED}Content-Length: 65537\r\n`, ""), TOO_LARGE],
  [
    "one byte too many, in chunks",
    post(`${KEYED}Transfer-Encoding: chunked\r\n`, `10001\r\n${"x".repeat(65_537)}\r\n`),
    TOO_LARGE,
  ],
  [
    "a list 30,000 deep",
    post(`${KEYED}Content-Length: 60000\r\n`, "[".repeat(30_000) + "]".repeat(30_000)),
    [400, "Missing token"],
  ],
  [
    "a token 9,000 deep",
    post(`${KEYED}Content-Length: 54011\r\n`, `{"token":${`{"a":`.repeat(9000)}1${"}".repeat(9000)}}`),
    [400, "Missing token"],
  ],
];

describe.each([
  ["hosts", HOSTS],
  ["framing", FRAMING],
  ["syntax", SYNTAX],
  ["sizes", SIZES],
])("a malformed request gets one answer, and the connection ends: %s", (_, cases) => {
  it.each(cases)("%s", async (...[, text, ...expected]) => {
    const replies = await exchange(server.port, text);
    expect(replies.map(({ status, body }) => [status, body])).toEqual(
      expected.map(([status, error]) => [status, JSON.stringify({ error })]),
    );
    for (const { headers } of replies) {
      expect([headers["content-type"], headers["connection"]]).toEqual(["application/json", "close"]);
    }
  });
});

describe("a well-formed request is answered", () => {
  it.each([
    ["in absolute form", `GET http://{host}${DISCOVERY} HTTP/1.1\r\nHost: {host}\r\n${CLOSE}\r\n`],
    ["with 100 headers", get(DISCOVERY, "X: y\r\n".repeat(98))],
    ["in HTTP/1.0", `GET ${DISCOVERY} HTTP/1.0\r\nHost: {host}\r\n\r\n`],
    ["with a body that nobody wants", get(DISCOVERY, "Content-Length: 5\r\n") + "abcde"],
    ["with a body that nobody waits for", get(DISCOVERY, "Content-Length: 60000\r\n")],
    ["asking for a web socket", get(DISCOVERY, "Connection: Upgrade\r\nUpgrade: websocket\r\n")],
    [
      "asking for HTTP/2",
      get(DISCOVERY, "Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AA\r\n"),
    ],
  ])("%s", async (_, text) => {
    const [reply, ...more] = await exchange(server.port, text);
    expect([reply?.status, JSON.parse(reply?.body ?? "")]).toEqual([
      200,
      expect.objectContaining({ issuer: server.url }),
    ]);
    expect(more).toEqual([]);
  });

  it("with a body of 65,536 bytes", async () => {
    const body = `{"token":"${"x".repeat(65_524)}"}`;
    const replies = await exchange(server.port, post(`${KEYED}Content-Length: ${body.length}\r\n`, body));
    expect(replies.map((reply) => [reply.status, reply.body])).toEqual([
      [401, `{"valid":false,"error":"Token invalid"}`],
    ]);
  });

  it("and several at once in their order, each by its own rights", async () => {
    const keyed = `GET ${ADA} HTTP/1.1\r\nHost: {host}\r\n${KEYED}\r\n`;
    const bare = `GET ${ADA} HTTP/1.1\r\nHost: {host}\r\n\r\n`;
    const replies = await exchange(server.port, keyed + bare + keyed + bare + get("/nope", KEYED));
    expect(replies.map(({ status }) => status)).toEqual([200, 401, 200, 401, 404]);
  });

  it("and what follows it, if that is none, is not answered in its place", async () => {
    const good = `GET ${ADA} HTTP/1.1\r\nHost: {host}\r\n${KEYED}\r\n`;
    const replies = await exchange(server.port, `${good}GARBAGE\r\n\r\n`);
    expect([[], [200], [200, 400]]).toContainEqual(replies.map(({ status }) => status));
  });
});

it("what follows a long answer while it is sent does not get into it", { timeout: 20_000 }, async () => {
  const users = Array.from({ length: 20_000 }, (_, i) => ({ email: `u${i}@x.test`, name: "n".repeat(200) }));
  const seed = seedFile({ instances: [{ name: "A", subdomain: "a", secret_key: KEY, users }] });
  const large = await serve({ port: 0, store: "memory", seed });
  onTestFinished(() => large.close());
  const { socket, received } = open(large.port, `GET /api/v1/users HTTP/1.1\r\nHost: {host}\r\n${KEYED}\r\n`);
  socket.pause();
  // The answer is longer than all buffers on its way, so it is still being sent then.
  await delay(300);
  socket.write("GARBAGE\r\n\r\n");
  await delay(100);
  socket.resume();
  const [list] = parseReplies(await received);
  expect([list?.status, list?.headers["transfer-encoding"]]).toEqual([200, "chunked"]);
  expect(list?.body.includes("Bad request")).toBe(false);
});

describe("a client that goes away is no fault of the server's", () => {
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
    ["after nothing at all", ""],
  ])("%s", async (_, text) => {
    for (const goodbye of ["end", "destroy", "resetAndDestroy"] as const) {
      const { socket, received } = open(server.port, text);
      await once(socket, "connect");
      // So long that it has been read.
      await delay(20);
      socket[goodbye]();
      await received;
    }
    await shown(server);
    await delay(20);
    expect(warnings).toEqual([]);
  });

  it("nor is one that sends what is no body", async () => {
    for (const body of ["zz\r\n", "1\r\n{}\r\n", `2\r\n{}\r\n0\r\n: x\r\n\r\n`]) {
      await exchange(server.port, post(`${KEYED}Transfer-Encoding: chunked\r\n`, body));
    }
    await shown(server);
    expect(warnings).toEqual([]);
  });
});

/** Sends a piece again and again until the server has had enough. */
async function drip(begin: string, piece: string): Promise<Reply[]> {
  const { socket, received } = open(server.port, begin);
  const dripping = setInterval(() => socket.write(piece), 250);
  try {
    return parseReplies(await received);
  } finally {
    clearInterval(dripping);
  }
}

describe("slower: a client that takes its time is cut off", () => {
  it("in headers, bodies and between requests, while others are answered", { timeout: 25_000 }, async () => {
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

describe("a hundred megabytes of body", { timeout: 30_000 }, () => {
  const BIN = fileURLToPath(new URL("../bin/svc.js", import.meta.url));
  const SIZE = 100 << 20;
  const PIECE = Buffer.alloc(1 << 16, "x");

  async function start(): Promise<{ port: number; pid: number }> {
    const flags = ["serve", "--json", "--port", "0", "--store", "memory", "--seed", seedFile(SEED)];
    const cwd = mkdtempSync(join(tmpdir(), "svc-raw-"));
    const child = spawn(process.execPath, [BIN, ...flags], { cwd, stdio: ["ignore", "pipe", "inherit"] });
    onTestFinished(async () => {
      child.kill("SIGKILL");
      await once(child, "exit");
      rmSync(cwd, { recursive: true, force: true });
    });
    const [ready] = (await once(createInterface(child.stdout), "line")) as [string];
    return { port: (JSON.parse(ready) as { port: number }).port, pid: child.pid! };
  }

  /** Sends for as long as it may, whatever comes back meanwhile. */
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

  it.skipIf(process.platform !== "linux").each(["length", "chunks"] as const)(
    "takes no memory, framed by its %s",
    async (framing) => {
      const { port, pid } = await start();
      const peak = (): number =>
        Number(/VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) >> 10;
      await upload(port, framing);
      const before = peak();
      for (let i = 0; i < 3; i++) await upload(port, framing);
      expect(peak() - before).toBeLessThanOrEqual(20);
    },
  );

  it.each(["length", "chunks"] as const)(
    "is refused, and its sender gets to read that, framed by its %s",
    async (framing) => {
      const { port } = await start();
      for (let i = 0; i < 3; i++) {
        const replies = await upload(port, framing);
        expect(replies.map(({ status, body }) => [status, body])).toEqual([[413, `{"error":"Body too large"}`]]);
      }
    },
  );
});
