import { PUBLISHABLE_KEY_HEADER } from "../../../wire/names.ts";
import { ApiError } from "../../errors.ts";
import { ANY_ORIGIN, json, publicJson } from "../reply.ts";
import { toInstance } from "../resources.ts";
import type { AppRequest } from "../request.ts";
import type { InstanceRecord } from "../../store/records.ts";
import { requireEitherKey } from "./access.ts";
import type { RouteDefinition, RouteDeps } from "./route.ts";

export const searchInstances: RouteDefinition = {
  on: ["front", "api", "instance"],
  handle: (request, deps) => publicJson(() => toInstance(find(request, deps), deps.addresses)),
};

/** The CORS preflight for the key's header. */
export const preflightInstances: RouteDefinition = {
  on: ["front", "api", "instance"],
  handle: () =>
    json({}, 200, {
      ...ANY_ORIGIN,
      "access-control-allow-methods": "GET",
      "access-control-allow-headers": PUBLISHABLE_KEY_HEADER,
      "access-control-max-age": "600",
    }),
};

function find(request: AppRequest, deps: RouteDeps): InstanceRecord {
  const wanted = /(?:^|\s)publishable_key:(\S+)/.exec(request.query.get("query") ?? "")?.[1];
  const own = requireEitherKey(request, deps, wanted);
  if (!wanted) throw new ApiError("publishable_key_required");
  // For a key, instances other than its own do not exist.
  if (wanted !== own.publishable_key) throw new ApiError("instance_not_found");
  return own;
}
