import { once } from "node:events";
import { createServer, type RequestListener, type Server } from "node:http";
import { connect, type AddressInfo } from "node:net";
import { H3 } from "h3";
import { expect, it, onTestFinished } from "vitest";
import {
  endEmptyBody,
  endWith,
  eventOf,
  keepOpenAfter,
  setServerOptions,
} from "../../src/server/http/node-internals.ts";

async function listening(listener: RequestListener): Promise<{ server: Server; port: number }> {
  // Unless it is told otherwise, it looks for slow connections once a day.
  const server = createServer({ connectionsCheckingInterval: 86_400_000 }, listener).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => new Promise<void>((resolve) => server.close(() => resolve()).closeAllConnections()));
  return { server, port: (server.address() as AddressInfo).port };
}

/** Everything a server sends until it closes the connection. */
async function receive(port: number, text: string): Promise<string> {
  const socket = connect(port, "127.0.0.1").setEncoding("latin1");
  let received = "";
  socket.on("data", (chunk: string) => (received += chunk)).write(text);
  await new Promise((resolve) => socket.on("error", () => undefined).once("close", resolve));
  return received;
}

it("A listening server can be told to accept requests without Host", async () => {
  const { server, port } = await listening((_, response) => response.end("ours"));
  setServerOptions(server, { checkEveryMs: 1_000, maxHeaderSize: 16_384 });
  expect(await receive(port, "GET / HTTP/1.1\r\nConnection: close\r\n\r\n")).toMatch(/^HTTP\/1\.1 200 .*ours/s);
});

it("A listening server can be told to check for slow connections more often", async () => {
  const { server, port } = await listening((_, response) => response.end());
  server.headersTimeout = 100;
  setServerOptions(server, { checkEveryMs: 50, maxHeaderSize: 16_384 });
  expect(await receive(port, "GET / HTTP/1.1\r\nHost: x\r\n")).toMatch(/^HTTP\/1\.1 408 /);
});

it("A listening server can be told to accept longer headers", async () => {
  const { server, port } = await listening((_, response) => response.end());
  const long = `GET /${"x".repeat(20_000)} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`;
  expect(await receive(port, long)).toMatch(/^HTTP\/1\.1 431 /);
  setServerOptions(server, { checkEveryMs: 1_000, maxHeaderSize: 32_768 });
  expect(await receive(port, long)).toMatch(/^HTTP\/1\.1 200 /);
});

it("A connection can be kept open after a response that announces its end", async () => {
  let isKept = false;
  const { port } = await listening(({ socket }, response) => {
    response.writeHead(200, { connection: "close" });
    keepOpenAfter(response);
    response.end("answered", () =>
      setTimeout(() => {
        isKept = socket.writable;
        socket.destroy();
      }, 50),
    );
  });
  expect(await receive(port, "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\nunfin")).toContain("answered");
  expect(isKept).toBe(true);
});

it("A request without a body can end before it is read, and its connection takes further requests", async () => {
  const ended: boolean[] = [];
  const { port } = await listening((message, response) => {
    endEmptyBody(message);
    ended.push(message.readableEnded);
    setImmediate(() => response.end(String(message.complete)));
  });
  const get = "GET / HTTP/1.1\r\nHost: x\r\n";
  const received = await receive(port, `${get}\r\n${get}\r\n${get}Connection: close\r\n\r\n`);
  expect(received.match(/HTTP\/1\.1 200 OK/g)).toHaveLength(3);
  expect(received.match(/true/g)).toHaveLength(3);
  expect(ended).toEqual([true, true, true]);
});

it.each([
  ["Content-Length: 5\r\n\r\nhello", "hello"],
  ["Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n", "hello"],
  ["Content-Length: 0\r\n\r\n", ""],
])("A body is read as before: %j", async (rest, body) => {
  const { port } = await listening((message, response) => {
    endEmptyBody(message);
    void message.toArray().then((chunks) => response.end(`<${Buffer.concat(chunks as Buffer[]).toString()}>`));
  });
  const received = await receive(port, `POST / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${rest}`);
  expect(received).toContain(`<${body}>`);
});

it("A response can end with text that is sent in one piece with its head, also out of turn and for HEAD", async () => {
  const { port } = await listening(({ url }, response) => {
    const answer = (): void => {
      response.writeHead(200, ["content-type", "text/plain", "content-length", "5"]);
      endWith(response, `text${url!.slice(1)}`);
    };
    // The later answer is ready first.
    if (url === "/1") setTimeout(answer, 20);
    else answer();
  });
  const head = "HTTP/1.1\r\nHost: x\r\n";
  const received = await receive(
    port,
    `GET /1 ${head}\r\nGET /2 ${head}\r\nHEAD /3 ${head}\r\nGET /4 ${head}Connection: close\r\n\r\n`,
  );
  const answers = received.split("HTTP/1.1 200 OK\r\n").slice(1);
  expect(answers.map((answer) => answer.slice(answer.indexOf("\r\n\r\n") + 4))).toEqual([
    "text1",
    "text2",
    "",
    "text4",
  ]);
  expect(answers.every((answer) => answer.includes("content-length: 5\r\n"))).toBe(true);
});

it("h3 chooses a route by method and path only", async () => {
  const router = new H3();
  router.on("GET", "/users/:id", ({ context }) => [context.params, context.matchedRoute?.route]);
  router.all("/users/:id", () => "another method");
  router.all("/**", () => "nothing");
  const ask = (method: string, path: string): unknown => router.handler(eventOf(method, path, {}));
  expect(await ask("GET", "/users/7")).toEqual([{ id: "7" }, "/users/:id"]);
  expect(await ask("DELETE", "/users/7")).toBe("another method");
  expect(await ask("GET", "/users/7/more")).toBe("nothing");
  expect(await ask("HEAD", "/")).toBe("nothing");
});
