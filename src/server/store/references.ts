import type { Entry } from "./records.ts";

/** Finds records that belong to missing ones. Takes a store's entries in their order. */
export class References {
  /** The ids of the users of each instance. */
  readonly #users = new Map<string, Set<string>>();

  /** @returns the missing record, e.g. `user 0b6c…`; undefined if nothing is */
  missing([name, record]: Entry): string | undefined {
    if (name === "personas" || name === "settings") return undefined;
    if (name === "instances") {
      this.#users.set(record.id, new Set());
      return undefined;
    }
    const users = this.#users.get(record.instance_id);
    if (!users) return `instance ${record.instance_id}`;
    if (name === "users") users.add(record.id);
    if (name === "users" || name === "states") return undefined;
    return users.has(record.user_id) ? undefined : `user ${record.user_id}`;
  }
}
