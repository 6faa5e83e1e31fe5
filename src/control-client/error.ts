import type { ErrorCode } from "../wire/errors.ts";
import { connectionFault } from "../wire/http/address.ts";
import { CONTROL_KEY_PREFIX, credentialKind } from "../wire/ids.ts";

/**
 * One of the service's codes; `connection`: the server could not be reached; `closed`: the test service had been closed;
 * `timeout`: what was waited for did not happen; `unknown`: anything else.
 */
export type ControlErrorCode = ErrorCode | "connection" | "closed" | "timeout" | "unknown";

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

/** What to say of a server that could not be reached. @param error of `fetch`, which puts the system's in `cause` */
export function unreachable(url: string, error: unknown): string {
  const { code, cause } = error as { code?: unknown; cause?: { code?: unknown } };
  const fault = connectionFault(url, String(cause?.code ?? code));
  return fault ? `${fault.join(". ")}.` : `${url} cannot be reached. Is svc serve running there?`;
}

/** What to say of a key that the server refused; the key is not repeated. */
export function refusedKey(url: string, key: string): string {
  const kind = credentialKind(key);
  const fault =
    kind === undefined || key.startsWith(CONTROL_KEY_PREFIX) ? `${url} has another control key` : `this is ${kind}`;
  return `${fault}. Use control_key of the server's file under .svc/, which is new at each start unless SVC_CONTROL_KEY is set.`;
}

/** What to say of a path that no route has, because it is none or a parameter is missing. Undefined if all are there. */
export function incompleteRoute(route: string, params: Readonly<Record<string, string>> = {}): string | undefined {
  if (!/^[A-Z]+ \//.test(route))
    return `"${route}" is not a route. Write method and path as one: request("GET /users")`;
  const empty = [...route.matchAll(/:(\w+)/g)].find(([, name = ""]) => (params[name] ?? "") === "");
  return empty && `${empty[1]} in ${route} is empty.`;
}
