import {
  byTable,
  columnsOf,
  instanceIdOf,
  keyOf,
  TABLE_NAMES,
  type Entry,
  type RecordOf,
  type TableName,
} from "../records.ts";
import { AlreadyExists, Conflict } from "../store.ts";
import type { Tables } from "./tables.ts";

const UNIQUE = byTable(TABLE_NAMES, (name) => columnsOf(name).filter(({ unique }) => unique === true));

/**
 * Refuses a record that can't stand beside the others.
 * @param before the record that it replaces; undefined if it is new
 * @throws {Conflict} if a unique value is taken, or the record that it belongs to is missing
 */
export function refuseConflict(tables: Tables, entry: Entry, before?: RecordOf[TableName]): void {
  refuseTwins(tables, entry, before);
  const [name, record] = entry;
  if (name === "users") {
    const other = tables.tenant(record.instance_id).userByEmail(record.email);
    if (other && other !== before)
      throw new AlreadyExists(`users.email: another user of the instance has "${record.email}"`);
    if (!tables.instances.has(record.instance_id))
      throw new Conflict(`users.instance_id: there is no instance ${record.instance_id}`);
  }
  if (name === "identities") {
    const other = tables.tenant(record.instance_id).identityByUid(record.provider, record.uid);
    if (other && other !== before)
      throw new AlreadyExists(`identities.uid: another user has the ${record.provider} account ${record.uid}`);
  }
  const isOwned = name === "identities" || name === "sessions";
  if (isOwned && !tables.tenant(record.instance_id).users.has(record.user_id))
    throw new Conflict(`${name}.user_id: there is no user ${record.user_id}`);
}

/** Another record with the same key; of instances, which are few, also one with the same name or keys. */
function refuseTwins(tables: Tables, [name, record]: Entry, before: RecordOf[TableName] | undefined): void {
  const key = keyOf(name, record);
  const twin = tables.find(name, key, instanceIdOf(record));
  if (twin && twin !== before) throw new AlreadyExists(`${name}: another record has the key "${key}"`);
  if (name !== "instances") return;
  for (const { name: column, sealed } of UNIQUE.instances) {
    const value = record[column as keyof typeof record];
    const others = [...tables.instances.values()].filter((other) => other !== before);
    if (others.some((other) => other[column as keyof typeof other] === value))
      throw new AlreadyExists(
        `instances.${column}: another record has ${sealed ? "the same" : `"${value as string}"`}`,
      );
  }
}
