import { createAgent, loadUndici } from "../client/on-node/undici.ts";

/** The present global `fetch`, which also reaches `*.localhost`: many systems can't resolve that. */
export function createNetworkFetch(): { fetch: typeof globalThis.fetch; close(): Promise<void> } {
  // A simulated browser such as happy-dom has a fetch that must not leave the page's origin.
  const isPage = "document" in globalThis;
  const present = globalThis.fetch;
  let agent: ReturnType<typeof createAgent> | undefined;
  return {
    async fetch(input, init) {
      const { hostname } = new URL(input instanceof Request ? input.url : input);
      const fetch = isPage ? ((await loadUndici()).fetch as unknown as typeof globalThis.fetch) : present;
      // Bun has no Agent, and its fetch needs none.
      if (!hostname.endsWith(".localhost") || "Bun" in globalThis) return fetch(input, init);
      agent ??= createAgent(await loadUndici());
      // Node's types have another version of undici.
      return fetch(input, { ...init, dispatcher: agent as object } as RequestInit);
    },
    close: async () => agent?.destroy(),
  };
}
