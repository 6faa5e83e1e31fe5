import {
  byTable,
  instanceOf,
  isRecord,
  isTenantName,
  keyOf,
  TABLE_NAMES,
  type RecordOf,
  type TableName,
  type TenantName,
} from "../../records.ts";

export type AnyRecord = RecordOf[TableName];

export type Tables = { readonly [Name in TableName]: RecordTable<Name> };

export function emptyTables(): Tables {
  return byTable(TABLE_NAMES, (name) => new RecordTable(name)) as Tables;
}

/**
 * A whole record put in its place, or a key removed: applying it twice is the same as once. Of users, identities and
 * sessions the instance follows the key. Journals of older stores, in which keys are unique, leave it out.
 */
export type Change =
  | ["put", TableName, AnyRecord]
  | ["delete", TableName, string]
  | ["delete", TableName, string, instance_id: string];

export function removal<Name extends TableName>(name: Name, record: RecordOf[Name]): Change {
  const key = keyOf(name, record);
  return isTenantName(name) ? ["delete", name, key, instanceOf(record)!] : ["delete", name, key];
}

/** Whether a change can be applied. If not, it must not reach the disk; on the disk, it is damage. */
export function isValidChange([action, name, subject, instance_id]: Change): boolean {
  if (!TABLE_NAMES.includes(name)) return false;
  if (action === "put") return isRecord(name, subject);
  return action === "delete" && typeof subject === "string" && ["string", "undefined"].includes(typeof instance_id);
}

/** The instance of a record, for the tables of which instances have their own parts. */
type Within<Name extends TableName> = Name extends TenantName ? string : void;

/**
 * The records of a table by their keys, in order of creation. Of users, identities and sessions, several instances may have
 * one with the same key. That is rare, so the key alone finds the first, and only the others are kept by instance as well.
 */
export class RecordTable<Name extends TableName> {
  readonly #rows = new Map<string, RecordOf[Name]>();
  readonly #name: Name;
  readonly #hasTenants: boolean;
  /** By key, the instances of the records that are not found by the key alone. */
  readonly #others = new Map<string, Set<string>>();

  constructor(name: Name) {
    this.#name = name;
    this.#hasTenants = isTenantName(name);
  }

  get size(): number {
    return this.#rows.size;
  }

  values(): MapIterator<RecordOf[Name]> {
    return this.#rows.values();
  }

  get(key: string, instance_id: Within<Name>): RecordOf[Name] | undefined {
    const place = this.#placeOf(key, instance_id);
    return place === undefined ? undefined : this.#rows.get(place);
  }

  has(key: string, instance_id: Within<Name>): boolean {
    return this.#placeOf(key, instance_id) !== undefined;
  }

  withKey(key: string): RecordOf[Name][] {
    const first = this.#rows.get(key);
    const others = [...(this.#others.get(key) ?? [])].map((instance_id) => this.#rows.get(`${key}\0${instance_id}`)!);
    return first ? [first, ...others] : others;
  }

  /** @returns the record that it replaces, if any */
  set(row: RecordOf[Name]): RecordOf[Name] | undefined {
    const key = keyOf(this.#name, row);
    const instance_id = instanceOf(row);
    let place = this.#placeOf(key, instance_id);
    if (place === undefined) {
      place = key;
      if (this.#rows.has(key)) {
        place = `${key}\0${instance_id}`;
        this.#others.set(key, (this.#others.get(key) ?? new Set()).add(instance_id!));
      }
    }
    const before = this.#rows.get(place);
    this.#rows.set(place, row);
    return before;
  }

  /**
   * @param instance_id if it is left out, the records of all instances with this key are removed
   * @returns the records that were removed
   */
  delete(key: string, instance_id?: string): RecordOf[Name][] {
    if (this.#hasTenants && instance_id === undefined)
      return this.withKey(key).flatMap((row) => this.delete(key, instanceOf(row)));
    const place = this.#placeOf(key, instance_id);
    if (place === undefined) return [];
    const before = this.#rows.get(place)!;
    this.#rows.delete(place);
    if (place !== key) {
      const others = this.#others.get(key)!;
      others.delete(instance_id!);
      if (others.size === 0) this.#others.delete(key);
    }
    return [before];
  }

  #placeOf(key: string, instance_id: string | void | undefined): string | undefined {
    const first = this.#rows.get(key);
    if (first && (!this.#hasTenants || instanceOf(first) === instance_id)) return key;
    if (instance_id === undefined || !this.#others.get(key)?.has(instance_id)) return undefined;
    return `${key}\0${instance_id}`;
  }
}
