import { once } from "node:events";
import { createServer, Server, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { ControlError } from "../control-client/index.ts";
import { ServeError } from "../server/errors.ts";
import { createNetworkFetch } from "./fetch.ts";
import { urlFrom } from "../http/address.ts";

/** The cookies of one host, as a browser keeps them. Paths and `Secure` don't narrow them. */
export class ApplicationCookies {
  readonly #values = new Map<string, string>();

  keep({ headers }: Response, now: number): void {
    for (const line of headers.getSetCookie()) {
      const [, name = "", value = ""] = /^\s*([^=;]+)=([^;]*)/.exec(line) ?? [];
      if (name === "") continue;
      if (isOver(line, now)) this.#values.delete(name);
      else this.#values.set(name, value);
    }
  }

  set(name: string, value: string): void {
    this.#values.set(name, value);
  }

  get list(): { name: string; value: string }[] {
    return [...this.#values].map(([name, value]) => ({ name, value }));
  }

  /** The `Cookie` header; undefined without any. */
  get header(): string | undefined {
    return this.#values.size === 0 ? undefined : this.list.map(({ name, value }) => `${name}=${value}`).join("; ");
  }
}

function isOver(line: string, now: number): boolean {
  const [, maxAge] = /;\s*max-age=(-?\d+)/i.exec(line) ?? [];
  if (maxAge !== undefined) return Number(maxAge) <= 0;
  const [, expires] = /;\s*expires=([^;]+)/i.exec(line) ?? [];
  return expires !== undefined && Date.parse(expires) <= now;
}

type FetchHandler = (request: Request) => Response | Promise<Response>;

/**
 * What a test calls an application: its address; a fetch-style handler, or an object with one, such as an application of Hono;
 * or a listener or server of `node:http`, such as an application of Express.
 */
export type Application =
  | string
  | URL
  | FetchHandler
  | { readonly fetch: FetchHandler }
  | ((request: IncomingMessage, response: ServerResponse) => unknown)
  | Server;

/** How an application is reached. */
export interface Reach {
  /** Of an application at an address; undefined for one in this process, which is where its sign-in says. */
  readonly origin: string | undefined;
  /** Sends one request, and follows no redirect. @param url whatever its origin is in this process */
  send(url: URL, init: RequestInit): Promise<Response>;
  close(): Promise<void>;
}

/** @throws {ServeError} for what is none of them */
export async function reachOf(app: Application): Promise<Reach> {
  if (typeof app === "string" || app instanceof URL) return atAddress(String(app));
  if (app instanceof Server) return atServer(app);
  if (typeof app === "object" && typeof app?.fetch === "function") return byHandler((request) => app.fetch(request));
  // As `node:http` and every framework on it declare it: a fetch-style handler has no second parameter that it needs.
  if (typeof app === "function" && app.length >= 2) return atServer(createServer(app as never));
  if (typeof app === "function") return byHandler(app as FetchHandler);
  throw new ServeError(
    "signInTo needs the application: its address, a fetch-style handler, or a listener or server of node:http. Write signInTo(app).",
  );
}

function byHandler(handle: FetchHandler): Reach {
  return {
    origin: undefined,
    async send(url, init) {
      const response: unknown = await handle(new Request(url, init));
      // Of any realm: a simulated browser has its own.
      if (typeof response === "object" && response !== null && "headers" in response) return response as Response;
      throw new ServeError(
        `The application returned no Response for ${url.pathname}. Pass signInTo a fetch-style handler.`,
      );
    },
    close: async () => undefined,
  };
}

function atAddress(address: string): Reach {
  const isAddress = /^https?:$/.test(urlFrom(address)?.protocol ?? "");
  if (!isAddress)
    throw new ServeError(`"${address}" is not the address of an application, such as http://localhost:3000.`);
  const { fetch, close } = createNetworkFetch();
  return {
    origin: new URL(address).origin,
    close,
    send: (url, init) =>
      fetch(url, { ...init, redirect: "manual" }).catch((cause: unknown) => {
        if (init.signal?.aborted) throw cause;
        const message = `${url.origin} does not answer. Start the application before signInTo, or pass the application itself.`;
        throw new ControlError("connection", undefined, message, { cause });
      }),
  };
}

/** Listens on a free port, if it does not listen yet, and does not keep the process alive. */
async function atServer(server: Server): Promise<Reach> {
  const isOurs = !server.listening;
  if (isOurs) await once(server.listen(0, "127.0.0.1"), "listening");
  server.unref();
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const reach = atAddress(origin);
  return {
    origin: undefined,
    send: (url, init) => reach.send(new URL(url.pathname + url.search, origin), init),
    async close() {
      await reach.close();
      if (!isOurs) return;
      server.closeAllConnections();
      server.close();
    },
  };
}
