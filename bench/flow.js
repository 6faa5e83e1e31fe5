// Runs whole sign-ins over raw keep-alive sockets, as an application's user and its server would.
import { connect } from "node:net";

const APP = "http://localhost:3000/callback";

/** One connection that sends a request at a time. */
class Connection {
  #socket;
  #received = "";
  #resolve;

  constructor(port) {
    this.port = port;
    this.#socket = connect(port, "127.0.0.1").setNoDelay(true);
    this.#socket.on("data", (chunk) => this.#receive(chunk));
  }

  /** @returns {Promise<{ status: number, location: string, body: string }>} */
  request(method, path, headers = "", body = "") {
    const length = body === "" ? "" : `Content-Length: ${Buffer.byteLength(body)}\r\n`;
    this.#socket.write(`${method} ${path} HTTP/1.1\r\nHost: localhost:${this.port}\r\n${headers}${length}\r\n${body}`);
    return new Promise((resolve) => (this.#resolve = resolve));
  }

  close() {
    this.#socket.destroy();
  }

  #receive(chunk) {
    this.#received += chunk.latin1Slice();
    const end = this.#received.indexOf("\r\n\r\n");
    if (end < 0) return;
    const head = this.#received.slice(0, end);
    const length = Number(/content-length: (\d+)/i.exec(head)?.[1] ?? 0);
    if (this.#received.length < end + 4 + length) return;
    const body = this.#received.slice(end + 4, end + 4 + length);
    this.#received = "";
    this.#resolve({
      status: Number(head.slice(9, 12)),
      location: /\r\nlocation: ([^\r]+)/i.exec(head)?.[1] ?? "",
      body,
    });
  }
}

/** One sign-in: start, redirects to the picker, a choice, the callback, and the verification of its token. */
async function signIn(connection, key, account) {
  const start = `/oauth/authorize?provider=github&redirect_uri=${encodeURIComponent(APP)}`;
  let answer = await connection.request("GET", start);
  while (answer.status === 302) {
    if (answer.location.startsWith(APP)) return verify(connection, key, answer.location);
    answer = await connection.request("GET", pathOf(answer.location));
  }
  const links = [...answer.body.matchAll(/href="([^"]*(?:login_hint|as)=[^"]*)"/g)].map(([, link]) => link);
  const link = links[account % links.length]?.replaceAll("&amp;", "&").replaceAll("&#38;", "&");
  if (link === undefined) throw new Error(`no account to choose: ${answer.status} ${answer.body.slice(0, 200)}`);
  answer = await connection.request("GET", link.startsWith("?") ? `/__svc/simulator/github/authorize${link}` : link);
  while (!answer.location.startsWith(APP)) {
    if (answer.status !== 302) throw new Error(`${answer.status}: ${answer.body.slice(0, 200)}`);
    answer = await connection.request("GET", pathOf(answer.location));
  }
  return verify(connection, key, answer.location);
}

async function verify(connection, key, location) {
  const token = new URL(location).searchParams.get("token");
  const headers = `X-Service-Secret-Key: ${key}\r\nContent-Type: application/json\r\n`;
  const { status, body } = await connection.request(
    "POST",
    "/api/v1/tokens/verify",
    headers,
    JSON.stringify({ token }),
  );
  if (status !== 200) throw new Error(`${status}: ${body}`);
}

function pathOf(location) {
  return location.replace(/^https?:\/\/[^/]+/, "");
}

/**
 * Whole sign-ins, `lanes` at once for `seconds`.
 * @returns {Promise<number>} sign-ins per second
 */
export async function signIns({ port, key, lanes = 16, seconds = 2 }) {
  const end = performance.now() + seconds * 1000;
  let done = 0;
  await Promise.all(
    Array.from({ length: lanes }, async (_, lane) => {
      const connection = new Connection(port);
      while (performance.now() < end) {
        await signIn(connection, key, lane);
        done++;
      }
      connection.close();
    }),
  );
  return done / seconds;
}
