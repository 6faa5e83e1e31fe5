import { randomUUID } from "node:crypto";
import { MAX_BODY_BYTES } from "../../wire/names.ts";
import { ApiError } from "../errors.ts";
import { ownText } from "../own-text.ts";

/** A request as it arrives, by socket or from a program. Nothing of it has been checked. */
export interface Incoming {
  /** Unique; sent in the answer as `Request-Id`. */
  readonly id: string;
  readonly method: string;
  /** Path and query as they were sent, with the leading `/`. */
  readonly target: string;
  /** The client's address; the socket's peer, or what a trusted proxy says. */
  readonly ip_address: string;
  /** @param name in lower case */
  readonly header: (name: string) => string | undefined;
  /**
   * Reads the body. Before a key was checked, only the default may be read.
   * @param maxBytes default: `MAX_BODY_BYTES`
   * @throws {ApiError} `body_too_large`
   */
  readonly text: (maxBytes?: number) => Promise<string>;
}

/** A `Request`, as programs and tests create them. */
export function fromWebRequest(request: Request): Incoming {
  const { host, pathname, search } = new URL(request.url);
  return {
    id: randomUUID(),
    method: request.method,
    target: pathname + search,
    ip_address: "127.0.0.1",
    header: (name) => request.headers.get(name) ?? (name === "host" ? ownText(host) : undefined),
    async text(maxBytes = MAX_BODY_BYTES) {
      const text = await request.text();
      if (Buffer.byteLength(text) > maxBytes) throw new ApiError("body_too_large");
      return text;
    },
  };
}
