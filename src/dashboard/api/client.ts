import { signal } from "@preact/signals";
import { createControlClient } from "../../control-client/index.ts";
import type { Fetch } from "../../wire/http/fetch.ts";
import { dashboardKey, forgetKey } from "./session.ts";

/** Counts the responses that say that the server's database is unavailable. */
export const unavailable = signal(0);

/** The control API, with the key that this browser has now. */
export const control = createControlClient({
  url: globalThis.location.origin,
  controlKey: () => dashboardKey.peek() ?? "",
  fetch: send,
});

/** A rejected key is deleted, and the sign-in page is shown. */
async function send(...[url, init]: Parameters<Fetch>): ReturnType<Fetch> {
  const response = await fetch(url, init);
  if (response.status === 401) forgetKey();
  if (response.status === 503) unavailable.value++;
  const { status, headers, body } = response;
  return { status, headers, body: body && chunksOf(body), text: () => response.text() };
}

/** Not every browser can iterate over a stream. */
async function* chunksOf(body: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
  const reader = body.getReader();
  for (let part = await reader.read(); !part.done; part = await reader.read()) yield part.value;
}
