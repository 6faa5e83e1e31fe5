import type { Fetch } from "../src/http/fetch.ts";

/** A `fetch` that answers every request alike and records the addresses. */
export function answering(
  status: number,
  body: string,
  headers: Readonly<Record<string, string>> = {},
): Fetch & { readonly calls: readonly string[] } {
  const calls: string[] = [];
  const fetch: Fetch = async (url) => {
    calls.push(url);
    return new Response(body, { status, headers }) as unknown as Awaited<ReturnType<Fetch>>;
  };
  return Object.assign(fetch, { calls });
}
