import { createRequire } from "node:module";
import { PROVIDERS } from "../../wire/names.ts";
import { describeProvider } from "../providers/offers.ts";
import type { HandlersOf } from "./handler.ts";

export const stateRoutes: HandlersOf<"/state"> = {
  "GET /state": async (_, { store, live, instances, offers }) => {
    const { users, sessions } = await store.counts();
    const kinds = PROVIDERS.map((name) => [name, describeProvider(name, instances.all, offers)] as const);
    const clock = live.clock.read();
    return {
      version: packageVersion(),
      now: clock.now,
      clock,
      store: store.location,
      providers: Object.fromEntries(kinds) as Record<(typeof PROVIDERS)[number], (typeof kinds)[number][1]>,
      instances: instances.all.length,
      users,
      sessions,
    };
  },
};

/** By the package's own name, so that it is found from the sources and from the build alike. */
export function packageVersion(): string {
  const { version } = createRequire(import.meta.url)("svc-identity/package.json") as { version: string };
  return version;
}
