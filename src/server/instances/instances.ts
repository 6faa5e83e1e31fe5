import { hash, randomBytes } from "node:crypto";
import type { InstanceRecord, OldKey } from "../store/records.ts";
import type { Scope } from "./addresses.ts";
import { PUBLISHABLE_KEY_PREFIX, SECRET_KEY_PREFIX } from "../../wire/ids.ts";

export type Instances = ReturnType<typeof createInstances>;

const MAX_FORMER = 1000;

/** The instances, indexed by everything that a request may name one by. Empty until `replace` is called. */
export function createInstances() {
  let indexes = indexesOf([]);
  /** Digests of secret keys that were replaced since the start. */
  const former = new Set<string>();

  return {
    /** The instance that was created first, the default at the front door. */
    get first(): InstanceRecord | undefined {
      return indexes.all[0];
    },
    get all(): readonly InstanceRecord[] {
      return indexes.all;
    },
    /** The one whose address a host is; at the front door the first. */
    at: (scope: Scope): InstanceRecord | undefined =>
      scope.kind === "instance"
        ? indexes.subdomains.get(scope.subdomain)
        : scope.kind === "front"
          ? indexes.all[0]
          : undefined,
    byId: (id: string) => indexes.ids.get(id),
    bySubdomain: (subdomain: string) => indexes.subdomains.get(subdomain),
    /** By subdomain or id, in either case. */
    byName: (name: string) => indexes.subdomains.get(name.toLowerCase()) ?? indexes.ids.get(name.toLowerCase()),
    /** Not by a replaced key, kept or not: it verifies tokens at most. */
    bySecretKey: (key: string) => indexes.secretKeys.get(digest(key)),
    /** Whether an instance had this secret key, as far as this process and the records know. */
    hadSecretKey: (key: string) => former.has(digest(key)) || indexes.oldKeys.has(digest(key)),
    byPublishableKey: (key: string) => indexes.publishableKeys.get(key),
    replace(instances: readonly InstanceRecord[]): void {
      const before = indexes;
      indexes = indexesOf(instances);
      for (const key of before.secretKeys.keys()) if (!indexes.secretKeys.has(key)) former.add(key);
      for (const oldest of [...former].slice(0, -MAX_FORMER)) former.delete(oldest);
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
    // By digest, so that the time of a look-up does not reveal how much of a key was right.
    secretKeys: by(({ secret_key }) => digest(secret_key)),
    oldKeys: new Set(all.flatMap(({ old_keys }) => old_keys.map(({ secret_key }) => digest(secret_key)))),
  };
}

function digest(key: string): string {
  return hash("sha256", key, "base64");
}

/** Signs tokens: 36 random bytes (RFC 7518, 3.2 requires 32). */
export function createSecretKey(): string {
  return SECRET_KEY_PREFIX + randomBytes(36).toString("base64url");
}

export function createPublishableKey(): string {
  return PUBLISHABLE_KEY_PREFIX + randomBytes(18).toString("base64url");
}

/** The keys that verify an instance's tokens: the one that signs them, then the replaced ones that are kept at that time. */
export function verifyingKeys(instance: InstanceRecord, now: Date): readonly string[] {
  if (instance.old_keys.length === 0) return [instance.secret_key];
  return [instance.secret_key, ...keptKeys(instance, now).map(({ secret_key }) => secret_key)];
}

/** The replaced keys that have not expired. */
export function keptKeys({ old_keys }: InstanceRecord, now: Date): OldKey[] {
  const time = now.toISOString();
  return old_keys.filter(({ expires_at }) => expires_at > time);
}

/**
 * An instance with a new secret key.
 * @param keepMs how long the present one is kept for verification. With 0 it ends at once, and so do all that were kept
 */
export function withNewSecretKey(instance: InstanceRecord, keepMs: number, now: Date): InstanceRecord {
  const expires_at = new Date(now.getTime() + keepMs).toISOString();
  const old_keys = keepMs > 0 ? [{ secret_key: instance.secret_key, expires_at }, ...keptKeys(instance, now)] : [];
  return { ...instance, secret_key: createSecretKey(), old_keys };
}
