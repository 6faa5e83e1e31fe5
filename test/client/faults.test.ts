// Below the faces: how long a client waits, which is a rule of many rows.
import { createServer, type Socket } from "node:net";
import { inspect } from "node:util";
import { gzipSync } from "node:zlib";
import { describe, expect, it, onTestFinished } from "vitest";
import {
  createClient,
  isServiceError,
  type Client,
  type ClientOptions,
  type Fetch,
  type Try,
} from "../../src/client/index.ts";
import { startDeadline } from "../../src/client/deadline.ts";
import { parseRetryAfter, retryDelayMs } from "../../src/client/retry.ts";
import type { ServiceError } from "../../src/client/errors.ts";
import { ADA } from "../_setup.ts";
import { caught as thrownBy, KEY } from "../_client.ts";
import { portOf } from "../_port-of.ts";

const TOKEN = `${"e".concat("yJhbGciOiJIUzI1NiJ9")}.eyJzdWIiOiIxIn0.${"A".repeat(43)}`;
const NOW = Date.parse("2026-06-01T12:00:00Z");
const USER = { id: ADA, resource: "user", data: { email: "ada@acme.test" } };

type Answer = (socket: Socket, request: string) => void;

/** A server that gives its requests these answers in turn, and repeats the last one. */
async function startServer(...answers: Answer[]): Promise<{ origin: string; seen: string[] }> {
  const seen: string[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => {});
    let received = "";
    socket.on("data", (chunk) => {
      received += String(chunk);
      if (!isWhole(received)) return;
      const request = received;
      received = "";
      answers[Math.min(seen.push(request), answers.length) - 1]?.(socket, request);
    });
  });
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
  });
  return { origin: `http://127.0.0.1:${await portOf(server)}`, seen };
}

function isWhole(request: string): boolean {
  const end = request.indexOf("\r\n\r\n");
  return end >= 0 && request.length - end - 4 >= Number(/content-length: (\d+)/i.exec(request)?.[1] ?? 0);
}

/** An HTTP response, with the right length unless `fields` say otherwise. */
function reply(status: number, body: string | Buffer, fields: Record<string, string> = {}): Answer {
  const head = { "content-type": "application/json", "content-length": String(Buffer.byteLength(body)), ...fields };
  const lines = Object.entries(head).map(([name, value]) => `${name}: ${value}\r\n`);
  return (socket) => {
    socket.write(`HTTP/1.1 ${status} X\r\n${lines.join("")}\r\n`);
    socket.write(body);
  };
}

const good = reply(200, JSON.stringify(USER));
const reset: Answer = (socket) => void socket.resetAndDestroy();
const hangUp: Answer = (socket) => void socket.end();

function clientAt(baseUrl: string, options: ClientOptions = {}): Client {
  return createClient({ secretKey: KEY, baseUrl, timeoutMs: 5_000, ...options });
}

async function caught(promise: PromiseLike<unknown>): Promise<ServiceError> {
  const error = await thrownBy(promise);
  if (isServiceError(error)) return error;
  throw error;
}

describe("An unusable response", () => {
  const slowly: Answer = (socket) => {
    socket.write("HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\n");
    const timer = setInterval(() => socket.write(" "), 5);
    socket.on("close", () => clearInterval(timer));
  };
  const echo: Answer = (socket, request) => void socket.end(request);
  const text = (lines: string): Answer => {
    return (socket) => void socket.end(lines.replaceAll("\n", "\r\n"));
  };
  const MIB = Buffer.alloc(2 ** 20, " ");

  const rows: [what: string, code: string, status: number | undefined, answer: Answer, options?: ClientOptions][] = [
    ["a reset before the first byte", "connection", undefined, reset],
    ["a close before the first byte", "connection", undefined, hangUp],
    ["half a status line", "connection", undefined, text("HTTP/1.")],
    ["half a header", "connection", undefined, text("HTTP/1.1 200 OK\nContent-Ty")],
    ["half a body", "connection", undefined, text('HTTP/1.1 200 OK\ncontent-length: 100\n\n{"id":')],
    ["half a chunk", "connection", undefined, text("HTTP/1.1 200 OK\ntransfer-encoding: chunked\n\nff\n{")],
    ["a chunk without a size", "connection", undefined, text("HTTP/1.1 200 OK\ntransfer-encoding: chunked\n\nzz\n{")],
    ["another protocol", "connection", undefined, text("220 mail.acme.test ESMTP\n")],
    ["an echo of the request", "connection", undefined, echo],
    ["endless headers", "connection", undefined, text(`HTTP/1.1 200 OK\nx: ${"x".repeat(100_000)}\n\n{}`)],
    ["no response", "timeout", undefined, () => {}, { timeoutMs: 60 }],
    ["a body sent byte by byte", "timeout", undefined, slowly, { timeoutMs: 60 }],
    ["headers and then nothing", "timeout", undefined, (s) => void s.write("HTTP/1.1 200 OK\r\n"), { timeoutMs: 60 }],
    ["a page of HTML", "unexpected_response", 200, reply(200, "<html>hello", { "content-type": "text/html" })],
    ["a gateway's page", "unavailable", 502, reply(502, "<html>Bad Gateway")],
    ["a gateway's text", "unavailable", 503, reply(503, "no healthy upstream")],
    ["a gateway's JSON", "unavailable", 503, reply(503, '"maintenance"')],
    ["a gateway's silence", "unavailable", 504, reply(504, "")],
    ["a gateway's limit", "rate_limited", 429, reply(429, "<html>Slow down")],
    ["an empty 200", "unexpected_response", 200, reply(200, "")],
    ["truncated JSON", "unexpected_response", 200, reply(200, '{"id":"')],
    ["bytes that are not text", "unexpected_response", 200, reply(200, Buffer.from([0xff, 0xfe, 0]))],
    ["null", "unexpected_response", 200, reply(200, "null")],
    ["a list for a user", "unexpected_response", 200, reply(200, "[]")],
    ["a session for a user", "unexpected_response", 200, reply(200, '{"id":"1","resource":"session","data":{}}')],
    ["an error with a 200", "unexpected_response", 200, reply(200, '{"error":"User not found"}')],
    [
      "another user than requested",
      "unexpected_response",
      200,
      reply(200, gzipSync(JSON.stringify(USER)), { "content-encoding": "gzip" }),
    ],
    [
      "a gzip bomb",
      "unexpected_response",
      200,
      reply(200, gzipSync(Buffer.alloc(2 ** 24)), { "content-encoding": "gzip" }),
    ],
    [
      "an endless body",
      "response_too_large",
      200,
      reply(200, Buffer.concat([MIB, MIB]), { "content-length": "99999999999" }),
    ],
    ["a redirect to itself", "redirect_refused", 302, reply(302, "", { location: "/" })],
    ["a redirect to another host", "redirect_refused", 307, reply(307, "", { location: "http://127.0.0.2:1/" })],
    ["a redirect to nowhere", "redirect_refused", 308, reply(308, "")],
    ["304 Not Modified", "redirect_refused", 304, (socket) => void socket.write("HTTP/1.1 304 X\r\n\r\n")],
    ["too many requests", "rate_limited", 429, reply(429, '{"error":"Slow down"}', { "retry-after": "3600" })],
    ["a service in maintenance", "unavailable", 503, reply(503, '{"error":"Back soon"}')],
  ];

  it.each(rows)("such as %s has the code %s", async (_, code, status, answer, options) => {
    const { origin } = await startServer(answer);
    const error = await caught(clientAt(origin, { retry: 0, ...options }).users.get(ADA));
    expect([error.code, error.status]).toEqual([code, status]);
  });

  it.each(rows)("such as %s leaves the client usable", async (_, __, ___, answer, options) => {
    let isFaulty = true;
    // Not by the number of requests: with a short timeout, the first may never arrive.
    const { origin } = await startServer((socket, request) => (isFaulty ? answer : good)(socket, request));
    const { users } = clientAt(origin, { retry: 0 });
    await caught(users.get(ADA, { timeoutMs: options?.timeoutMs }));
    isFaulty = false;
    expect(await users.get(ADA)).toEqual(USER);
  });

  it("is not one that starts with early hints or a byte order mark", async () => {
    const { origin } = await startServer((socket, request) => {
      socket.write("HTTP/1.1 103 Early Hints\r\nlink: </x>; rel=next\r\n\r\n");
      reply(200, `\u{feff}${JSON.stringify(USER)}`)(socket, request);
    });
    expect(await clientAt(origin).users.get(ADA)).toEqual(USER);
  });

  it("is not read completely when a custom fetch decompresses it", async () => {
    const { origin } = await startServer(reply(200, gzipSync(Buffer.alloc(2 ** 24)), { "content-encoding": "gzip" }));
    const error = await caught(clientAt(origin, { fetch: globalThis.fetch as Fetch }).users.get(ADA));
    expect(error).toMatchObject({
      code: "response_too_large",
      message: "GET /api/v1/users/:id: the response is larger than 1 MiB",
    });
  });

  it("is never taken for a valid token, whatever its status", async () => {
    const answers: [body: object, code: string][] = [
      [{ valid: false, error: "Token expired" }, "token_invalid"],
      [{ id: "1", resource: "token", data: { valid: false } }, "unexpected_response"],
      [{ id: "1", resource: "token", data: {} }, "unexpected_response"],
      [{ id: "1", resource: "token", data: { valid: "true" } }, "unexpected_response"],
      [USER, "unexpected_response"],
    ];
    for (const [body, code] of answers) {
      const { origin } = await startServer(reply(200, JSON.stringify(body)));
      expect((await caught(clientAt(origin).tokens.verify(TOKEN))).code).toBe(code);
    }
  });
});

describe("A failed call", () => {
  const unavailable = reply(503, '{"error":"Back soon"}');

  it.each<[what: string, answer: Answer, isRetried: boolean]>([
    ["a reset", reset, true],
    ["half a body", (socket) => void socket.end("HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\n{"), true],
    ["408", reply(408, '{"error":"Request timeout"}'), true],
    ["429", reply(429, '{"error":"Slow down"}'), true],
    ["502 and HTML", reply(502, "<html>"), true],
    ["503", unavailable, true],
    ["504", reply(504, ""), true],
    ["500", reply(500, '{"error":"Internal error"}'), false],
    ["404", reply(404, '{"error":"User not found"}'), false],
    ["401", reply(401, '{"error":"Unauthorized"}'), false],
    ["200 and HTML", reply(200, "<html>"), false],
    ["a redirect", reply(302, ""), false],
  ])("after %s is retried if it reads: %j %j", async (_, answer, isRetried) => {
    const { origin, seen } = await startServer(answer, good);
    const outcome = await clientAt(origin)
      .users.get(ADA)
      .then(
        () => true,
        () => false,
      );
    expect([outcome, seen.length]).toEqual([isRetried, isRetried ? 2 : 1]);
  });

  it("is retried if it is a verification, which changes nothing", async () => {
    for (const answer of [reset, unavailable, reply(429, '{"error":"Slow down"}', { "retry-after": "0" })]) {
      const { origin, seen } = await startServer(answer, reply(401, '{"valid":false,"error":"Token expired"}'));
      expect((await caught(clientAt(origin).tokens.verify(TOKEN))).code).toBe("token_expired");
      expect(seen).toHaveLength(2);
    }
  });

  it("is not retried if it is a deletion that may have reached the service", async () => {
    for (const answer of [reset, unavailable, reply(429, '{"error":"Slow down"}', { "retry-after": "0" })]) {
      const { origin, seen } = await startServer(answer, good);
      await caught(clientAt(origin).users.delete(ADA));
      expect(seen).toHaveLength(1);
    }
  });

  it.each<[tries: number, client: ClientOptions, call: { retry?: number }]>([
    [3, {}, {}],
    [2, { retry: 1 }, {}],
    [1, { retry: 0 }, {}],
    [1, {}, { retry: 0 }],
    [2, { retry: 0 }, { retry: 1 }],
  ])("is attempted %i times with %j and %j", async (tries, options, call) => {
    const { origin, seen } = await startServer(unavailable);
    const told: Try[] = [];
    const error = await caught(clientAt(origin, { ...options, onTry: (info) => told.push(info) }).users.get(ADA, call));
    expect([error.code, seen.length]).toEqual(["unavailable", tries]);
    expect(told.map(({ route, number, status }) => [route, number, status])).toEqual(
      seen.map((_, index) => ["GET /api/v1/users/:id", index + 1, 503]),
    );
  });

  it.each(["3600", new Date(NOW + 3_600_000).toUTCString()])(
    "is not retried if the service asks for a wait (%s) longer than the call's time limit",
    async (value) => {
      const { origin, seen } = await startServer(reply(503, '{"error":"Back soon"}', { "retry-after": value }), good);
      const error = await caught(clientAt(origin, { now: () => NOW }).users.get(ADA));
      expect([error.code, error.retryAfterMs, seen.length]).toEqual(["unavailable", 3_600_000, 1]);
    },
  );

  it("stops waiting when the caller's signal aborts, with the signal's reason", async () => {
    const reason = new Error("enough");
    const controller = new AbortController();
    const { origin, seen } = await startServer(reply(503, '{"error":"Back soon"}', { "retry-after": "1000" }));
    const { users } = clientAt(origin, {
      timeoutMs: Infinity,
      onTry: () => setImmediate(() => controller.abort(reason)),
    });
    await expect(users.get(ADA, { signal: controller.signal })).rejects.toBe(reason);
    expect(seen).toHaveLength(1);
  });

  it.each([-1, 1.5, Number.NaN])("rejects the option retry: %d", async (retry) => {
    expect((await caught(clientAt("http://127.0.0.1:1", { retry }).users.get(ADA))).code).toBe("config");
  });

  it.each([0, -1, Number.NaN])("rejects the option timeoutMs: %d", async (timeoutMs) => {
    expect((await caught(clientAt("http://127.0.0.1:1", { timeoutMs }).users.get(ADA))).code).toBe("config");
  });
});

describe("The retry rule", () => {
  it("waits a random time below a bound that doubles up to 8 s, plus what the service asks for", () => {
    for (const [retries, bound] of [300, 600, 1200, 2400, 4800, 8000, 8000].entries()) {
      expect(retryDelayMs(retries, 0, () => 0)).toBe(0);
      expect(retryDelayMs(retries, undefined, () => 0.5)).toBe(bound / 2);
      expect(retryDelayMs(retries, 7000, () => 1)).toBe(7000 + bound);
    }
  });

  it.each([
    [null, undefined],
    ["0", 0],
    ["120", 120_000],
    ["Mon, 01 Jun 2026 12:00:30 GMT", 30_000],
    ["Monday, 01-Jun-26 12:00:30 GMT", 30_000],
    ["Mon, 01 Jun 2026 11:00:00 GMT", 0],
    ["-1", undefined],
    ["1.5", undefined],
    ["soon", undefined],
    ["2026", 2_026_000],
    ["", undefined],
  ])("reads Retry-After: %j as %j milliseconds", (value, expected) => {
    expect(parseRetryAfter(value, NOW)).toBe(expected);
  });

  it("never waits beyond the call's time limit", async () => {
    const deadline = startDeadline(20, undefined);
    await expect(deadline.sleep(1_000_000)).rejects.toThrow();
    expect([deadline.isOver, deadline.signal.aborted]).toEqual([true, true]);
    deadline.end();
  });
});

describe("A key or token", () => {
  const page = `<pre>X-Service-Secret-Key: ${KEY}\n{"token":"${TOKEN}"}</pre>`;
  const rows: [what: string, answer: Answer][] = [
    ["an error that repeats them", reply(401, JSON.stringify({ error: `bad key ${KEY} for ${TOKEN}` }))],
    ["a token error that repeats them", reply(401, JSON.stringify({ valid: false, error: `${TOKEN} ${KEY}` }))],
    ["a debug page", reply(500, page, { "content-type": "text/html" })],
    ["a debug page that is cut within the key", reply(500, `${" ".repeat(195)}${KEY}`)],
    ["JSON of another kind", reply(500, JSON.stringify({ headers: { KEY, TOKEN } }))],
    ["a redirect that carries them along", reply(302, page, { location: `http://127.0.0.2/?key=${KEY}` })],
    ["an echo server", (socket, request) => void socket.end(request)],
    ["a reset", reset],
  ];
  const calls: [what: string, call: (client: Client) => PromiseLike<unknown>][] = [
    ["users.get", (client) => client.users.get(ADA)],
    ["tokens.verify", (client) => client.tokens.verify(TOKEN)],
    ["users.list", (client) => client.users.list()],
  ];

  it.each(["default", "global"])(
    "is not sent on after a redirect to another server, by the %s fetch",
    async (which) => {
      const elsewhere = await startServer(good);
      const { origin, seen } = await startServer(reply(307, "", { location: `${elsewhere.origin}/` }));
      const client = clientAt(origin, { retry: 0, ...(which === "global" && { fetch: globalThis.fetch }) });
      for (const [, call] of calls) expect((await caught(call(client))).code).toBe("redirect_refused");
      expect(seen).toHaveLength(calls.length);
      expect(elsewhere.seen).toEqual([]);
    },
  );

  it.each(rows)("is not in the error after %s, however it is inspected", async (_, answer) => {
    const { origin } = await startServer(answer);
    for (const [, call] of calls) {
      const told: Try[] = [];
      const client = clientAt(origin, { retry: 0, onTry: (info) => told.push(info) });
      const error = await caught(call(client));
      for (const value of [error, error.cause, client, client.users, told]) {
        const seen = [inspect(value, { depth: 9, showHidden: true }), JSON.stringify(value) ?? "", String(value)];
        seen.push(String((value as Error | undefined)?.stack));
        for (const text of seen) {
          expect(text).not.toContain(KEY.slice(0, 12));
          expect(text).not.toContain(TOKEN.slice(0, 24));
        }
      }
    }
  });
});
