import { execFile } from "node:child_process";
import { mkdir, writeFile } from "node:fs/promises";
import { Agent, request, type IncomingHttpHeaders } from "node:http";
import { join } from "node:path";
import { promisify } from "node:util";
import { temporaryDirectory } from "../_files.ts";
import { freePort } from "../_free-port.ts";
import { BIN } from "../_paths.ts";
import { startUnit, type Unit } from "./_unit.ts";

const HOST = "auth.example.test";
export const APP = "https://app.example.test/callback";
export const FIRST_KEY = "sk_acme_0123456789abcdefghijklmnopqrstuvwxyz";
const CONTROL_KEY = "ctl_0123456789abcdefghijklmnopqrstuvwxyzABCDEFG";
export const PEOPLE = 160;
const EXIT_UNREACHABLE = 7;
const ATTEMPTS = 5;

/** How long each whole runs, in milliseconds. */
export const WHOLE_MS = Number(process.env["SVC_WHOLE_SECONDS"] ?? (process.env["CI"] ? 60 : 15)) * 1000;

export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  /** What may be answered because of what was being done to the servers at any time until the answer came. */
  readonly excused: readonly number[];
}

export interface Whole {
  readonly units: readonly Unit[];
  /** What was not right, and no refusal that says why. */
  readonly faults: string[];
  /** How many answers there were of each kind. */
  readonly counts: Record<string, number>;
  readonly keys: { current: string };
  /**
   * Until this is over, requests may be refused with these statuses; not one may be answered wrongly.
   * @param refusals default: no answer, 503, and a redirect that says so
   */
  disturb(work: () => Promise<void>, refusals?: readonly number[]): Promise<void>;
  /** One request, to one unit. Status 0: there was no answer. */
  send(unit: Unit, path: string, options?: SendOptions): Promise<Answer>;
  /** Resolves when every request is answered that was sent until now. */
  settled(): Promise<void>;
  /** A command of an operator. @returns its standard output */
  svc(unit: Unit, ...argv: string[]): Promise<string>;
  /** Notes an answer that is neither right nor a refusal that says why. @returns whether it is right */
  check(what: string, answer: Answer, isRight: boolean): boolean;
}

export interface SendOptions {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: object;
}

export const secret = (key: string): Readonly<Record<string, string>> => ({ "x-service-secret-key": key });
export const control = (key = CONTROL_KEY): Readonly<Record<string, string>> => ({ authorization: `Bearer ${key}` });

/**
 * Servers as others reach them: beyond loopback, behind a proxy that names its clients.
 * @param stores of each unit
 * @param config what `--config` names
 */
export async function startWhole(stores: readonly string[], config: object = {}): Promise<Whole> {
  const directory = temporaryDirectory();
  const seed = join(directory, "seed.json");
  const personas = Array.from({ length: PEOPLE }, (_, n) => ({
    id: `p${n}`,
    name: `Person ${n}`,
    email: `p${n}@acme.test`,
    google: { sub: String(n), email_verified: true },
  }));
  const instances = [{ name: "Acme", subdomain: "acme", secret_key: FIRST_KEY, redirect_uris: [APP] }];
  await writeFile(seed, JSON.stringify({ instances, personas }));
  const configured = join(directory, "svc.config.json");
  await writeFile(configured, JSON.stringify(config));
  const flags = [
    "--config",
    configured,
    "--seed",
    seed,
    "--public-url",
    `https://${HOST}`,
    "--providers",
    "simulated",
    "--trust-proxy",
    "127.0.0.1",
  ];
  const more = ["--control", "--metrics", "--log-level", "warn", "--drain", "1s"];
  const units: Unit[] = [];
  for (const [n, store] of stores.entries()) {
    const cwd = join(directory, String(n));
    await mkdir(cwd);
    const env = { PATH: process.env["PATH"], HOME: cwd, SVC_STORE: store, SVC_CONTROL_KEY: CONTROL_KEY };
    const unit = startUnit(await freePort(), cwd, env, [...flags, ...more]);
    units.push(unit);
    await unit.ready();
  }
  let agent = new Agent({ keepAlive: true });
  const running = new Set<Promise<unknown>>();
  const faults: string[] = [];
  const counts: Record<string, number> = {};
  const disturbances: { readonly refusals: readonly number[]; until: number }[] = [];

  return {
    units,
    faults,
    counts,
    keys: { current: FIRST_KEY },
    async disturb(work, refusals = [0, 302, 503]) {
      const disturbance = { refusals, until: Infinity };
      disturbances.push(disturbance);
      await work();
      // The connections of a process that has ended are not used again.
      agent = new Agent({ keepAlive: true });
      disturbance.until = performance.now();
    },
    async send(unit, path, options) {
      const sent = performance.now();
      const exchanged = exchange(agent, unit.port, path, options);
      running.add(exchanged);
      const answer = await exchanged;
      running.delete(exchanged);
      return { ...answer, excused: disturbances.flatMap(({ refusals, until }) => (until >= sent ? refusals : [])) };
    },
    settled: async () => void (await Promise.all(running)),
    async svc({ cwd, env }, ...argv) {
      const options = { cwd, env: { ...env, SVC_CONTROL_KEY: undefined }, maxBuffer: 1 << 26 };
      for (let attempts = 1; ; attempts++)
        try {
          return (await promisify(execFile)(process.execPath, [BIN, ...argv], options)).stdout;
        } catch (error) {
          // A machine that is busy with other tests may be too slow for it.
          if ((error as { code: unknown }).code !== EXIT_UNREACHABLE || attempts === ATTEMPTS) throw error;
        }
    },
    check(what, answer, isRight) {
      const { status, headers, body, excused } = answer;
      counts[`${what} ${status}`] = (counts[`${what} ${status}`] ?? 0) + 1;
      if (isRight) return true;
      const code = new URL(headers.location ?? APP, APP).searchParams.get("error");
      const saysWhy = status === 0 || code === "temporarily_unavailable" || /"error":"[^"]+"/.test(body);
      if (!excused.includes(status) || !saysWhy) faults.push(`${what}: ${status} ${code ?? ""} ${body.slice(0, 200)}`);
      return false;
    },
  };
}

function exchange(
  agent: Agent,
  port: number,
  path: string,
  { method = "GET", headers = {}, body }: SendOptions = {},
): Promise<Omit<Answer, "excused">> {
  return new Promise((resolve) => {
    const text = body === undefined ? undefined : JSON.stringify(body);
    const sent = { host: HOST, ...headers, ...(text !== undefined && { "content-type": "application/json" }) };
    let isKept = false;
    const none = (error: NodeJS.ErrnoException): void => {
      // A connection that was kept may be closed just when it is used again: nothing was taken from it.
      if (isKept && error.code === "ECONNRESET" && method === "GET" && !path.startsWith("/oauth/"))
        resolve(exchange(agent, port, path, { method, headers, ...(body !== undefined && { body }) }));
      else resolve({ status: 0, headers: {}, body: error.code ?? error.message });
    };
    const outgoing = request({ agent, host: "127.0.0.1", port, path, method, headers: sent }, (response) => {
      let all = "";
      response
        .setEncoding("utf8")
        .on("data", (part: string) => (all += part))
        .on("error", none)
        .on("end", () => resolve({ status: response.statusCode!, headers: response.headers, body: all }));
    });
    outgoing.on("socket", () => (isKept = outgoing.reusedSocket));
    outgoing.on("error", none).end(text);
  });
}
