import type { ErrorCode } from "../../../wire/errors.ts";
import { PUBLISHABLE_KEY_HEADER, SECRET_KEY_HEADER } from "../../../wire/names.ts";
import { ApiError, SignInRefused } from "../../errors.ts";
import type { Instances } from "../../instances/instances.ts";
import type { AppRequest } from "../request.ts";
import type { InstanceRecord } from "../../store/records.ts";

interface AccessDeps {
  readonly instances: Instances;
}

/**
 * The instance that a secret key speaks for.
 * @param missing what a request without a key is told (design: it differs by endpoint)
 * @throws {ApiError} also where the host is another instance's
 */
export function requireSecretKey(request: AppRequest, { instances }: AccessDeps, missing: ErrorCode): InstanceRecord {
  const key = request.header(SECRET_KEY_HEADER);
  if (!key) throw new ApiError(missing);
  return admitInstance(request, instances.bySecretKey(key));
}

/**
 * The instance that either key belongs to. A request with both is judged by its secret key; an empty header counts as
 * absent.
 * @param wanted the publishable key that is looked for: where it is the unknown one, there is no such instance
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

function admitInstance(request: AppRequest, instance: InstanceRecord | undefined): InstanceRecord {
  if (!instance) throw new ApiError("unauthorized");
  if (request.scope.kind === "instance" && request.scope.subdomain !== instance.subdomain)
    throw new ApiError("unauthorized");
  request.instance = instance;
  return instance;
}

/** The active instance whose address this is, at the front door the first one, for a browser, which has no key. */
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
 * The active instance that a browser signs in to: the one named by `instance` (subdomain or id) or `publishable_key` in
 * the query, otherwise the one whose address this is. At an instance's own address no other can be named.
 * @throws {ApiError} `instance_not_found`
 */
export function requireSignInInstance(request: AppRequest, deps: AccessDeps): InstanceRecord {
  const { instances } = deps;
  const name = request.query.get("instance");
  const key = request.query.get("publishable_key");
  if (name !== undefined && key !== undefined)
    throw new ApiError("bad_request", "name the instance by instance or by publishable_key, not by both");
  if (name === undefined && key === undefined) return requireActiveInstance(request, deps);
  const named =
    name === undefined ? instances.byPublishableKey(key!) : (instances.bySubdomain(name) ?? instances.byId(name));
  if (!named)
    throw notFound(`no instance has the ${name === undefined ? "publishable_key" : "subdomain or id"} in the query`);
  if (request.scope.kind === "instance" && named !== request.instance)
    throw notFound(`the query names ${named.subdomain} at the address of another instance`);
  request.instance = named;
  return requireActive(named);
}

/** @param reason for the log: a browser is not told which instances there are */
function notFound(reason: string): SignInRefused {
  return new SignInRefused("instance_not_found", undefined, { reason });
}

/**
 * Lets a browser into a sign-in only where it goes to the address itself.
 * @throws {ApiError} for what a page fetches or embeds, and for a prefetch or prerender
 */
export function requireNavigation({ caller }: AppRequest): void {
  if (caller().isNavigation) return;
  throw new ApiError(
    "bad_request",
    "a browser signs in by going to this address; a script, an image, a frame, a prefetch or a prerender cannot. Use a link, or set window.location",
  );
}
