import { randomUUID } from "node:crypto";
import type { IncomingMessage } from "node:http";
import type { ErrorCode } from "../../wire/errors.ts";
import { MAX_BODY_BYTES } from "../../wire/names.ts";
import { ApiError } from "../errors.ts";
import type { Incoming } from "./incoming.ts";

export const MAX_HEADERS = 100;

/** What is malformed in a message, whatever its meaning. */
export function faultOf({ rawHeaders, headers, httpVersion, url = "" }: IncomingMessage): ErrorCode | undefined {
  // Node silently drops those beyond the limit.
  if (rawHeaders.length > 2 * MAX_HEADERS) return "headers_too_large";
  let hosts = 0;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    if (rawHeaders[i]!.length === 4 && rawHeaders[i]!.toLowerCase() === "host") hosts++;
  }
  // Load balancers check health with HTTP/1.0, which has no Host.
  if (hosts !== 1 && !(hosts === 0 && httpVersion === "1.0")) return "bad_request";
  if (!url.startsWith("/") && originFormOf(url, headers.host) === undefined) return "bad_request";
  if (headers["transfer-encoding"] !== undefined && headers["transfer-encoding"].toLowerCase() !== "chunked")
    return "bad_request";
  if (headers["transfer-encoding"] !== undefined && headers["content-length"] !== undefined) return "bad_request";
  return undefined;
}

/** The request of a message that `faultOf` accepted. */
export function fromMessage(message: IncomingMessage, ip_address: string): Incoming {
  const { headers, method = "GET", url = "/" } = message;
  return {
    id: randomUUID(),
    method,
    target: url.startsWith("/") ? url : (originFormOf(url, headers.host) ?? "/"),
    ip_address,
    header(name) {
      const value = headers[name];
      return Array.isArray(value) ? value.join(", ") : value;
    },
    text: (maxBytes = MAX_BODY_BYTES) => bodyOf(message, maxBytes),
  };
}

/** The path of a target in absolute form (RFC 9112, 3.2.2), which must name the same host as `Host`. */
function originFormOf(target: string, host: string | undefined): string | undefined {
  const [, authority, path] = /^https?:\/\/([^/?]*)(.*)$/i.exec(target) ?? [];
  if (authority === undefined || authority.toLowerCase() !== host?.toLowerCase()) return undefined;
  return path!.startsWith("/") ? path : `/${path}`;
}

async function bodyOf(message: IncomingMessage, maxBytes: number): Promise<string> {
  if (message.readableEnded) return "";
  if (Number(message.headers["content-length"] ?? 0) > maxBytes) throw new ApiError("body_too_large");
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let length = 0;
    message
      .on("data", (chunk: Buffer) => {
        length += chunk.length;
        if (length > maxBytes) {
          message.removeAllListeners("data").pause();
          reject(new ApiError("body_too_large"));
        } else chunks.push(chunk);
      })
      .on("end", () => resolve((chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks)).toString()))
      .on("error", () => reject(new ApiError("bad_request")));
  });
}
