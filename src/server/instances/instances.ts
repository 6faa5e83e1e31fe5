import { hash } from "node:crypto";
import type { InstanceRecord } from "../store/records.ts";

/** The instances, by everything that a request may name one by. */
export interface Instances {
  /** Serves at the front door: the first one made. */
  readonly first: InstanceRecord | undefined;
  readonly all: readonly InstanceRecord[];
  byId(id: string): InstanceRecord | undefined;
  bySubdomain(subdomain: string): InstanceRecord | undefined;
  bySecretKey(key: string): InstanceRecord | undefined;
  byPublishableKey(key: string): InstanceRecord | undefined;
}

export function createInstances(instances: readonly InstanceRecord[]): Instances {
  const ids = new Map(instances.map((instance) => [instance.id, instance]));
  const subdomains = new Map(instances.map((instance) => [instance.subdomain, instance]));
  const publishableKeys = new Map(instances.map((instance) => [instance.publishable_key, instance]));
  // Looked up by digest, so that the time a look-up takes says nothing of how much of a key was right.
  const secretKeys = new Map(instances.map((instance) => [digest(instance.secret_key), instance]));
  return {
    first: instances[0],
    all: instances,
    byId: (id) => ids.get(id),
    bySubdomain: (subdomain) => subdomains.get(subdomain),
    bySecretKey: (key) => secretKeys.get(digest(key)),
    byPublishableKey: (key) => publishableKeys.get(key),
  };
}

function digest(key: string): string {
  return hash("sha256", key, "base64");
}
