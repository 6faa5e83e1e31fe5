import { request, type IncomingHttpHeaders } from "node:http";
import { onTestFinished } from "vitest";
import { serve, type RunningServer, type ServeOptions } from "../src/server/index.ts";
import { seedFile } from "./_seed-file.ts";

/** The service on its own socket. */
export async function listening(options: ServeOptions = {}): Promise<RunningServer> {
  const server = await serve({ port: 0, store: "memory", seed: seedFile(), ...options });
  onTestFinished(() => server.close());
  return server;
}

export interface Ask {
  method?: string;
  /** Sent unchanged, with its dots, escapes and backslashes. */
  path: string;
  host?: string;
  /** Name, value, name, value: a name may be repeated. */
  headers?: readonly string[];
  body?: string;
}

export interface Told {
  status: number;
  headers: IncomingHttpHeaders;
  body: string;
}

/** One request on its own connection. */
export function ask(
  port: number,
  { method = "GET", path, host = `localhost:${port}`, headers = [], body }: Ask,
): Promise<Told> {
  return new Promise((resolve, reject) => {
    const lines = ["Host", host, "Connection", "close", ...headers];
    if (body !== undefined) lines.push("Content-Length", String(Buffer.byteLength(body)));
    const out = request(
      { host: "127.0.0.1", port, method, path, headers: lines as never, agent: false },
      (response) => {
        let text = "";
        response.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
        response.on("end", () => resolve({ status: response.statusCode ?? 0, headers: response.headers, body: text }));
      },
    );
    out.on("error", reject).end(body);
  });
}
