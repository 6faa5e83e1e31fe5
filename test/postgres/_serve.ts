import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { Agent, request } from "node:http";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { onTestFinished } from "vitest";
import { requestOn } from "../_answers.ts";
import { temporaryDirectory } from "../_files.ts";
import { BIN } from "../_paths.ts";

/** The public address of all servers of a test, as behind a load balancer. */
const FRONT = "http://localhost:7999";
export const FRONT_HOST = new URL(FRONT).host;
export const APP = "http://localhost:3000/callback";
export const SECRET_KEY = "sk_acme_0123456789abcdefghijklmnopqrstuvwxyz";

export interface Answer {
  readonly status: number;
  readonly location: URL | undefined;
  readonly body: string;
}

/** What answers as a server does. */
export interface Front {
  send(path: string, method?: "GET" | "DELETE"): Promise<Answer>;
}

/** A `svc serve` process. */
export interface Server extends Front {
  readonly child: ChildProcess;
  readonly port: number;
  readonly store: string;
  readonly instances: readonly { readonly id: string; readonly name: string }[];
  /** Its stderr so far. */
  log(): string;
  stop(): Promise<void>;
}

interface Surroundings {
  /** How far this machine's clock is ahead for the server. */
  readonly clockAheadMs?: number;
  /** A command that becomes it. */
  readonly by?: readonly string[];
}

/** The output of a refused start. */
export interface Refusal {
  readonly code: number | null;
  readonly stderr: string;
}

const SEED = {
  instances: [{ name: "Acme", subdomain: "acme", secret_key: SECRET_KEY }],
  personas: Array.from({ length: 50 }, (_, n) => ({
    id: `p${n}`,
    name: `Person ${n}`,
    email: `p${n}@acme.test`,
    google: { sub: `${1000 + n}`, email_verified: true },
  })),
};

/**
 * Starts `svc serve` on a database, with the password in the environment. The default seed is that of these tests.
 */
export async function serve(
  store: string,
  args?: readonly string[],
  { clockAheadMs = 0, by = [] }: Surroundings = {},
): Promise<Server | Refusal> {
  const directory = temporaryDirectory();
  const seed = join(directory, "seed.json");
  await writeFile(seed, JSON.stringify(SEED));
  const all = ["serve", "--port", "0", "--json", "--quiet", "--public-url", FRONT, ...(args ?? ["--seed", seed])];
  const env = { PATH: process.env["PATH"], HOME: directory, SVC_STORE: store };
  const preload = clockAheadMs === 0 ? [] : ["--import", clockFile(directory, clockAheadMs)];
  const [program, ...rest] = [...by, process.execPath, ...preload, BIN, ...all] as [string, ...string[]];
  const child = spawn(program, rest, { cwd: directory, env });
  let stderr = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
  const ended = once(child, "close");
  const stop = async (): Promise<void> => {
    if (child.exitCode === null && child.signalCode === null) child.kill("SIGTERM");
    await ended;
  };
  onTestFinished(stop);
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const first = await lines.next();
  if (first.done) {
    await ended;
    return { code: child.exitCode, stderr };
  }
  const ready = JSON.parse(first.value) as Pick<Server, "store" | "instances"> & { port: number };
  return {
    child,
    port: ready.port,
    store: ready.store,
    instances: ready.instances,
    log: () => stderr,
    ...frontAt(ready.port),
    stop,
  };
}

/** What listens on a port: a server, or a load balancer. */
export function frontAt(port: number): Front {
  const agent = new Agent({ keepAlive: true });
  return { send: (path, method = "GET") => send(agent, port, path, method) };
}

/** A program that sets the clock of its process. */
function clockFile(directory: string, aheadMs: number): string {
  const path = join(directory, "clock.mjs");
  const text = `const Real = Date;
    const now = () => Real.now() + ${aheadMs};
    globalThis.Date = class extends Real {
      constructor(...given) { given.length === 0 ? super(now()) : super(...given); }
      static now() { return now(); }
    };`;
  writeFileSync(path, text);
  return path;
}

/** A server that must start. */
export async function started(store: string, args?: readonly string[], surroundings?: Surroundings): Promise<Server> {
  const server = await serve(store, args, surroundings);
  if ("send" in server) return server;
  throw new Error(`did not start: ${server.stderr}`);
}

function send(agent: Agent, port: number, path: string, method: string): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const headers = { host: FRONT_HOST, "x-service-secret-key": SECRET_KEY };
    const outgoing = request({ agent, host: "127.0.0.1", port, path, method, headers }, (response) => {
      let body = "";
      response
        .setEncoding("utf8")
        .on("data", (text: string) => (body += text))
        .on("error", reject)
        .on("end", () => {
          const { location } = response.headers;
          resolve({
            status: response.statusCode!,
            location: location === undefined ? undefined : new URL(location),
            body,
          });
        });
    });
    outgoing.on("error", (error: NodeJS.ErrnoException) => {
      // The server may close a kept connection just when it is used again.
      const wasClosed = outgoing.reusedSocket && error.code === "ECONNRESET";
      if (wasClosed) resolve(send(agent, port, path, method));
      else reject(error);
    });
    outgoing.end();
  });
}

/** Starts a sign-in up to the callback's address, each step at the next server. */
export async function callbackOf(hint: string, next: () => Front): Promise<string | Answer> {
  const query = new URLSearchParams({ provider: "google", redirect_uri: APP });
  const begun = await next().send(`/oauth/authorize?${query.toString()}`);
  if (!begun.location) return begun;
  // The picker's page contains the sealed request, without which no account can be typed in.
  const picker = await next().send(begun.location.pathname + begun.location.search);
  if (picker.status !== 200) return picker;
  const { pathname, search } = requestOn(picker.body, begun.location);
  const chosen = await next().send(`${pathname}${search}&email=${encodeURIComponent(hint)}`);
  return chosen.location ? chosen.location.pathname + chosen.location.search : chosen;
}

/** A whole sign-in. @returns the token, or the other answer */
export async function signIn(hint: string, next: () => Front): Promise<string | Answer> {
  const path = await callbackOf(hint, next);
  if (typeof path !== "string") return path;
  const answer = await next().send(path);
  return answer.location?.searchParams.get("token") ?? answer;
}

/** Asks one server after the other. */
export function inTurn(servers: readonly Server[]): () => Server {
  let n = 0;
  return () => servers[n++ % servers.length]!;
}

export async function users(server: Front): Promise<{ id: string; data: { email: string; providers: string[] } }[]> {
  const { status, body } = await server.send("/api/v1/users");
  if (status !== 200) throw new Error(`${status}: ${body}`);
  return JSON.parse(body) as Awaited<ReturnType<typeof users>>;
}

/** Two on one database, which the first has filled. */
export async function startTwo(store: string): Promise<Server[]> {
  return [await started(store), await started(store, [])];
}
