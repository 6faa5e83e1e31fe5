import type { H3Event } from "h3";
import type { ErrorCode } from "../../../wire/errors.ts";
import { INSTANCE_HEADER, PUBLISHABLE_KEY_HEADER, SECRET_KEY_HEADER, SECRET_KEY_PREFIX } from "../../../wire/ids.ts";
import { PUBLISHABLE_KEY_TERM } from "../../../wire/product/inputs.ts";
import { PROVIDERS, isProvider, type Provider } from "../../../wire/providers.ts";
import { ApiError } from "../../errors.ts";
import type { Addresses } from "../../instances/addresses.ts";
import type { Instances } from "../../instances/instances.ts";
import { requireActive } from "../../sign-in/begin.ts";
import type { Caller } from "../../sign-in/caller.ts";
import type { InstanceRecord } from "../../store/records.ts";
import type { Store } from "../../store/store.ts";
import type { Tokens } from "../../token.ts";
import { admitted, headerOf, type Admitted } from "../context.ts";
import { setHeaders } from "../respond.ts";
import type { Cursors } from "./list.ts";

export interface ApiDeps {
  readonly store: Store;
  readonly instances: Instances;
  readonly addresses: Addresses;
  readonly tokens: Tokens;
  readonly cursors: Cursors;
  now(): Date;
}

type AccessDeps = Pick<ApiDeps, "instances">;

/**
 * The instance that the secret key belongs to.
 * @param missing the error for a request without a key, which differs by endpoint
 * @throws {ApiError} also if the host is another instance's
 */
export function requireSecretKey(event: H3Event, { instances }: AccessDeps, missing: ErrorCode): InstanceRecord {
  const key = headerOf(event, SECRET_KEY_HEADER);
  if (!key) throw new ApiError(missing);
  const owner = instances.bySecretKey(key);
  // A browser or a scanner has no key of this form: it is an application's.
  if (!owner && key.startsWith(SECRET_KEY_PREFIX))
    admitted(event).refused = instances.hadSecretKey(key) ? "replaced_key" : "unknown_key";
  const instance = admitInstance(event, owner);
  setHeaders(event, { [INSTANCE_HEADER]: `${instance.subdomain} ${instance.id}` });
  return instance;
}

/**
 * The instance that either key belongs to. With both keys, the secret key counts; an empty header counts as absent.
 * @throws {ApiError} `unauthorized`; `instance_not_found` if the unknown publishable key is the one searched for
 */
export function requireEitherKey(event: H3Event, deps: AccessDeps): InstanceRecord {
  if (headerOf(event, SECRET_KEY_HEADER)) return requireSecretKey(event, deps, "unauthorized");
  const key = headerOf(event, PUBLISHABLE_KEY_HEADER);
  if (!key) throw new ApiError("unauthorized");
  const instance = deps.instances.byPublishableKey(key);
  const [, wanted] = PUBLISHABLE_KEY_TERM.exec(admitted(event).query.get("query") ?? "") ?? [];
  if (!instance && key === wanted) throw new ApiError("instance_not_found");
  return admitInstance(event, instance);
}

function admitInstance(event: H3Event, instance: InstanceRecord | undefined): InstanceRecord {
  const request = admitted(event);
  if (!instance) throw new ApiError("unauthorized");
  if (request.scope.kind === "instance" && request.scope.subdomain !== instance.subdomain) {
    request.refused = "other_instance";
    throw new ApiError("unauthorized");
  }
  request.instance = instance;
  return instance;
}

/** For a browser, which has no key: the active instance whose address this is; at the front door, the first one. */
export function requireActiveInstance(request: Admitted, { instances }: AccessDeps): InstanceRecord {
  request.instance = instances.at(request.scope);
  return requireActive(request.instance);
}

/** @throws {ApiError} `unknown_provider` */
export function requireProvider(name: string): Provider {
  if (!isProvider(name)) throw new ApiError("unknown_provider", `use one of ${PROVIDERS.join(", ")}`);
  return name;
}

/**
 * Allows a browser to sign in only by a top-level navigation.
 * @throws {ApiError} if a page fetches or embeds the address, and for a prefetch or prerender
 */
export function requireNavigation(caller: Pick<Caller, "isNavigation">): void {
  if (caller.isNavigation) return;
  throw new ApiError(
    "bad_request",
    "a browser must navigate to this address; a script, an image, a frame, a prefetch or a prerender cannot sign in. Use a link, or set window.location",
  );
}
