import { onTestFinished } from "vitest";
import { serve, type RunningServer, type ServeOptions } from "../src/server/index.ts";

/** An answer of the control API. */
export interface Answered {
  readonly status: number;
  readonly headers: Headers;
  readonly body: any; // oxlint-disable-line typescript/no-explicit-any
}

export interface ControlledServer extends RunningServer {
  /** One request to the control API, with its key. */
  control(route: string, body?: unknown, headers?: Record<string, string>): Promise<Answered>;
}

/** A server on a free port, with a memory store unless another is named. */
export async function startServer(options: ServeOptions = {}): Promise<ControlledServer> {
  const server = await serve({ port: 0, store: "memory", providers: "simulated", ...options });
  let isClosed = false;
  const close = async (): Promise<void> => {
    if (!isClosed) await server.close();
    isClosed = true;
  };
  onTestFinished(close);
  return {
    ...server,
    get instances() {
      return server.instances;
    },
    close,
    control: (route, body, headers) =>
      call(server.url, route, body, { authorization: `Bearer ${server.control_key}`, ...headers }),
  };
}

/** One request to a control API. @param route such as `POST /clock/freeze` */
export async function call(
  url: string,
  route: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<Answered> {
  const [method = "", path = ""] = route.split(" ");
  const response = await fetch(`${url}/__svc/v1${path}`, {
    method,
    redirect: "manual",
    headers: { ...(body !== undefined && { "content-type": "application/json" }), ...headers },
    ...(body !== undefined && { body: typeof body === "string" ? body : JSON.stringify(body) }),
  });
  const text = await response.text();
  return {
    status: response.status,
    headers: response.headers,
    body: text.startsWith("{") || text.startsWith("[") ? JSON.parse(text) : text,
  };
}

/** Follows a sign-in to the application's address, like a program. */
export async function followSignIn(start: string, headers: Record<string, string> = {}): Promise<URL | number> {
  let location = start;
  for (let hop = 0; hop < 3; hop++) {
    const response = await fetch(location, { redirect: "manual", headers });
    await response.body?.cancel();
    const next = response.headers.get("location");
    if (next === null) return response.status;
    location = next;
  }
  return new URL(location);
}
