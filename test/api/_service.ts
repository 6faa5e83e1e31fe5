import { cp } from "node:fs/promises";
import { Agent, request as send } from "node:http";
import { basename, dirname, join } from "node:path";
import { serve, type RunningServer, type ServeOptions } from "../../src/server/index.ts";
import { temporaryDirectory } from "../_files.ts";

/** The address of all servers of a test, as behind a load balancer. */
const FRONT = new URL("http://localhost:7999");
const CONTROL_KEY = "ctl_0123456789abcdefghijklmnopqrstuvwxyzABCDEFG";

export interface Asked {
  readonly method?: string;
  /** A subdomain of the front door. */
  readonly at?: string;
  readonly key?: string;
  readonly body?: unknown;
  /** The client's address, by the proxy in front. */
  readonly from?: string;
  /** Which of the servers. */
  readonly server?: number;
}

export interface Told {
  readonly status: number;
  readonly body: any; // oxlint-disable-line typescript/no-explicit-any
  readonly location: string | undefined;
  /** Path and query of the next page. */
  readonly next: string | undefined;
  readonly reason: string | undefined;
}

/** Servers on one store, behind one address, that can all be ended and started again. */
export class Service {
  #options: ServeOptions;
  readonly #count: number;
  readonly #agent = new Agent({ keepAlive: true });
  #servers: RunningServer[] = [];
  #turn = 0;

  constructor(options: ServeOptions, count: number) {
    const own = { port: 0, publicUrl: FRONT.origin, providers: "simulated", controlKey: CONTROL_KEY } as const;
    this.#options = { ...own, trustProxy: ["127.0.0.1"], ...options };
    this.#count = count;
  }

  async start(seed?: ServeOptions["seed"]): Promise<void> {
    this.#servers = [await serve({ ...this.#options, ...(seed && { seed }) })];
    while (this.#servers.length < this.#count) this.#servers.push(await serve(this.#options));
  }

  async stop(): Promise<void> {
    this.#agent.destroy();
    await Promise.all(this.#servers.splice(0).map((server) => server.close()));
  }

  /** As if the machine had lost its power: the next servers have a copy of the files, taken while the last ones ran. */
  async crash(): Promise<void> {
    const { store = "" } = this.#options;
    if (store.endsWith(".json")) {
      const copy = temporaryDirectory();
      await cp(dirname(store), copy, { recursive: true, filter: (name) => !name.endsWith(".lock") });
      this.#options = { ...this.#options, store: join(copy, basename(store)) };
    }
    await this.stop();
    await this.start();
  }

  /** One request, to one server after the other. */
  ask(path: string, { method = "GET", at, key, body, from = "192.0.2.1", server = this.#turn++ }: Asked = {}) {
    const headers = {
      host: at === undefined ? FRONT.host : `${at}.${FRONT.host}`,
      "x-forwarded-for": from,
      ...(key !== undefined && { "x-service-secret-key": key }),
      ...(path.startsWith("/__svc/v1") && { authorization: `Bearer ${CONTROL_KEY}` }),
      ...(body !== undefined && { "content-type": "application/json" }),
    };
    const { port } = this.#servers[server % this.#count]!;
    return new Promise<Told>((resolve, reject) => {
      const outgoing = send({ agent: this.#agent, host: "127.0.0.1", port, path, method, headers }, (response) => {
        let text = "";
        response
          .setEncoding("utf8")
          .on("data", (part: string) => (text += part))
          .on("error", reject)
          .on("end", () => {
            const { location, link, "svc-reason": reason } = response.headers;
            const [, next] = /<http:\/\/[^/]+([^>]+)>; rel="next"/.exec(String(link)) ?? [];
            const isJson = response.headers["content-type"]?.startsWith("application/json");
            const parsed: unknown = isJson ? JSON.parse(text) : text;
            resolve({ status: response.statusCode!, body: parsed, location, next, reason: reason as string });
          });
      });
      outgoing.on("error", reject).end(body === undefined ? undefined : JSON.stringify(body));
    });
  }

  control(method: string, path: string, body?: unknown): Promise<Told> {
    return this.ask(`/__svc/v1${path}`, { method, body });
  }
}
