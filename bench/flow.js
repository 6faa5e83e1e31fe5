// Runs whole sign-ins over raw keep-alive sockets, as an application's user and its server would.
import { connect } from "node:net";

export const APP = "http://localhost:3000/callback";

/** One connection that sends a request at a time, and the cookies that it was given. */
export class Connection {
  #socket;
  #cookies = new Map();
  #received = "";
  #resolve;
  #reject;

  constructor(port) {
    this.port = port;
    this.#socket = connect(port, "127.0.0.1").setNoDelay(true);
    this.#socket.on("data", (chunk) => this.#receive(chunk));
    this.#socket.on("error", (error) => this.#reject?.(error));
  }

  /** @returns {Promise<{ status: number, location: string, body: string }>} */
  request(method, path, headers = "", body = "") {
    const length = body === "" ? "" : `Content-Length: ${Buffer.byteLength(body)}\r\n`;
    const cookie = this.#cookies.size === 0 ? "" : `Cookie: ${[...this.#cookies.values()].join("; ")}\r\n`;
    this.#socket.write(
      `${method} ${path} HTTP/1.1\r\nHost: localhost:${this.port}\r\n${headers}${cookie}${length}\r\n${body}`,
    );
    return new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
  }

  close() {
    this.#socket.destroy();
    this.onClose?.();
  }

  #receive(chunk) {
    this.#received += chunk.latin1Slice();
    const end = this.#received.indexOf("\r\n\r\n");
    if (end < 0) return;
    const head = this.#received.slice(0, end);
    const rest = this.#received.slice(end + 4);
    const isChunked = /\r\ntransfer-encoding: chunked/i.test(head);
    const length = Number(/content-length: (\d+)/i.exec(head)?.[1] ?? 0);
    if (isChunked ? !rest.endsWith("0\r\n\r\n") : rest.length < length) return;
    const body = isChunked ? unchunked(rest) : rest.slice(0, length);
    this.#received = "";
    for (const [, cookie, name, attributes] of head.matchAll(/\r\nset-cookie: (([^=]*)=[^;\r]*)([^\r]*)/gi))
      if (/max-age=0/i.test(attributes)) this.#cookies.delete(name);
      else this.#cookies.set(name, cookie);
    this.#resolve({
      status: Number(head.slice(9, 12)),
      location: /\r\nlocation: ([^\r]+)/i.exec(head)?.[1] ?? "",
      body,
    });
  }
}

/** The content of a chunked body (RFC 9112, 7.1). */
function unchunked(text) {
  let content = "";
  for (let at = 0; ;) {
    const end = text.indexOf("\r\n", at);
    const size = Number.parseInt(text.slice(at, end), 16);
    if (size === 0) return content;
    content += text.slice(end + 2, end + 2 + size);
    at = end + 2 + size + 2;
  }
}

/** One sign-in: start, redirects to the picker, a choice, the callback, and the verification of its token. */
async function signInAtSvc(connection, { key, account, provider }) {
  const token = await tokenFrom(connection, account, provider);
  const asked = JSON.stringify({ token });
  const { status, body } = await connection.request("POST", "/api/v1/tokens/verify", keyHeaders(key), asked);
  if (status !== 200) throw new Error(`${status}: ${body}`);
}

/** The token of somebody who signs in. */
export async function tokenOf({ port }) {
  const connection = new Connection(port);
  const token = await tokenFrom(connection, 0);
  connection.close();
  return token;
}

async function tokenFrom(connection, account, provider) {
  const { path, page } = await pickerFrom(connection, provider);
  const choices = choicesOn(page, path);
  const choice = choices[account % choices.length];
  if (choice === undefined) throw new Error(`no account to choose: ${page.slice(0, 200)}`);
  let answer = await connection.request("GET", choice);
  while (!answer.location.startsWith(APP)) {
    if (answer.status !== 302) throw new Error(`${answer.status}: ${answer.body.slice(0, 200)}`);
    answer = await connection.request("GET", pathOf(answer.location));
  }
  return new URL(answer.location).searchParams.get("token");
}

/** The address of a picker, with its request. */
export async function pickerOf({ port }) {
  const connection = new Connection(port);
  const { path, page } = await pickerFrom(connection);
  connection.close();
  return `${path}?request=${requestOn(page)}`;
}

async function pickerFrom(connection, provider = "google") {
  const start = `/oauth/authorize?provider=${provider}&redirect_uri=${encodeURIComponent(APP)}`;
  let answer = await connection.request("GET", start);
  let address = start;
  while (answer.status === 302) {
    address = pathOf(answer.location);
    answer = await connection.request("GET", address);
  }
  if (answer.status !== 200) throw new Error(`no picker: ${answer.status} ${answer.body.slice(0, 200)}`);
  return { path: address.split("?")[0], page: answer.body };
}

function requestOn(page) {
  return /name="request" value="([^"]*)"/.exec(page)?.[1];
}

/** Where a choice leads: buttons of svc's form, or links of what is compared with it. */
function choicesOn(page, path) {
  const request = requestOn(page);
  const buttons = [...page.matchAll(/name="login_hint" value="([^"]*)"/g)];
  if (buttons.length > 0) return buttons.map(([, id]) => `${path}?request=${request}&login_hint=${id}`);
  return [...page.matchAll(/href="([^"]*as=[^"]*)"/g)].map(([, link]) => link.replaceAll("&amp;", "&"));
}

/** What an application's server sends with each request. */
export function keyHeaders(key) {
  return `X-Service-Secret-Key: ${key}\r\nContent-Type: application/json\r\n`;
}

export function pathOf(location) {
  return location.replace(/^https?:\/\/[^/]+/, "");
}

/**
 * Whole sign-ins, `lanes` at once for `seconds`, and `most` of them.
 * @param options.signIn how one is made: of svc and of what answers as it does, unless another is given
 * @param options.provider `google`, unless another is named
 * @param options.isEnough ends them before the time is over
 * @param options.note is told when each began and ended
 * @returns {Promise<number>} sign-ins per second
 */
export async function signIns({
  port,
  key,
  lanes = 16,
  seconds = 2,
  most = Infinity,
  signIn = signInAtSvc,
  provider,
  isEnough = () => false,
  note = () => undefined,
}) {
  const start = performance.now();
  let begun = 0;
  let done = 0;
  await Promise.all(
    Array.from({ length: lanes }, async (_, lane) => {
      const connection = new Connection(port);
      while (performance.now() - start < seconds * 1000 && begun++ < most && !isEnough()) {
        const begin = performance.now();
        await signIn(connection, { key, account: lane, provider });
        note(begin, performance.now());
        done++;
      }
      connection.close();
    }),
  );
  return (done / (performance.now() - start)) * 1000;
}
