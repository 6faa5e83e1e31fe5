import { type ErrorCode, errorCode } from "../wire/errors.ts";
import { connectionFault, systemCode } from "../http/address.ts";
import { CONTROL_KEY_PREFIX, credentialKind } from "../wire/ids.ts";
import type { AnswerOf, BodyOf, ControlRoute, QueryOf } from "../wire/control/types.ts";
import { CONTROL_BASE } from "../wire/control/paths.ts";
import { type Fetch, type FetchResponse, chunksOf } from "../http/fetch.ts";
import { isObject, parsedJson } from "../text/json.ts";
import { nextPage, MAX_PAGE_SIZE, requestPath, type ParamsIn } from "../http/request.ts";

/**
 * One of the service's codes; `connection`: the server could not be reached; `redirect_refused`, `unexpected_response`: what
 * answered is not the control API; `closed`: the test service had been closed; `timeout`: what was waited for did not happen;
 * `unknown`: anything else.
 */
export type ControlErrorCode =
  | ErrorCode
  | "connection"
  | "redirect_refused"
  | "unexpected_response"
  | "closed"
  | "timeout"
  | "unknown";

/** The control API refused a request or could not be reached, or a test service could not do what it was asked. */
export class ControlError extends Error {
  override readonly name = "ControlError";
  readonly code: ControlErrorCode;
  /** The HTTP status. Undefined if there was no response. */
  readonly status: number | undefined;

  constructor(code: ControlErrorCode, status: number | undefined, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
    this.status = status;
  }
}

/** What to say of a server that could not be reached. */
function unreachable(url: string, error: unknown): string {
  const fault = connectionFault(url, systemCode(error));
  return fault ? `${fault.join(". ")}.` : `${url} cannot be reached. Is svc serve running there?`;
}

/** What to say of a key that the server refused; the key is not repeated. */
function keyRefused(url: string, key: string): string {
  const kind = credentialKind(key);
  const fault =
    kind === undefined || key.startsWith(CONTROL_KEY_PREFIX) ? `${url} has another control key` : `this is ${kind}`;
  return `${fault}. Use the one that svc env prints, which is new at each start unless SVC_CONTROL_KEY is set.`;
}

/** What to say of a path that no route has, because it is none or a parameter is missing. Undefined if all are there. */
export function incompleteRoute(route: string, params: Readonly<Record<string, string>> = {}): string | undefined {
  if (!/^[A-Z]+ \//.test(route))
    return `"${route}" is not a route. Write method and path as one: request("GET /users")`;
  const empty = [...route.matchAll(/:(\w+)/g)].find(([, name = ""]) => (params[name] ?? "") === "");
  return empty && `${empty[1]} in ${route} is empty.`;
}

export interface ControlClientOptions {
  /** The front door, e.g. `http://localhost:7820`. */
  readonly url: string;
  /** `ctl_…`, as `svc env` prints it, or `RunningServer.control_key`. A function is called for each request. */
  readonly controlKey: string | (() => string);
  /** Default: the global one. */
  readonly fetch?: Fetch | undefined;
}

/** The routes that return lists, one page at a time. */
export type ListRoute = {
  [R in ControlRoute]: AnswerOf<R> extends readonly { id: string }[] ? R : never;
}[ControlRoute];

/** The arguments of a route. Each parameter is one segment of the path, and may have any characters. */
export interface ControlCall<Route extends ControlRoute> {
  readonly params?: { readonly [Name in ParamsIn<Route>]: string } | undefined;
  readonly query?: QueryOf<Route> | undefined;
  readonly body?: BodyOf<Route> | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** The control API, typed by the table of its routes. */
export interface ControlClient {
  readonly url: string;
  /** @throws {ControlError} */
  request<Route extends ControlRoute>(route: Route, call?: ControlCall<Route>): Promise<AnswerOf<Route>>;
  /**
   * Requests one page of a list.
   * @returns `next`: the `after` of the next page, undefined on the last one
   * @throws {ControlError}
   */
  page<Route extends ControlRoute>(
    route: Route,
    call?: ControlCall<Route>,
  ): Promise<{ rows: AnswerOf<Route>; next: string | undefined }>;
  /** All rows of a list, requested page by page as they are read. @throws {ControlError} */
  rows<Route extends ListRoute>(route: Route, query?: QueryOf<Route>): AsyncGenerator<AnswerOf<Route>[number]>;
  /**
   * Events from now on, until the signal aborts or the server closes. `onOpen` is called when the server responds, which may
   * be long before the first event.
   * @throws {ControlError}
   */
  events(options?: {
    kind?: "request" | "flow" | undefined;
    signal?: AbortSignal | undefined;
    onOpen?: (() => void) | undefined;
  }): AsyncGenerator<ServerEvent>;
}

export function createControlClient({ url, controlKey, fetch = defaultFetch }: ControlClientOptions): ControlClient {
  async function send<Route extends ControlRoute>(route: Route, call: ControlCall<Route>): Promise<FetchResponse> {
    const method = route.slice(0, route.indexOf(" "));
    const path = requestPath(route, call.params, call.query as object | undefined);
    const body = call.body === undefined ? undefined : JSON.stringify(call.body);
    const key = typeof controlKey === "string" ? controlKey : controlKey();
    let response: FetchResponse;
    try {
      response = await fetch(`${url}${CONTROL_BASE}${path}`, {
        method,
        headers: { authorization: `Bearer ${key}`, ...(body !== undefined && { "content-type": "application/json" }) },
        redirect: "manual",
        ...(body !== undefined && { body }),
        ...(call.signal && { signal: call.signal }),
      });
    } catch (error) {
      if (call.signal?.aborted || error instanceof ControlError) throw error;
      throw new ControlError("connection", undefined, unreachable(url, error), { cause: error });
    }
    const { status } = response;
    if (status >= 200 && status < 300) return response;
    // A browser's `fetch` shows a redirect as status 0.
    if (status < 400)
      throw new ControlError("redirect_refused", status, `${url} redirected. Not followed, to protect the key.`);
    const error = messageOf(await response.text());
    if (error === undefined) throw unexpected(status);
    const code = errorCode(status, { error }) ?? "unknown";
    const why = code === "unauthorized" ? keyRefused(url, key) : incompleteRoute(route, call.params);
    throw new ControlError(code, status, why === undefined ? error : `${error}: ${why}`);
  }

  function unexpected(status: number): ControlError {
    return new ControlError(
      "unexpected_response",
      status,
      `${url} answered ${status}, and not as the control API does.`,
    );
  }

  async function read(response: FetchResponse): Promise<unknown> {
    const value = parsedJson(await response.text());
    if (isObject(value) || Array.isArray(value)) return value;
    throw unexpected(response.status);
  }

  const client: ControlClient = {
    url,

    request: async (route, call = {}) => (await read(await send(route, call))) as never,

    async page(route, call = {}) {
      const response = await send(route, call);
      const next = new URLSearchParams(nextPage(response.headers.get("link"))).get("after") ?? undefined;
      const rows = await read(response);
      if (!Array.isArray(rows)) throw unexpected(response.status);
      return { rows: rows as never, next };
    },

    async *rows(route, asked) {
      let after: string | undefined;
      do {
        const query = { limit: MAX_PAGE_SIZE, ...(asked as object | undefined), after } as typeof asked;
        const { rows, next } = await client.page(route, { query } as ControlCall<typeof route>);
        yield* rows;
        after = next;
      } while (after !== undefined);
    },

    async *events({ kind, signal, onOpen } = {}) {
      const response = await send("GET /events", { query: { kind }, ...(signal && { signal }) });
      onOpen?.();
      for await (const line of linesOf(response)) {
        const event = parsedJson(line);
        if (!isObject(event)) throw unexpected(response.status);
        yield event as unknown as ServerEvent;
      }
    },
  };
  return client;
}

const defaultFetch: Fetch = (url, init) => globalThis.fetch(url, init);

function messageOf(text: string): string | undefined {
  const { error } = (parsedJson(text) ?? {}) as { error?: unknown };
  return typeof error === "string" ? error : undefined;
}

/** The id of the user with this e-mail address, in the named instance or the first. Undefined if no user has it. */
export async function userIdByEmail(
  control: ControlClient,
  email: string,
  instance: string | undefined,
): Promise<string | undefined> {
  // A pattern would find others.
  if (/[\s*]/.test(email)) return undefined;
  const [found] = await control.request("GET /users", { query: { query: `email:${email}`, limit: 1, instance } });
  return found?.id;
}

/** Something that happened: a request that was answered, or a sign-in that went a step further. */
export type ServerEvent = AnswerOf<"GET /requests/:id"> | AnswerOf<"GET /flows/:id">;

/** The lines of a body, as they come. Blank ones keep the connection alive, and are left out. */
async function* linesOf({ body }: FetchResponse): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const chunk of chunksOf(body ?? [])) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split("\n");
    rest = lines.pop() ?? "";
    yield* lines.filter((line) => line.trim() !== "");
  }
}
