import type { Query, Term } from "../../wire/query.ts";
import { fold } from "../store/fold.ts";
import { ApiError } from "../errors.ts";
import type { InstanceRecord } from "../store/records.ts";
import type { ControlDeps } from "./deps.ts";

/** An instance by id or subdomain. @throws {ApiError} `instance_not_found` */
export function requireInstance({ instances }: ControlDeps, name: string): InstanceRecord {
  const instance = instances.byId(name) ?? instances.bySubdomain(name.toLowerCase());
  if (!instance) throw new ApiError("instance_not_found", `no instance has the id or subdomain "${name}"`);
  return instance;
}

/** The one that is named, or the first. */
export function chosenInstance(deps: ControlDeps, name: string | undefined): InstanceRecord {
  if (name !== undefined) return requireInstance(deps, name);
  if (!deps.instances.first) throw new ApiError("instance_not_found", "there is none yet; make one first");
  return deps.instances.first;
}

/** A user of an instance by id or e-mail address. */
export async function findUser(
  { store }: ControlDeps,
  instance: InstanceRecord,
  name: string,
): ReturnType<ControlDeps["store"]["findUser"]> {
  const byId = await store.findUser(instance.id, name);
  if (byId || !name.includes("@")) return byId;
  const folded = fold(name);
  const values: readonly Term[] = [{ field: "email", operator: "is", value: folded, negated: false }];
  const query: Query = [{ field: "email", column: "email", type: "string", values, range: [], excluded: [] }];
  for await (const batch of (await store.users(instance.id, { query, limit: 1 })) ?? []) return batch[0];
  return undefined;
}
