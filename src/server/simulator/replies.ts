import type { FetchResponse } from "../../wire/http/fetch.ts";

/** A provider's answer in JSON. @param headers by names in lower case */
export function reply(status: number, body: unknown, headers: Readonly<Record<string, string>> = {}): FetchResponse {
  return textReply(status, JSON.stringify(body), { "content-type": "application/json; charset=utf-8", ...headers });
}

/**
 * An answer of plain values: within one process, a `Response` and its stream cost more than the rest of a provider.
 * @param headers by names in lower case
 */
export function textReply(status: number, text: string, headers: Readonly<Record<string, string>>): FetchResponse {
  return {
    status,
    headers: { get: (name) => headers[name.toLowerCase()] ?? null },
    body: [Buffer.from(text)],
    text: async () => text,
  };
}

export function notFound(): FetchResponse {
  return reply(404, { message: "Not Found" });
}
