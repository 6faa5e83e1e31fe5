import { describe, expect, it } from "vitest";
import {
  CLOSE,
  DISCOVERY,
  exchange,
  KEY,
  KEYED,
  open,
  parseReplies,
  post,
  server,
  VERIFY,
  useServer,
} from "../_raw-http.ts";

useServer();

const ADA = "/api/v1/users/00000000-0000-4000-8000-0000000000a1";

type Expected = [status: number, error: string];

type Case = [name: string, text: string, ...replies: Expected[]];

const BAD: Expected = [400, "Bad request"];

const TOO_LARGE: Expected = [413, "Body too large"];

const TOO_LONG: Expected = [431, "Request headers too large"];

const NOT_OURS: Expected = [421, "Unknown host: this server does not answer for it; add it with --allowed-host"];

const TOO_DEEP: Expected = [400, "Invalid JSON: it is nested more than 100 levels deep"];

const NO_KEY: Expected = [401, "Missing secret key"];

function get(path: string, headers = ""): string {
  return `GET ${path} HTTP/1.1\r\nHost: {host}\r\n${headers}${CLOSE}\r\n`;
}

const HOSTS: Case[] = [
  ["two hosts", `GET / HTTP/1.1\r\nHost: {host}\r\nHost: evil.example\r\n\r\n`, BAD],
  ["a strange host first", `GET / HTTP/1.1\r\nHost: evil.example\r\nHost: {host}\r\n\r\n`, BAD],
  ["the same host twice", `GET / HTTP/1.1\r\nHost: {host}\r\nhost: {host}\r\n\r\n`, BAD],
  ["no host", `GET / HTTP/1.1\r\n\r\n`, BAD],
  ["no host in HTTP/1.0", `GET / HTTP/1.0\r\n\r\n`, NOT_OURS],
  ["an empty host", `GET / HTTP/1.1\r\nHost:\r\n${CLOSE}\r\n`, NOT_OURS],
  ["a host with a path", `GET / HTTP/1.1\r\nHost: {host}/x\r\n${CLOSE}\r\n`, NOT_OURS],
  ["a host of 9,000 characters", `GET / HTTP/1.1\r\nHost: ${"a".repeat(9000)}\r\n${CLOSE}\r\n`, NOT_OURS],
  ["another authority in the target", `GET http://evil.example${ADA} HTTP/1.1\r\nHost: {host}\r\n\r\n`, BAD],
  ["another port in the target", `GET http://localhost:1${ADA} HTTP/1.1\r\nHost: {host}\r\n\r\n`, BAD],
  ["a strange host behind ours in the target", `GET http://{host}${ADA} HTTP/1.1\r\nHost: evil.example\r\n\r\n`, BAD],
  ["a user name in the target", `GET http://evil:x@{host}${ADA} HTTP/1.1\r\nHost: {host}\r\n${CLOSE}\r\n`, BAD],
  ["another scheme in the target", `GET ftp://{host}${ADA} HTTP/1.1\r\nHost: {host}\r\n\r\n`, BAD],
  ["a target that is not a path", `GET api/v1/users HTTP/1.1\r\nHost: {host}\r\n\r\n`, BAD],
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
  [
    "another request in what is too long",
    `${VERIFY}${KEYED}Content-Length: 70000\r\n\r\n${get("/nope").repeat(3)}`,
    TOO_LARGE,
  ],
  ["another request in what is not read", `${VERIFY}Content-Length: 70000\r\n\r\n${get("/nope").repeat(3)}`, NO_KEY],
];

const SYNTAX: Case[] = [
  ["a tunnel", "CONNECT evil.example:443 HTTP/1.1\r\nHost: evil.example:443\r\n\r\n", BAD],
  ["a tunnel to our own host", "CONNECT {host} HTTP/1.1\r\nHost: {host}\r\n\r\nGET / HTTP/1.1\r\n\r\n", BAD],
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
  ["a non-ASCII byte in the target", get("/caf\u00e9"), BAD],
  ["no version", "GET /\r\n\r\n", BAD],
  ["an unknown version", "GET / HTTP/1.9\r\nHost: {host}\r\n\r\n", BAD],
  ["the preface of HTTP/2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", BAD],
  ["the hello of TLS", "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", BAD],
  ["an unknown method", "STEAL / HTTP/1.1\r\nHost: {host}\r\n\r\n", BAD],
  ["a method in lower case", "get / HTTP/1.1\r\nHost: {host}\r\n\r\n", BAD],
  ["a target of a whole server", `OPTIONS * HTTP/1.1\r\nHost: {host}\r\n\r\n`, BAD],
  ["a trace", `TRACE / HTTP/1.1\r\nHost: {host}\r\nCookie: secret\r\n${CLOSE}\r\n`, [405, "Method not allowed"]],
];

const SIZES: Case[] = [
  ["a header of 40,000 bytes", get("/", `X: ${"a".repeat(40_000)}\r\n`), TOO_LONG],
  ["a target of 40,000 bytes", get(`/${"a".repeat(40_000)}`), TOO_LONG],
  ["101 headers", get(DISCOVERY, "X: y\r\n".repeat(99)), TOO_LONG],
  ["1,000 headers", get(DISCOVERY, "X:y\r\n".repeat(1000)), TOO_LONG],
  ["a second host behind 140 headers", get(DISCOVERY, `${"X: y\r\n".repeat(140)}Host: evil.example\r\n`), TOO_LONG],
  [
    "an encoding behind 140 headers",
    post(`${"X: y\r\n".repeat(140)}Transfer-Encoding: identity, chunked\r\n`, "0\r\n\r\n"),
    TOO_LONG,
  ],
  ["a terabyte that never comes", post(`${KEYED}Content-Length: 999999999999\r\n`, ""), TOO_LARGE],
  ["a terabyte that never comes, without a key", post("Content-Length: 999999999999\r\n", ""), NO_KEY],
  ["one byte too many", post(`${KEYED}Content-Length: 65537\r\n`, ""), TOO_LARGE],
  [
    "one byte too many, in chunks",
    post(`${KEYED}Transfer-Encoding: chunked\r\n`, `10001\r\n${"x".repeat(65_537)}\r\n`),
    TOO_LARGE,
  ],
  ["a list 30,000 deep", post(`${KEYED}Content-Length: 60000\r\n`, "[".repeat(30_000) + "]".repeat(30_000)), TOO_DEEP],
  [
    "a token 9,000 deep",
    post(`${KEYED}Content-Length: 54011\r\n`, `{"token":${`{"a":`.repeat(9000)}1${"}".repeat(9000)}}`),
    TOO_DEEP,
  ],
];

describe.each([
  ["hosts", HOSTS],
  ["framing", FRAMING],
  ["syntax", SYNTAX],
  ["sizes", SIZES],
])("A malformed request gets one response and its connection is closed: %s", (_, cases) => {
  it.each(cases)("%s", async (...[, text, ...expected]) => {
    const replies = await exchange(server.port, text);
    expect(replies.map(({ status, body }) => [status, body])).toEqual(
      expected.map(([status, error]) => [status, JSON.stringify({ error })]),
    );
    for (const { headers } of replies)
      expect([headers["content-type"], headers["connection"]]).toEqual(["application/json", "close"]);
  });
});

describe("T34: A header that comes twice is refused, whichever of them is valid:", () => {
  const BODY = '{"token":"x"}';
  const json = "Content-Type: application/json\r\n";
  const verify = (headers: string): string =>
    post(`X-Service-Secret-Key: ${KEY}\r\nContent-Length: ${BODY.length}\r\n${headers}`, BODY);
  const state = (headers: string): string => get("/__svc/v1/state", headers);
  const right = (): string => `Authorization: Bearer ${server.control_key}\r\n`;

  it("Content-Type", async () => {
    expect((await exchange(server.port, verify(json))).map(({ status }) => status)).toEqual([401]);
    for (const other of ["Content-Type: text/plain\r\n", "content-type: application/json\r\n", "Content-Type:\r\n"])
      for (const headers of [json + other, other + json]) {
        const replies = await exchange(server.port, verify(headers));
        expect([headers, ...replies.map(({ status }) => status)]).toEqual([headers, 400]);
      }
  });

  it("Authorization", async () => {
    expect((await exchange(server.port, state(right()))).map(({ status }) => status)).toEqual([200]);
    for (const other of ["Authorization: Bearer x\r\n", right().toLowerCase(), "Authorization:\r\n", right()])
      for (const headers of [right() + other, other + right()]) {
        const replies = await exchange(server.port, state(headers));
        expect([headers, ...replies.map(({ status }) => status)]).toEqual([headers, 400]);
      }
  });
});

describe("T25: A WebSocket handshake is refused at every route:", () => {
  const HANDSHAKE = [
    "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n",
    "Connection: Upgrade\r\nUpgrade: h2c, WebSocket\r\n",
    "Sec-WebSocket-Key: x\r\n",
  ];

  it.each([
    "/",
    DISCOVERY,
    "/sign-in",
    "/oauth/authorize?provider=google&redirect_uri=http://localhost:1/",
    "/oauth/google/callback?code=x&state=y",
    "/__svc/begin",
    "/__svc/signed-in",
    "/__svc/simulator/google/authorize",
    "/__svc/simulator/google/accounts",
    "/__svc/health/live",
    "/__svc/",
    "/__svc/v1/state",
    ADA,
    "/nope",
  ])("%s", async (path) => {
    for (const headers of HANDSHAKE) {
      const replies = await exchange(server.port, get(path, headers));
      expect(replies.map(({ status, body }) => [status, body])).toEqual([
        [400, `{"error":"Bad request: this server speaks no WebSocket"}`],
      ]);
    }
  });
});

describe("T35: What follows a request whose answer closes the connection is not executed:", () => {
  const remove = `DELETE ${ADA} HTTP/1.1\r\nHost: {host}\r\n${KEYED}\r\n`;

  it.each([
    ["identity before chunked", "Transfer-Encoding: identity, chunked\r\n\r\n0\r\n\r\n", 400],
    ["chunked twice", "Transfer-Encoding: chunked, chunked\r\n\r\n0\r\n\r\n", 400],
    ["two hosts", "Host: evil.example\r\nContent-Length: 2\r\n\r\n{}", 400],
    ["101 headers", `${"X: y\r\n".repeat(100)}Content-Length: 2\r\n\r\n{}`, 431],
  ])("%s", async (_, head, status) => {
    // The hook of this file checks that Ada is still there.
    const replies = await exchange(server.port, `${VERIFY}${head}${remove}`);
    expect(replies.map((reply) => [reply.status, reply.headers["connection"]])).toEqual([[status, "close"]]);
  });

  it("a body that came after the answer", async () => {
    const { socket, received } = open(server.port, `${VERIFY}Content-Length: 70000\r\n\r\n`);
    await new Promise((resolve) => socket.once("data", resolve));
    socket.write("x".repeat(70_000) + remove.replaceAll("{host}", `localhost:${server.port}`));
    expect(parseReplies(await received).map((reply) => reply.status)).toEqual([401]);
  });
});

describe("A client that sends its whole body before it reads gets the answer", () => {
  const SIZE = 8 << 20;

  it.each([
    ["to a malformed request", `POST / HTTP/1.1\r\nHost: {host}\r\nHost: {host}\r\n`, 400],
    ["to a request without a key", VERIFY, 401],
  ])("%s", async (_, head, status) => {
    const { socket, received } = open(server.port, `${head}Content-Length: ${SIZE}\r\n\r\n`);
    socket.pause();
    await new Promise((resolve) => socket.write("x".repeat(SIZE), resolve));
    socket.resume();
    expect(parseReplies(await received).map((reply) => reply.status)).toEqual([status]);
  });
});

describe("A well-formed request is answered:", () => {
  it.each([
    ["in absolute form", `GET http://{host}${DISCOVERY} HTTP/1.1\r\nHost: {host}\r\n${CLOSE}\r\n`],
    ["with 100 headers", get(DISCOVERY, "X: y\r\n".repeat(98))],
    ["with a header of 30,000 bytes", get(DISCOVERY, `X: ${"y".repeat(30_000)}\r\n`)],
    ["in HTTP/1.0", `GET ${DISCOVERY} HTTP/1.0\r\nHost: {host}\r\n\r\n`],
    ["with an unexpected body", get(DISCOVERY, "Content-Length: 5\r\n") + "abcde"],
    ["with a body that is never sent", get(DISCOVERY, "Content-Length: 60000\r\n")],
    ["with an expectation that is not understood", get(DISCOVERY, "Expect: foo\r\n")],
    ["with a terabyte that is never sent", get(DISCOVERY, "Content-Length: 999999999999\r\n")],
    ["asking for a protocol that nobody knows", get(DISCOVERY, "Connection: Upgrade\r\nUpgrade: x/1\r\n")],
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

  it("a body of 65,536 bytes", async () => {
    const body = `{"token":"${"x".repeat(65_524)}"}`;
    const replies = await exchange(server.port, post(`${KEYED}Content-Length: ${body.length}\r\n`, body));
    expect(replies.map((reply) => [reply.status, reply.body])).toEqual([
      [401, `{"valid":false,"error":"Token invalid signature"}`],
    ]);
  });

  it("several at once in order, each with its own authorization", async () => {
    const keyed = `GET ${ADA} HTTP/1.1\r\nHost: {host}\r\n${KEYED}\r\n`;
    const bare = `GET ${ADA} HTTP/1.1\r\nHost: {host}\r\n\r\n`;
    const replies = await exchange(server.port, keyed + bare + keyed + bare + get("/nope", KEYED));
    expect(replies.map(({ status }) => status)).toEqual([200, 401, 200, 401, 404]);
  });

  it("one before CONNECT, which ends the connection", async () => {
    const good = `GET ${ADA} HTTP/1.1\r\nHost: {host}\r\n${KEYED}\r\n`;
    const replies = await exchange(server.port, `${good}CONNECT x:1 HTTP/1.1\r\nHost: x:1\r\n\r\n`);
    expect([[], [200], [200, 400]]).toContainEqual(replies.map(({ status }) => status));
  });

  it("one before malformed bytes, which are not answered in its place", async () => {
    const good = `GET ${ADA} HTTP/1.1\r\nHost: {host}\r\n${KEYED}\r\n`;
    const replies = await exchange(server.port, `${good}GARBAGE\r\n\r\n`);
    expect([[], [200], [200, 400]]).toContainEqual(replies.map(({ status }) => status));
  });
});
