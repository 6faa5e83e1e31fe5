import { hash } from "node:crypto";
import type { ErrorCode } from "../../wire/errors.ts";
import { Refusal } from "../errors.ts";
import { lowerCaseId } from "../http/routes/list.ts";
import type { InstanceRecord, TenantKey } from "../store/records.ts";
import type { UserView } from "../store/store.ts";
import type { ControlDeps } from "./deps.ts";
import { USER_FIELDS } from "../../wire/search/fields.ts";
import { parseQuery } from "../../wire/search/query.ts";

/** What was looked up. @throws {Refusal} with `code` if it is undefined */
export function requireFound<Thing>(thing: Thing | undefined, code: ErrorCode, detail?: string): Thing {
  if (thing === undefined) throw new Refusal(code, detail);
  return thing;
}

/** An instance by id or subdomain. @throws {Refusal} `instance_not_found` */
export function requireInstance({ instances }: Pick<ControlDeps, "instances">, name: string): InstanceRecord {
  const detail = `no instance has the id or subdomain "${name}"; list them with svc instances list or GET /__svc/v1/instances`;
  return requireFound(instances.byName(name), "instance_not_found", detail);
}

/** The named instance, or the first. @throws {Refusal} `instance_not_found` */
export function chosenInstance(deps: ControlDeps, name: string | undefined): InstanceRecord {
  if (name !== undefined) return requireInstance(deps, name);
  return requireFound(deps.instances.first, "instance_not_found", "no instances yet; create one first");
}

/** Changes an instance for every process. @throws {Refusal} `instance_not_found` if it was deleted meanwhile */
export async function changeInstance(
  { store, shared }: ControlDeps,
  id: string,
  change: (before: InstanceRecord) => InstanceRecord,
): Promise<InstanceRecord> {
  const changed = await store.change("instances", id, (before) => before && change(before));
  const instance = requireFound(changed, "instance_not_found");
  await shared.refresh();
  return instance;
}

const NOT_FOUND = { users: "user_not_found", sessions: "session_not_found" } as const;

/**
 * What names a user or session in the store, by its id in either case, and the instance, if that is given.
 * @throws {Refusal} if none has the id, or several instances have one with it and none is given
 */
export async function requireRecordKey(
  deps: Pick<ControlDeps, "store" | "instances">,
  table: keyof typeof NOT_FOUND,
  name: string,
  instance: string | undefined,
): Promise<TenantKey> {
  const id = lowerCaseId(name);
  if (instance !== undefined) return { instance_id: requireInstance(deps, instance).id, id };
  const [first, ...others] = await deps.store.instancesWith(table, id);
  if (others.length > 0)
    throw new Refusal("conflict", `${others.length + 1} instances have ${id}; say which with ?instance=`);
  return { instance_id: requireFound(first, NOT_FOUND[table]), id };
}

/** A user of an instance by id, or by e-mail address in any case. */
export async function findUser(
  { store }: ControlDeps,
  { id }: InstanceRecord,
  name: string,
): Promise<UserView | undefined> {
  const found = await store.findUser(id, lowerCaseId(name));
  // A pattern would find others.
  if (found || !/^[^\s*]+@[^\s*]+$/.test(name)) return found;
  const query = parseQuery(`email:${name}`, USER_FIELDS);
  for await (const [view] of store.users(id, { query, limit: 1 })) return view;
  return undefined;
}

/** A record with the values that a patch sets. */
export function patched<Row extends object>(
  before: Row,
  patch: { readonly [Column in keyof Row]?: Row[Column] | undefined },
): Row {
  const set = Object.entries(patch).filter(([, value]) => value !== undefined);
  return { ...before, ...Object.fromEntries(set) };
}

/** A UUID that follows from a name: the same name gives the same one (RFC 9562, 5.8). */
export function namedUuid(name: string): string {
  const hex = hash("sha256", `svc ${name}`, "hex");
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
