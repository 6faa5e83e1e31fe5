import { createAgent, loadUndici } from "../network/agent.ts";

const MOST_REDIRECTS = 20;

/**
 * A `fetch` for a service in this process. It follows redirects within the service; one that leaves it is returned, since
 * nothing may listen there.
 */
export function createInsideFetch(
  url: string,
  answer: (request: Request) => Promise<Response>,
): typeof globalThis.fetch {
  const { host } = new URL(url);
  const isInside = (address: URL): boolean => address.host === host || address.host.endsWith(`.${host}`);
  return async (input, init) => {
    let request = new Request(typeof input === "string" && input.startsWith("/") ? url + input : input, init);
    for (let hop = 0; ; hop++) {
      request.signal.throwIfAborted();
      if (!isInside(new URL(request.url)))
        throw new TypeError(
          `${new URL(request.url).origin} is not ${url}, which is all that this fetch reaches. Call your application itself, or by svc.signInTo(app)`,
        );
      const response = await answer(request);
      const location = response.status === 302 || response.status === 303 ? response.headers.get("location") : null;
      if (location === null || request.redirect === "manual") return response;
      if (request.redirect === "error" || hop === MOST_REDIRECTS)
        throw new TypeError(`${request.url} redirects ${hop === MOST_REDIRECTS ? "too often" : "elsewhere"}`);
      const next = new URL(location, request.url);
      if (!isInside(next)) return response;
      request = new Request(next, { headers: request.headers, signal: request.signal });
    }
  };
}

// Read when this is loaded: a test may stub the global one later.
const realFetch = globalThis.fetch;

/** The runtime's `fetch`, which also reaches `*.localhost`: many systems can't resolve that. */
export function createNetworkFetch(): { fetch: typeof globalThis.fetch; close(): Promise<void> } {
  // A simulated browser such as happy-dom has a fetch that must not leave the page's origin.
  const isPage = "document" in globalThis;
  let agent: ReturnType<typeof createAgent> | undefined;
  return {
    async fetch(input, init) {
      const { hostname } = new URL(input instanceof Request ? input.url : input);
      const fetch = isPage ? ((await loadUndici()).fetch as unknown as typeof globalThis.fetch) : realFetch;
      // Bun has no Agent, and its fetch needs none.
      if (!hostname.endsWith(".localhost") || "Bun" in globalThis) return fetch(input, init);
      agent ??= createAgent(await loadUndici());
      // Node's types have another version of undici.
      return fetch(input, { ...init, dispatcher: agent as object } as RequestInit);
    },
    close: async () => agent?.destroy(),
  };
}
