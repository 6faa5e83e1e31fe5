import { hash } from "node:crypto";
import type { InstanceRecord } from "../store/records.ts";

/** The instances, by everything that a request may name one by. They can be changed while the service runs. */
export interface Instances {
  /** Serves at the front door: the first one made. */
  readonly first: InstanceRecord | undefined;
  readonly all: readonly InstanceRecord[];
  byId(id: string): InstanceRecord | undefined;
  bySubdomain(subdomain: string): InstanceRecord | undefined;
  bySecretKey(key: string): InstanceRecord | undefined;
  byPublishableKey(key: string): InstanceRecord | undefined;
  replace(instances: readonly InstanceRecord[]): void;
}

/** Without any, until `replace` tells which there are. */
export function createInstances(): Instances {
  let indexes = indexesOf([]);
  return {
    get first() {
      return indexes.all[0];
    },
    get all() {
      return indexes.all;
    },
    byId: (id) => indexes.ids.get(id),
    bySubdomain: (subdomain) => indexes.subdomains.get(subdomain),
    bySecretKey: (key) => indexes.secretKeys.get(digest(key)),
    byPublishableKey: (key) => indexes.publishableKeys.get(key),
    replace(instances) {
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
