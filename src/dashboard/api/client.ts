import { signal } from "@preact/signals";
import { dashboardKey, forgetKey } from "./session.ts";

/** An answer other than success: the server's own sentence. */
export class RequestFailed extends Error {
  override readonly name = "RequestFailed";
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/** The server could not be reached at all. */
export class Unreachable extends Error {
  override readonly name = "Unreachable";
}

/** How often the server has said that it can't answer for now: its database does not. */
export const unavailable = signal(0);

export type Query = Readonly<Record<string, string | number | undefined>>;

export interface Page<Row> {
  readonly rows: readonly Row[];
  /** The cursor of the next page; undefined: this is the last one. */
  readonly next: string | undefined;
}

/** Calls the control API. Paths are relative to `/__svc/v1`. @throws {RequestFailed | Unreachable} */
export async function call<Result>(method: string, path: string, body?: unknown, query: Query = {}): Promise<Result> {
  const response = await send(method, path, body, query);
  return (await response.json()) as Result;
}

export const get = <Result>(path: string, query?: Query): Promise<Result> =>
  call<Result>("GET", path, undefined, query);
export const post = <Result>(path: string, body: unknown = {}): Promise<Result> => call<Result>("POST", path, body);

/** One page of a list, by the API's own cursor. */
export async function page<Row>(path: string, query: Query): Promise<Page<Row>> {
  const response = await send("GET", path, undefined, query);
  const link = /<([^>]+)>;\s*rel="next"/.exec(response.headers.get("link") ?? "")?.[1];
  return {
    rows: (await response.json()) as Row[],
    next: link === undefined ? undefined : (new URL(link, location.href).searchParams.get("after") ?? undefined),
  };
}

/** A request with the dashboard's key. A key that is refused is forgotten, and the sign-in page is shown. */
export async function send(
  method: string,
  path: string,
  body?: unknown,
  query: Query = {},
  abort?: AbortSignal,
): Promise<Response> {
  const search = new URLSearchParams(
    Object.entries(query).flatMap(([name, value]) =>
      value === undefined || value === "" ? [] : [[name, String(value)]],
    ),
  ).toString();
  let response: Response;
  try {
    response = await fetch(`v1/${path}${search && `?${search}`}`, {
      method,
      headers: {
        authorization: `Bearer ${dashboardKey.peek() ?? ""}`,
        ...(body !== undefined && { "content-type": "application/json" }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      ...(abort && { signal: abort }),
    });
  } catch (error) {
    if (abort?.aborted) throw error;
    throw new Unreachable("The server cannot be reached. Is it still running?");
  }
  if (response.ok) return response;
  if (response.status === 401) forgetKey();
  if (response.status === 503) unavailable.value++;
  const text = await response.text();
  throw new RequestFailed(response.status, messageOf(text) ?? `The server answered ${response.status}.`);
}

function messageOf(text: string): string | undefined {
  try {
    const { error } = JSON.parse(text) as { error?: unknown };
    return typeof error === "string" ? error : undefined;
  } catch {
    return undefined;
  }
}
