import type { H3Event } from "h3";
import type { ErrorCode } from "../../../wire/errors.ts";
import { INSTANCE_HEADER, PUBLISHABLE_KEY_HEADER, SECRET_KEY_HEADER, SECRET_KEY_PREFIX } from "../../../wire/ids.ts";
import { PUBLISHABLE_KEY_TERM } from "../../../wire/product/inputs.ts";
import { isProvider, unknownProvider, type Provider } from "../../../wire/providers.ts";
import { Refusal, KeyRefused } from "../../errors.ts";
import type { Addresses } from "../../instances/addresses.ts";
import type { Instances } from "../../instances/instances.ts";
import type { Caller } from "../../../http/headers.ts";
import type { InstanceRecord } from "../../store/records.ts";
import type { Store } from "../../store/store.ts";
import type { Tokens } from "../../token.ts";
import type { Audit } from "../audit.ts";
import { admitted, headerIn } from "../context.ts";
import type { Access } from "../dispatch.ts";
import type { Cursors } from "./list.ts";

export interface ApiDeps {
  readonly store: Store;
  readonly instances: Instances;
  readonly addresses: Addresses;
  readonly tokens: Tokens;
  readonly cursors: Cursors;
  readonly audit: Audit;
  now(): Date;
}

type AccessDeps = Pick<ApiDeps, "instances">;

/**
 * The instance that the secret key belongs to.
 * @param missing the error for a request without a key, which differs by endpoint
 * @throws {Refusal} also if the host is another instance's
 */
export function requireSecretKey(
  event: H3Event,
  { instances }: AccessDeps,
  missing: ErrorCode,
): Access<InstanceRecord> {
  const key = headerIn(event, SECRET_KEY_HEADER);
  if (!key) throw new Refusal(missing);
  const owner = instances.bySecretKey(key);
  // A browser or a scanner has no key of this form: it is an application's.
  if (!owner && key.startsWith(SECRET_KEY_PREFIX))
    throw new KeyRefused(instances.hadSecretKey(key) ? "replaced_key" : "unknown_key");
  const instance = requireHost(event, owner);
  return { owner: instance, instance, headers: { [INSTANCE_HEADER]: `${instance.subdomain} ${instance.id}` } };
}

/**
 * The instance that either key belongs to. With both keys, the secret key counts; an empty header counts as absent.
 * @throws {Refusal} `unauthorized`; `instance_not_found` if the unknown publishable key is the one searched for
 */
export function requireEitherKey(event: H3Event, deps: AccessDeps): Access<InstanceRecord> {
  if (headerIn(event, SECRET_KEY_HEADER)) return requireSecretKey(event, deps, "unauthorized");
  const key = headerIn(event, PUBLISHABLE_KEY_HEADER);
  if (!key) throw new Refusal("unauthorized");
  const owner = deps.instances.byPublishableKey(key);
  const [, wanted] = PUBLISHABLE_KEY_TERM.exec(admitted(event).query.get("query") ?? "") ?? [];
  if (!owner && key === wanted) throw new Refusal("instance_not_found");
  const instance = requireHost(event, owner);
  return { owner: instance, instance };
}

/** @throws {Refusal} if no instance has the key, or its owner is not the one whose host was asked */
function requireHost(event: H3Event, owner: InstanceRecord | undefined): InstanceRecord {
  const { scope } = admitted(event);
  if (!owner) throw new Refusal("unauthorized");
  if (scope.kind === "instance" && scope.subdomain !== owner.subdomain) throw new KeyRefused("other_instance");
  return owner;
}

/** @throws {Refusal} `unknown_provider` */
export function requireProvider(name: string): Provider {
  if (!isProvider(name)) throw new Refusal("unknown_provider", unknownProvider(name));
  return name;
}

/**
 * Allows a browser to sign in only by a top-level navigation.
 * @throws {Refusal} if a page fetches or embeds the address, and for a prefetch or prerender
 */
export function requireNavigation(caller: Pick<Caller, "isNavigation">): void {
  if (caller.isNavigation) return;
  throw new Refusal(
    "bad_request",
    "a browser must navigate to this address; a script, an image, a frame, a prefetch or a prerender cannot sign in. Use a link, or set window.location",
  );
}
