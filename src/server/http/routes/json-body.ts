import { parsedJson } from "../../../wire/json.ts";
import { ApiError } from "../../errors.ts";
import type { AppRequest } from "../request.ts";

const JSON_TYPE = /^application\/json\s*(;\s*charset="?utf-8"?\s*)?$/i;
const TOKEN = /"[^"\\]*(?:\\.[^"\\]*)*"|[{}[\]:,]/g;

/**
 * @param standard the type of a request that names none. Default: none
 * @throws {ApiError} `unsupported_media_type` unless the headers describe JSON in UTF-8, without a content encoding
 */
export function requireJson({ header }: Pick<AppRequest, "header">, standard = ""): void {
  if (!JSON_TYPE.test(header("content-type") ?? standard))
    throw new ApiError("unsupported_media_type", "send application/json");
  if ((header("content-encoding") ?? "identity") !== "identity")
    throw new ApiError("unsupported_media_type", "send it without Content-Encoding");
}

/** @throws {ApiError} `invalid_json` if a text is not JSON, or its object repeats a key */
export function parseJson(text: string): unknown {
  const body = parsedJson(text);
  if (body === undefined) throw new ApiError("invalid_json");
  if (repeatedKey(text)) throw new ApiError("invalid_json", "a key is repeated");
  return body;
}

/**
 * Whether the outermost object of a valid JSON text repeats a key. `JSON.parse` takes the last one and other parsers the
 * first, so that a proxy and a server could read different values (RFC 8259, 4).
 */
export function repeatedKey(text: string): boolean {
  // Most bodies have one key.
  if (text.indexOf(":") === text.lastIndexOf(":")) return false;
  const keys = new Set<string>();
  let depth = 0;
  let last = "";
  for (const part of text.match(TOKEN) ?? []) {
    if (part === "{" || part === "[") depth++;
    else if (part === "}" || part === "]") depth--;
    else if (part === ":" && depth === 1) {
      const key = JSON.parse(last) as string;
      if (keys.has(key)) return true;
      keys.add(key);
    }
    last = part;
  }
  return false;
}
