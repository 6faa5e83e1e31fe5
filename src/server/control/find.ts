import type { ErrorCode } from "../../wire/errors.ts";
import { ApiError } from "../errors.ts";
import { lowerCaseId } from "../http/routes/access.ts";
import type { InstanceRecord } from "../store/records.ts";
import type { UserView } from "../store/store.ts";
import { userByEmail } from "../store/user-by-email.ts";
import type { ControlDeps } from "./deps.ts";

/** What was looked up. @throws {ApiError} with `code` if it is undefined */
export function requireFound<Thing>(thing: Thing | undefined, code: ErrorCode, detail?: string): Thing {
  if (thing === undefined) throw new ApiError(code, detail);
  return thing;
}

/** An instance by id or subdomain. @throws {ApiError} `instance_not_found` */
export function requireInstance({ instances }: Pick<ControlDeps, "instances">, name: string): InstanceRecord {
  const detail = `no instance has the id or subdomain "${name}"; list them with svc instances list or GET /__svc/v1/instances`;
  return requireFound(instances.byName(name), "instance_not_found", detail);
}

/** The named instance, or the first. @throws {ApiError} `instance_not_found` */
export function chosenInstance(deps: ControlDeps, name: string | undefined): InstanceRecord {
  if (name !== undefined) return requireInstance(deps, name);
  return requireFound(deps.instances.first, "instance_not_found", "no instances yet; create one first");
}

/** A user of an instance by id or e-mail address. */
export async function findUser(
  { store }: ControlDeps,
  { id }: InstanceRecord,
  name: string,
): Promise<UserView | undefined> {
  return (
    (await store.findUser(id, lowerCaseId(name))) ?? (name.includes("@") ? userByEmail(store, id, name) : undefined)
  );
}
