import { spawn, type ChildProcess } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { createInterface } from "node:readline";
import { onTestFinished } from "vitest";
import type { Fetch } from "../src/http/fetch.ts";
import type { Provider } from "../src/wire/providers.ts";
import { BIN } from "./_paths.ts";
import { REAL } from "./providers/_real.ts";
import { ADA, ADA_OF_GLOBEX, APP, SEED, SESSION_OF_GLOBEX, type Service } from "./_setup.ts";
import type { Instance } from "./_tokens.ts";

/** Headers that a browser always sends. */
export const BROWSER = { "user-agent": "Mozilla/5.0", "sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate" };

/** A sign-in up to the callback's address, which is not requested yet. */
export async function begun(
  { fetch }: Service,
  {
    provider = "google",
    as = "ada",
    headers = {},
  }: { provider?: Provider; as?: string; headers?: Record<string, string> } = {},
): Promise<{ callback: string; cookie: string; state: string }> {
  const query = new URLSearchParams({ provider, redirect_uri: APP, login_hint: as });
  const start = await fetch(`/oauth/authorize?${query.toString()}`, { headers });
  const authorize = start.headers.get("location") ?? "";
  const callback = (await fetch(authorize, { headers })).headers.get("location") ?? "";
  const cookie = (start.headers.get("set-cookie") ?? "").split(";")[0] ?? "";
  return { callback, cookie, state: new URL(callback).searchParams.get("state") ?? "" };
}

export interface Reply {
  status?: number;
  headers?: Record<string, string>;
  body: string;
}

export interface LoopbackProvider {
  readonly origin: string;
  /** Everything the service sent. */
  readonly received: string[];
  /** Replaces the valid answer; "reset" cuts the connection. */
  reply: (path: string, received: string) => Reply | "reset" | undefined;
}

export const random = (): string => randomBytes(24).toString("base64url");

/** Secrets that occur nowhere else. */
export const SECRET = `sk_canary${random()}`;

export const CLIENT_SECRET = `canary${random()}`;

export const ACCESS_TOKEN = `canary${random()}`;

export const REFRESH_TOKEN = `canary${random()}`;

/** The endpoints of all providers on one local server, to run the code for real ones: `/token`, `/google/userinfo`… */
export async function openProvider(): Promise<LoopbackProvider> {
  const token = { access_token: ACCESS_TOKEN, refresh_token: REFRESH_TOKEN, expires_in: 3600 };
  const valid = new Map<string, object>([["/token", token]]);
  for (const [name, { joan }] of Object.entries(REAL))
    for (const [endpoint, body] of Object.entries(joan)) valid.set(`/${name}/${endpoint}`, body);
  const server = createServer((message, response) => {
    let body = "";
    message.setEncoding("utf8").on("data", (chunk: string) => (body += chunk));
    message.on("end", () => {
      const [path = ""] = (message.url ?? "").split("?");
      const received = `${JSON.stringify(message.headers)} ${body}`;
      provider.received.push(received);
      const reply = provider.reply(path, received) ?? { body: JSON.stringify(valid.get(path)) };
      if (reply === "reset") return void message.socket.destroy();
      return void response.writeHead(reply.status ?? 200, reply.headers).end(reply.body);
    });
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  onTestFinished(() => server.close().closeAllConnections());
  const { port } = server.address() as AddressInfo;
  const provider: LoopbackProvider = { origin: `http://127.0.0.1:${port}`, received: [], reply: () => undefined };
  return provider;
}

export function connectionsTo({ origin }: LoopbackProvider): Record<Provider, object> {
  const connections = Object.entries(REAL).map(([provider, { endpoints }]) => [
    provider,
    {
      client_id: "svc-test",
      client_secret: CLIENT_SECRET,
      endpoints: Object.fromEntries(
        Object.keys(endpoints).map((name) => [name, `${origin}${name === "token" ? "" : `/${provider}`}/${name}`]),
      ),
    },
  ]);
  return Object.fromEntries(connections) as Record<Provider, object>;
}

/** The seed with acme connected to that provider. */
export function connected(provider: LoopbackProvider, changes: object = {}): object {
  const [acme, globex] = SEED.instances;
  return { ...SEED, instances: [{ ...acme, connections: connectionsTo(provider), ...changes }, globex] };
}

export const network: Fetch = (url, init) => globalThis.fetch(url, init) as ReturnType<Fetch>;

/** Ids of one instance's records, and texts that only they contain. */
export const RECORDS = {
  acme: {
    user: ADA,
    session: "svc_session_00000000-0000-4000-8000-00000000a001",
    texts: ["0000000000a1", "00000000a00", "Lovelace", "charles@", "grace@", "digest-nobody-may-see"],
  },
  globex: {
    user: ADA_OF_GLOBEX,
    session: SESSION_OF_GLOBEX,
    texts: ["0000000000b1", "00000000b00", "Ada of Globex"],
  },
};

export function verifying(token: string): RequestInit {
  return { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify({ token }) };
}

/** Everything an instance's key can read. */
export async function everything({ as }: Service, instance: Instance): Promise<string> {
  const lists = await Promise.all(["users", "sessions"].map((name) => as(instance, `/api/v1/${name}`)));
  return (await Promise.all(lists.map((list) => list.text()))).join();
}

/** The places where ten consecutive characters of a secret are found. */
export function leaks(texts: readonly string[], secrets: Iterable<string>): string[] {
  const sought = [...secrets].map((secret) => ({
    secret,
    pieces: Array.from({ length: Math.max(1, secret.length - 9) }, (_, i) => secret.slice(i, i + 10)),
  }));
  const every = new Set(sought.flatMap(({ pieces }) => pieces));
  const lengths = [...new Set([...every].map(({ length }) => length))];
  const hasOne = (text: string): boolean =>
    lengths.some((length) => {
      for (let at = 0; at + length <= text.length; at++) if (every.has(text.slice(at, at + length))) return true;
      return false;
    });
  // Each text is read once, and not for every piece of every secret.
  const suspects = texts.filter(hasOne);
  return sought.flatMap(({ secret, pieces }) =>
    suspects.filter((text) => pieces.some((piece) => text.includes(piece))).map((text) => `${secret} in ${text}`),
  );
}

export function outcomeOf(action: () => unknown): string {
  try {
    return JSON.stringify(action());
  } catch (error) {
    return String(error);
  }
}

export interface Started {
  readonly child: ChildProcess;
  readonly port: number;
  /** Every line of stdout and stderr so far. */
  output(): string[];
  stop(): Promise<void>;
}

export interface StartOptions {
  cwd: string;
  env?: Record<string, string>;
  /** The command that runs `svc serve`; default: Node. */
  command?: string[];
  /** Whether the server runs on a terminal. */
  isText?: boolean;
}

/** `svc serve` as a separate process, once it answers. */
export function startSvc(flags: readonly string[], { cwd, env, command, isText }: StartOptions): Promise<Started> {
  const argv = [...(command ?? [process.execPath]), BIN, "serve", "--port", "0", ...flags];
  return started(argv, { cwd, env: env ?? {}, ready: isText ? /localhost:(\d+)/ : /^\{"type":"ready".*"port":(\d+)/ });
}

/** @throws with the process's output if it exits instead */
export async function started(
  [file = "", ...argv]: readonly string[],
  { cwd, env, ready }: { cwd: string; env: Record<string, string>; ready: RegExp },
): Promise<Started> {
  const child = spawn(file, argv, {
    cwd,
    env: { PATH: process.env["PATH"], SVC_DATA_DIR: process.env["SVC_DATA_DIR"], ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const ended = once(child, "exit");
  onTestFinished(() => void child.kill("SIGKILL"));
  const lines: string[] = [];
  const port = await new Promise<number>((resolve, reject) => {
    for (const stream of [child.stdout, child.stderr]) {
      createInterface(stream).on("line", (line) => {
        lines.push(line);
        const found = ready.exec(line)?.[1];
        if (found !== undefined) resolve(Number(found));
      });
    }
    child.once("close", () => reject(new Error(lines.join("\n"))));
  });
  return {
    child,
    port,
    output: () => lines,
    async stop() {
      child.kill("SIGTERM");
      await ended;
    },
  };
}
