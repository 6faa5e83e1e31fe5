import type { IncomingMessage } from "node:http";
import type { H3Event } from "h3";
import { NotText, utf8Text } from "../../disk/decode.ts";
import { BodyTooLong, readBytes } from "../../http/body.ts";
import { MAX_BODY_BYTES } from "../../wire/route.ts";
import { parsedJson } from "../../text/json.ts";
import { Refusal } from "../errors.ts";
import { admitted, headerIn, nodeOf } from "./context.ts";
import { isApi } from "./failure.ts";

const JSON_TYPE = /^application\/json\s*(;\s*charset="?utf-8"?\s*)?$/i;

/**
 * @param standard the type of a request that names none. Default: none
 * @throws {Refusal} `unsupported_media_type` unless the headers describe JSON in UTF-8, without a content encoding
 */
export function requireJson(event: H3Event, standard = ""): void {
  if (!JSON_TYPE.test(headerIn(event, "content-type") ?? standard))
    throw new Refusal("unsupported_media_type", "send application/json");
  if ((headerIn(event, "content-encoding") ?? "identity") !== "identity")
    throw new Refusal("unsupported_media_type", "send it without Content-Encoding");
}

/**
 * The body as text. Before a key was checked, only the default may be read.
 * @throws {Refusal} `body_too_large`, `bad_request` if the client ended it early, or `invalid_json` if it is not UTF-8
 * (RFC 8259, 8.1)
 */
export async function readBodyText(event: H3Event, maxBytes = MAX_BODY_BYTES): Promise<string> {
  if (Number(headerIn(event, "content-length")) > maxBytes) throw new Refusal("body_too_large");
  // h3's limit destroys the connection, and with it the answer.
  const message = nodeOf(event)?.req;
  try {
    return utf8Text(await (message ? bytesOf(message, maxBytes) : readBytes(event.req.body ?? [], maxBytes)));
  } catch (error) {
    if (error instanceof NotText)
      throw new Refusal("invalid_json", isApi(admitted(event)) ? undefined : `it ${error.message}`);
    throw new Refusal(error instanceof BodyTooLong ? "body_too_large" : "bad_request");
  }
}

/** By events: an iterator makes eleven promises. What is beyond the limit stays unread. @throws {BodyTooLong} */
function bytesOf(message: IncomingMessage, maxBytes: number): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    const chunks: Uint8Array[] = [];
    let length = 0;
    const take = (chunk: Uint8Array): void => {
      length += chunk.length;
      chunks.push(chunk);
      if (length > maxBytes) stop(new BodyTooLong(maxBytes));
    };
    const stop = (error: unknown): void => {
      message.off("data", take).pause();
      reject(error);
    };
    const ended = (): void => stop(new Error("the client ended its request early"));
    message
      .on("data", take)
      .once("end", () => resolve(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks)))
      .once("error", stop)
      .once("close", ended);
    if (message.destroyed) ended();
  });
}

/**
 * The body that a route takes, parsed: undefined if it is empty.
 * @throws {Refusal} `unsupported_media_type`, `invalid_json`, and as `readBodyText`
 */
export async function readBody(event: H3Event, maxBytes?: number): Promise<unknown> {
  const text = await readBodyText(event, maxBytes);
  // An empty body needs no type.
  if (text === "") return undefined;
  requireJson(event);
  const body = parsedJson(text);
  if (body === undefined) throw new Refusal("invalid_json");
  if (isDeeper(body, MAX_DEPTH)) throw new Refusal("invalid_json", `it is nested more than ${MAX_DEPTH} levels deep`);
  return body;
}

/** Deeper values overflow the stack of what checks and prints them. */
const MAX_DEPTH = 100;

function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  return levels === 0 || Object.values(value).some((part) => isDeeper(part, levels - 1));
}
