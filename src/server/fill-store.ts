import { ServeError } from "./errors.ts";
import { withoutRequest } from "./http/audit-entry.ts";
import type { RunningServer, ServeOptions } from "./options.ts";
import { demoUsers, fill, fillingOf, type Start } from "./seed/apply.ts";
import type { InstanceRecord } from "./store/records.ts";
import { StoreNotEmpty, type Store } from "./store/store.ts";

interface Content<Ready> {
  readonly instances: readonly InstanceRecord[];
  /** Undefined if the store was filled now. */
  readonly found: RunningServer["found"];
  readonly ready: Ready;
}

/**
 * The content that a server starts with: what the store has; if that is nothing, or is to be reset, the seed or the demo.
 * @param check does all else that could prevent the start with these instances, as records are replaced only after it
 * @throws {ServeError | SeedError}
 */
export async function fillStore<Ready>(
  store: Store,
  options: Pick<ServeOptions, "seed" | "reset" | "onAudit" | "onReset">,
  start: Start,
  check: (instances: readonly InstanceRecord[]) => Promise<Ready>,
): Promise<Content<Ready>> {
  for (;;) {
    const filling = await fillingOf(store, options, start);
    const instances = filling?.records.instances ?? (await store.instances());
    const found = filling ? undefined : await foundIn(store, instances);
    const ready = await check(instances);
    const { users: count } = options.reset ? await store.counts() : { users: 0 };
    if (options.onReset && count > 0 && count > (await demoUsers())) await options.onReset(store.location, count);
    try {
      if (filling) await fill(store, filling, options.reset === true);
    } catch (error) {
      if (!(error instanceof StoreNotEmpty)) throw error;
      if ((await store.instances()).length === 0)
        throw new ServeError(`${store.location} contains records but no instances. Start over with --reset.`);
      // Another server has filled the store since, so its records count.
      continue;
    }
    if (count > 0) options.onAudit?.(withoutRequest("start", { action: "records_reset", count }));
    return { instances, found, ready };
  }
}

async function foundIn(store: Store, instances: readonly InstanceRecord[]): Promise<RunningServer["found"]> {
  const [since = ""] = instances.map(({ created_at }) => created_at).toSorted();
  return { since, users: (await store.counts()).users };
}
