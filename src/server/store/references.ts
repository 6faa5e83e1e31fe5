import type { Entry } from "./records.ts";

/** Finds records that belong to missing ones. Takes a store's entries in their order. */
export class References {
  readonly #instances = new Set<string>();
  /** The instance of each. */
  readonly #users = new Map<string, string>();

  /** @returns the missing record, e.g. `user 0b6c…`; undefined if nothing is */
  missing([name, record]: Entry): string | undefined {
    if (name === "personas" || name === "settings") return undefined;
    if (name === "instances") {
      this.#instances.add(record.id);
      return undefined;
    }
    const { instance_id } = record;
    if (name === "users") this.#users.set(record.id, instance_id);
    if (!this.#instances.has(instance_id)) return `instance ${instance_id}`;
    if (name === "users" || name === "states") return undefined;
    return this.#users.get(record.user_id) === instance_id ? undefined : `user ${record.user_id}`;
  }
}
