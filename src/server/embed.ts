import { INSIDE_URL } from "../http/address.ts";
import { createService } from "./service.ts";
import { fillStore } from "./fill-store.ts";
import { createAddresses } from "./instances/addresses.ts";
import type { RunningServer, ServeOptions } from "./options.ts";
import { createOffers } from "./providers/offers.ts";
import { nowhere } from "./sign-in/geo.ts";
import { openMemoryStore } from "./store/open.ts";

const HTTP_PORT = 80;

export type EmbedOptions = Pick<ServeOptions, "seed" | "strict" | "now" | "warn" | "controlKey" | "onRequest">;

/** A server without a port, called by its `fetch`. */
export interface EmbeddedServer extends Pick<RunningServer, "url" | "api_url" | "instances"> {
  readonly control_key: string;
  /** Answers one request; redirects are not followed. */
  fetch(request: Request): Promise<Response>;
  close(): Promise<void>;
}

/**
 * Runs the service inside the program: in memory, with simulated providers, and without listening anywhere.
 * @throws {ServeError | SeedError}
 */
export async function embed(options: EmbedOptions = {}): Promise<EmbeddedServer> {
  const { now = () => new Date(), warn = () => {} } = options;
  const store = openMemoryStore();
  await fillStore(store, options, { now: now(), isLocal: true, warn }, async () => undefined);
  const addresses = createAddresses(INSIDE_URL, HTTP_PORT);
  const { app, control, instances, stop } = await createService({
    ...options,
    store,
    addresses,
    isLocal: true,
    isFresh: true,
    locate: nowhere,
    now,
    offers: createOffers({ mode: "simulated", globals: {}, isLocal: true }),
    warn,
  });
  return {
    url: addresses.front,
    api_url: addresses.api,
    control_key: control!.controlKey,
    get instances() {
      return instances();
    },
    fetch: async (request) => app.fetch(request),
    async close() {
      stop();
      await store.close();
    },
  };
}
