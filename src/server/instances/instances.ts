import { hash, timingSafeEqual } from "node:crypto";
import type { InstanceRecord } from "../store/records.ts";

export type Instances = ReturnType<typeof createInstances>;

/** The instances, by everything that a request may name one by: none, until `replace` says which there are. */
export function createInstances() {
  let indexes = indexesOf([]);
  /** The secret key that was looked up last: most requests come with the same one. */
  let latest: { readonly key: Buffer; readonly instance: InstanceRecord } | undefined;

  function bySecretKey(key: string): InstanceRecord | undefined {
    const shown = Buffer.from(key);
    if (latest?.key.length === shown.length && timingSafeEqual(latest.key, shown)) return latest.instance;
    const instance = indexes.secretKeys.get(digest(key));
    if (instance) latest = { key: shown, instance };
    return instance;
  }

  return {
    /** Serves at the front door: the first one made. */
    get first(): InstanceRecord | undefined {
      return indexes.all[0];
    },
    get all(): readonly InstanceRecord[] {
      return indexes.all;
    },
    byId: (id: string) => indexes.ids.get(id),
    bySubdomain: (subdomain: string) => indexes.subdomains.get(subdomain),
    bySecretKey,
    byPublishableKey: (key: string) => indexes.publishableKeys.get(key),
    replace(instances: readonly InstanceRecord[]): void {
      indexes = indexesOf(instances);
      latest = undefined;
    },
  };
}

function indexesOf(all: readonly InstanceRecord[]) {
  const by = (keyOf: (instance: InstanceRecord) => string): ReadonlyMap<string, InstanceRecord> =>
    new Map(all.map((instance) => [keyOf(instance), instance]));
  return {
    all,
    ids: by(({ id }) => id),
    subdomains: by(({ subdomain }) => subdomain),
    publishableKeys: by(({ publishable_key }) => publishable_key),
    // Looked up by digest, so that the time a look-up takes says nothing of how much of a key was right.
    secretKeys: by(({ secret_key }) => digest(secret_key)),
  };
}

function digest(key: string): string {
  return hash("sha256", key, "base64");
}
