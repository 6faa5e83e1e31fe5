import { connectionFault } from "../wire/http/address.ts";
import type { Deadline } from "./deadline.ts";
import { ConnectionError, isServiceError } from "./errors.ts";

/** The error that a caller gets for anything that was thrown. */
export function failure(
  name: string,
  base: string | undefined,
  error: unknown,
  deadline: Deadline,
  own: AbortSignal | undefined,
  isAnswered: boolean,
): unknown {
  if (own?.aborted) return own.reason;
  if (isServiceError(error)) return error;
  if (base === undefined) {
    if (!deadline.isOver) return error;
    return new ConnectionError("timeout", `${name}: timed out while finding the instance's address`);
  }
  const { origin } = new URL(base);
  if (deadline.isOver)
    return new ConnectionError("timeout", `${name}: ${origin} did not answer in time`, { cause: error });
  const { code, message } = reasonOf(error);
  const fault = isAnswered ? undefined : connectionFault(origin, code ?? "");
  const what = isAnswered ? "closed the connection in the middle of its response" : "could not be reached";
  const said = fault?.join(". ") ?? `${origin} ${what} (${code ?? masked(message)})`;
  return new ConnectionError("connection", `${name}: ${said}`, { cause: error, syscallCode: code });
}

/** `fetch` puts the system's error in `cause`. */
function reasonOf(error: unknown): { code: string | undefined; message: string } {
  const { cause } = error as { cause?: unknown };
  const { code, message } = (cause ?? error) as { code?: unknown; message?: string };
  return { code: typeof code === "string" ? code : undefined, message: message ?? String(error) };
}

const SECRET_KEY = /sk_[^\s"'<>&,;\\]+/g;
/** With or without the parts of a token behind it: a text of beginnings alone is not searched again from each of them. */
const TOKEN = /eyJ[\w-]+(\.[\w-]+(?:\.[\w-]*)?)?/g;

/** Words from outside without keys and tokens: some services, and most debug pages, repeat what they were sent. */
export function masked(text: string): string {
  return text
    .replace(SECRET_KEY, "sk_…")
    .replace(TOKEN, (found, rest?: string) => (rest === undefined ? found : "eyJ…"));
}
