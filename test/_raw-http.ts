import { connect, type Socket } from "node:net";
import { afterAll, afterEach, beforeAll, beforeEach, expect } from "vitest";
import { serve, type RunningServer } from "../src/server/index.ts";
import { SEED } from "./_setup.ts";

export const KEY = SEED.instances[0]!.secret_key;

export const DISCOVERY = "/.well-known/openid-configuration";

export const VERIFY = "POST /api/v1/tokens/verify HTTP/1.1\r\nHost: {host}\r\n";

export const KEYED = `X-Service-Secret-Key: ${KEY}\r\nContent-Type: application/json\r\n`;

export const CLOSE = "Connection: close\r\n";

export interface Reply {
  status: number;
  headers: Record<string, string>;
  body: string;
}

/** The responses in a server's output. The last may be cut off; anything else that is not a response throws. */
export function parseReplies(text: string): Reply[] {
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

export function takeChunks(text: string): [body: string, rest: string] {
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

export interface Opened {
  readonly socket: Socket;
  /** Everything received, once the connection is closed, however that happened. */
  readonly received: Promise<string>;
}

/** Sends bytes over one connection; `{host}` stands for the server's own host. */
export function open(port: number, text: string): Opened {
  const socket = connect(port, "127.0.0.1").setEncoding("latin1");
  socket.write(text.replaceAll("{host}", `localhost:${port}`), "latin1");
  let all = "";
  socket.on("data", (chunk: string) => (all += chunk)).on("error", () => undefined);
  return { socket, received: new Promise((resolve) => socket.on("close", () => resolve(all))) };
}

export async function exchange(port: number, text: string): Promise<Reply[]> {
  return parseReplies(await open(port, text).received);
}

export const warnings: string[] = [];

export let server: RunningServer;

export let stored: string;

/** Everything the API shows of the store; also the valid request that must always be answered. */
export async function shown({ port }: RunningServer): Promise<string> {
  const headers = { "x-service-secret-key": KEY };
  const paths = ["/api/v1/users", "/api/v1/sessions", DISCOVERY];
  const answers = await Promise.all(paths.map((path) => fetch(`http://127.0.0.1:${port}${path}`, { headers })));
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
  return (await Promise.all(answers.map((answer) => answer.text()))).join("\n");
}

/** Starts the server of a file, and checks after each test that its records did not change. */
export function useServer(): void {
  beforeAll(async () => {
    server = await serve({ port: 0, store: "memory", seed: SEED as never, warn: (message) => warnings.push(message) });
    stored = await shown(server);
  });
  afterAll(() => server.close());
  beforeEach(() => {
    warnings.length = 0;
  });
  afterEach(async () => {
    expect(await shown(server)).toBe(stored);
  });
}

/** A verification with any framing, whose body would be `{}`. */
export function post(headers: string, body = "{}"): string {
  return `${VERIFY}${headers}${CLOSE}\r\n${body}`;
}
