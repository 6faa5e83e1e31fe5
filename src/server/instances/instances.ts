import { hash } from "node:crypto";
import type { InstanceRecord } from "../store/records.ts";

export type Instances = ReturnType<typeof createInstances>;

/** The instances, by everything that a request may name one by: none, until `replace` says which there are. */
export function createInstances() {
  let indexes = indexesOf([]);
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
    bySecretKey: (key: string) => indexes.secretKeys.get(digest(key)),
    byPublishableKey: (key: string) => indexes.publishableKeys.get(key),
    replace(instances: readonly InstanceRecord[]): void {
      indexes = indexesOf(instances);
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
