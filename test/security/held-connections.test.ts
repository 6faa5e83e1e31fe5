import { once } from "node:events";
import { connect as connectPlain, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import { setTimeout as delay } from "node:timers/promises";
import { expect, it } from "vitest";
import { CLOSE, DISCOVERY, KEY, KEYED, VERIFY } from "../_raw-http.ts";
import { seedFile } from "../_seed-file.ts";
import { startSvc, type Started } from "../_attacks.ts";
import { temporaryDirectory } from "../_files.ts";

const USERS = Array.from({ length: 20_000 }, (_, i) => ({ email: `u${i}@x.test`, name: "n".repeat(200) }));
const SEED = { instances: [{ name: "A", subdomain: "a", secret_key: KEY, users: USERS }] };
const EACH = 10;
const HOST = "HTTP/1.1\r\nHost: {host}\r\n";
const LIST = `GET /api/v1/users ${HOST}${KEYED}`;

/** How a client that never closes its side begins, and what it sends afterwards, again and again. */
const ATTACKS: [name: string, begin: string, piece: string][] = [
  ["a head that does not end", `GET / ${HOST}`, "X: y\r\n"],
  ["nothing but line ends", "", "\r\n"],
  ["a body that does not end", `${VERIFY}${KEYED}Content-Length: 1000\r\n\r\n`, "x"],
  ["chunks that do not end", `${VERIFY}${KEYED}Transfer-Encoding: chunked\r\n\r\n`, "1\r\nx\r\n"],
  ["a body that nobody reads", `${VERIFY}Content-Length: 70000\r\n\r\n`, "x"],
  ["more after the answer", `GET ${DISCOVERY} ${HOST}${CLOSE}\r\n`, "X"],
  ["a second head that does not end", `GET ${DISCOVERY} ${HOST}\r\nGET / ${HOST}`, "X: y\r\n"],
  ["what is malformed", "GARBAGE\r\n\r\n", "X"],
  ["a tunnel", "CONNECT x:1 HTTP/1.1\r\nHost: x:1\r\n\r\n", "X"],
  ["requests without reading the answers", `${LIST}\r\n`, "\r\n"],
  ["a last request without reading the answer", `${LIST}${CLOSE}\r\n`, "\r\n"],
];

async function open(port: number, https: boolean): Promise<Socket> {
  const to = { port, host: "127.0.0.1", allowHalfOpen: true };
  const socket = https ? connectTls({ ...to, rejectUnauthorized: false }) : connectPlain(to);
  socket.on("error", () => undefined).pause();
  await once(socket, https ? "secureConnect" : "connect");
  return socket;
}

/** A busy machine needs longer than the 15 seconds after which all are closed. */
const PATIENCE_MS = 45_000;

/** @returns what is still held when all should be closed */
async function attack(port: number, https: boolean): Promise<string[]> {
  const held: { name: string; begin: string; piece: string; socket: Socket }[] = [];
  for (const [name, begin, piece] of ATTACKS)
    // Lists take a while to fill the buffers on their way.
    for (let n = 0; n < (begin.startsWith(LIST) ? 2 : EACH); n++)
      held.push({ name, begin, piece, socket: await open(port, https) });
  // A record of TLS that does not end.
  const handshake = { name: "a handshake", begin: "\x16\x03\x01\x02\x00", piece: "\x01" };
  if (https) for (let n = 0; n < EACH; n++) held.push({ ...handshake, socket: await open(port, false) });
  for (const { name, begin, socket } of held) {
    if (!name.includes("without reading")) socket.resume();
    socket.write(begin.replaceAll("{host}", `localhost:${port}`));
  }
  const holding = (): typeof held => held.filter(({ socket }) => !socket.destroyed);
  // What the server has closed is noticed when something is sent.
  for (const end = Date.now() + PATIENCE_MS; holding().length > 0 && Date.now() < end; await delay(200))
    holding().forEach(({ piece, socket }) => socket.write(piece));
  const left = holding().map(({ name }) => name);
  held.forEach(({ socket }) => socket.destroy());
  return left;
}

it("slower: T54: No connection of an attacker is held for long, by http or https", { timeout: 90_000 }, async () => {
  const flags = ["--json", "--quiet", "--store", "memory", "--seed", seedFile(SEED)];
  const start = (...more: string[]): Promise<Started> => startSvc([...flags, ...more], { cwd: temporaryDirectory() });
  const [http, https] = await Promise.all([start(), start("--https")]);
  expect(await Promise.all([attack(http.port, false), attack(https.port, true)])).toEqual([[], []]);
});
