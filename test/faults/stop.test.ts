import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { connect } from "node:net";
import { createInterface } from "node:readline";
import { setTimeout as delay } from "node:timers/promises";
import { expect, it } from "vitest";
import { BIN } from "../_paths.ts";
import { directory, figure } from "./_processes.ts";

const CLIENTS = 32;

async function serve(drain: number): Promise<{ child: ChildProcess; port: number }> {
  const args = ["serve", "--port", "0", "--json", "--quiet", "--store", "memory", "--drain", `${drain}ms`];
  const child = spawn(process.execPath, [BIN, ...args], {
    cwd: await directory("quick"),
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [line] = (await once(createInterface({ input: child.stdout }), "line")) as [string];
  return { child, port: (JSON.parse(line) as { port: number }).port };
}

interface Sent {
  readonly at: number;
  isAnswered: boolean;
}

/** Sends requests until the server is gone, on one kept connection or on a new one each time. */
async function client(port: number, isKept: boolean, sent: Sent[]): Promise<void> {
  const redirect = encodeURIComponent("http://localhost:3000/callback");
  const more = isKept ? "" : "Connection: close\r\n";
  const request = `GET /oauth/authorize?provider=google&redirect_uri=${redirect} HTTP/1.1\r\nHost: localhost:${port}\r\n${more}\r\n`;
  for (;;) {
    const socket = connect(port, "127.0.0.1").setEncoding("latin1").setNoDelay(true);
    let isOpen = false;
    let current: Sent | undefined;
    let text = "";
    const ask = (): void => {
      text = "";
      socket.write(request);
      // After the write, which hands the request to the kernel before it returns.
      sent.push((current = { at: performance.now(), isAnswered: false }));
    };
    socket.on("connect", () => {
      isOpen = true;
      ask();
    });
    socket.on("data", (part: string) => {
      text += part;
      if (!text.includes("\r\n\r\n")) return;
      expect(text).toMatch(/^HTTP\/1\.1 302 /);
      current!.isAnswered = true;
      if (!/^connection: close/im.test(text)) ask();
    });
    await new Promise((resolve) => socket.on("error", () => undefined).once("close", resolve));
    if (!isOpen) return;
  }
}

const STOPS = figure(6, 200);

it(`${STOPS} SIGTERMs under load leave no request unanswered that was sent before the drain ended`, async () => {
  const totals = { before: 0, answered: 0, after: 0 };
  for (let round = 0; round < STOPS; round++) {
    const drain = [0, 150, 400][round % 3]!;
    const { child, port } = await serve(drain);
    const ended = once(child, "close") as Promise<[number | null, NodeJS.Signals | null]>;
    const sent: Sent[] = [];
    const clients = Array.from({ length: CLIENTS }, (_, n) => client(port, n % 2 === 0, sent));
    while (sent.length < 2 * CLIENTS) await delay(5);
    await delay(Math.random() * 50);
    const end = performance.now() + drain;
    child.kill("SIGTERM");
    const [[code, signal]] = await Promise.all([ended, ...clients]);
    expect([code, signal]).toEqual([0, null]);
    const before = sent.filter(({ at }) => at <= end);
    totals.before += before.length;
    totals.answered += before.filter(({ isAnswered }) => isAnswered).length;
    totals.after += sent.filter(({ at, isAnswered }) => at > end && !isAnswered).length;
  }
  expect(totals.answered).toBe(totals.before);
  console.log(
    `${STOPS} SIGTERMs under ${CLIENTS} clients: ${totals.before} requests sent before the drain ended, 0 unanswered; ${totals.after} sent later were not`,
  );
});
