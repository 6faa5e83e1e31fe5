import { isObject } from "../../text/json.ts";
import { KINDS } from "./kinds.ts";
import {
  columnsOf,
  invalidColumn,
  invalidTime,
  keyOf,
  type Entry,
  type InstanceRecord,
  type TableName,
} from "./records.ts";
import { PUBLISHABLE_KEY, SECRET_KEY, SUBDOMAIN } from "../../wire/ids.ts";

/**
 * What is wrong with a record on its own. Each check, export and import asks here, so that a store that passes its check can
 * be exported, and an export can be imported.
 * @returns a sentence without the value, e.g. `identities 0b6c…: its provider is not valid`
 */
export function recordFault(entry: Entry): string | undefined {
  const [name, record] = entry;
  const column =
    invalidColumn(name, record) ??
    invalidTime(name, record) ??
    (name === "instances" ? malformedColumn(record) : undefined);
  return column && `${name} ${shownKey(entry)}: its ${column} is not valid`;
}

/**
 * What is wrong with a value that a person may have written as a record.
 * @returns a sentence without the value, e.g. `email must be text`
 */
export function writtenFault(name: TableName, value: unknown): string | undefined {
  if (!isObject(value)) return "must be an object";
  const unknown = Object.keys(value).find((key) => !columnsOf(name).some((column) => column.name === key));
  if (unknown !== undefined) return `${unknown} is not a column`;
  const record = value as unknown as InstanceRecord;
  const wrong = invalidColumn(name, value) ?? invalidTime(name, value);
  const column = columnsOf(name).find((one) => one.name === wrong);
  if (column && !Object.hasOwn(value, column.name)) return `${column.name} is missing`;
  if (column) return `${column.name} must be ${KINDS[column.kind].words}${column.nullable ? ", or null" : ""}`;
  const malformed = name === "instances" ? malformedColumn(record) : undefined;
  return malformed && `${malformed} does not have its form`;
}

/** The key of a record for a message. A state is a secret. */
export function shownKey([name, record]: Entry): string {
  const key = keyOf(name, record);
  return name === "states" ? `${key.slice(0, 8)}…` : key;
}

/** Finds records that belong to missing ones. Takes a store's entries in their order. */
export class References {
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

/**
 * The values of an instance that have a form which svc gives them. Shells and other programs read them, so one that another
 * program wrote could contain a command.
 */
const FORMS = [
  ["publishable_key", PUBLISHABLE_KEY, "publishable key"],
  ["secret_key", SECRET_KEY, "secret key"],
  ["subdomain", SUBDOMAIN, "subdomain"],
] as const;

/**
 * What is wrong with the first instance whose keys or subdomain do not have their form.
 * @returns a sentence without the value
 */
export function keyFault(instances: readonly InstanceRecord[]): string | undefined {
  for (const instance of instances)
    for (const [column, form, title] of FORMS)
      if (!form.test(instance[column]))
        return `the ${title} of the instance ${JSON.stringify(instance.id)} is not one. ${REMEDY}`;
  return undefined;
}

function malformedColumn(instance: InstanceRecord): string | undefined {
  return FORMS.find(([column, form]) => !form.test(instance[column]))?.[0];
}

const REMEDY = "svc writes no such value: restore a backup, or choose another --store.";
