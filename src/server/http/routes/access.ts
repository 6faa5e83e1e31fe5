import type { ErrorCode } from "../../../wire/errors.ts";
import {
  isProvider,
  PROVIDERS,
  PUBLISHABLE_KEY_HEADER,
  SECRET_KEY_HEADER,
  type Provider,
} from "../../../wire/names.ts";
import { ApiError, SignInRefused } from "../../errors.ts";
import type { Instances } from "../../instances/instances.ts";
import type { AppRequest } from "../request.ts";
import type { InstanceRecord } from "../../store/records.ts";

interface AccessDeps {
  readonly instances: Instances;
}

/**
 * The instance that the secret key belongs to.
 * @param missing the error for a request without a key, which differs by endpoint
 * @throws {ApiError} also if the host is another instance's
 */
export function requireSecretKey(request: AppRequest, { instances }: AccessDeps, missing: ErrorCode): InstanceRecord {
  const key = request.header(SECRET_KEY_HEADER);
  if (!key) throw new ApiError(missing);
  return admitInstance(request, instances.bySecretKey(key));
}

/**
 * The instance that either key belongs to. With both keys, the secret key counts; an empty header counts as absent.
 * @param wanted the publishable key that is searched for; if it is the unknown one, the instance is not found
 * @throws {ApiError} `unauthorized` or `instance_not_found`
 */
export function requireEitherKey(request: AppRequest, deps: AccessDeps, wanted: string | undefined): InstanceRecord {
  if (request.header(SECRET_KEY_HEADER)) return requireSecretKey(request, deps, "unauthorized");
  const key = request.header(PUBLISHABLE_KEY_HEADER);
  if (!key) throw new ApiError("unauthorized");
  const instance = deps.instances.byPublishableKey(key);
  if (!instance && key === wanted) throw new ApiError("instance_not_found");
  return admitInstance(request, instance);
}

/** An id as it is stored: UUIDs are read in either case (RFC 9562, 4). */
export function lowerCaseId(id: string): string {
  return id.toLowerCase();
}

/** The id in the path. */
export function idIn({ params }: AppRequest): string {
  return lowerCaseId(params["id"] ?? "");
}

function admitInstance(request: AppRequest, instance: InstanceRecord | undefined): InstanceRecord {
  if (!instance) throw new ApiError("unauthorized");
  if (request.scope.kind === "instance" && request.scope.subdomain !== instance.subdomain)
    throw new ApiError("unauthorized");
  request.instance = instance;
  return instance;
}

/** For a browser, which has no key: the active instance whose address this is; at the front door, the first one. */
export function requireActiveInstance(request: AppRequest, { instances }: AccessDeps): InstanceRecord {
  if (request.scope.kind === "front") request.instance = instances.first;
  return requireActive(request.instance);
}

function requireActive(instance: InstanceRecord | undefined): InstanceRecord {
  if (instance === undefined) throw notFound("no instance has this address");
  if (!instance.active) throw notFound(`${instance.subdomain} is not active`);
  return instance;
}

/**
 * The active instance that a browser signs in to: the one named in the query by `instance` (subdomain or id) or
 * `publishable_key`, otherwise the one whose address this is. At an instance's own address no other can be named.
 * @throws {ApiError} `instance_not_found`
 */
export function requireSignInInstance(request: AppRequest, deps: AccessDeps): InstanceRecord {
  const { instances } = deps;
  const name = request.query.get("instance");
  const key = request.query.get("publishable_key");
  if (name !== undefined && key !== undefined)
    throw new ApiError("bad_request", "use instance or publishable_key to name the instance, not both");
  if (name === undefined && key === undefined) return requireActiveInstance(request, deps);
  const named = name === undefined ? instances.byPublishableKey(key!) : instances.byName(name);
  if (!named)
    throw notFound(`no instance has the ${name === undefined ? "publishable_key" : "subdomain or id"} in the query`);
  if (request.scope.kind === "instance" && named !== request.instance)
    throw notFound(`the query names ${named.subdomain} at the address of another instance`);
  request.instance = named;
  return requireActive(named);
}

/** @param reason for the log: browsers must not learn which instances exist */
function notFound(reason: string): SignInRefused {
  return new SignInRefused("instance_not_found", undefined, { reason });
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
export function requireNavigation({ caller }: AppRequest): void {
  if (caller().isNavigation) return;
  throw new ApiError(
    "bad_request",
    "a browser must navigate to this address; a script, an image, a frame, a prefetch or a prerender cannot sign in. Use a link, or set window.location",
  );
}
