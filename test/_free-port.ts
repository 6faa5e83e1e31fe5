import { once } from "node:events";
import { createServer } from "node:net";

/** Below those that systems give to outgoing connections, which could take one before a program listens on it. */
const [FROM, COUNT] = [10_000, 20_000];

/** None is given twice, while the first program has not begun to listen on it. */
const given = new Set<number>();

/** A port of 127.0.0.1 for a program that must be told one. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = FROM + Math.floor(Math.random() * COUNT);
    if (given.has(port)) continue;
    const server = createServer().listen(port, "127.0.0.1");
    try {
      await once(server, "listening");
    } catch {
      continue;
    }
    await new Promise((resolve) => server.close(resolve));
    given.add(port);
    return port;
  }
}
