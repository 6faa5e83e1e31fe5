import { PUBLISHABLE_KEY_HEADER } from "../../../wire/names.ts";
import { ApiError } from "../../errors.ts";
import { json } from "../reply.ts";
import { toInstance } from "../resources.ts";
import type { AppRequest } from "../request.ts";
import type { InstanceRecord } from "../../store/records.ts";
import { requireEitherKey } from "./access.ts";
import { ANY_ORIGIN, preflight } from "./cors.ts";
import type { RouteDefinition, RouteDeps } from "./route.ts";

export const searchInstances: RouteDefinition = {
  on: ["front", "api", "instance"],
  handle(request, deps) {
    try {
      return json(toInstance(find(request, deps), deps.addresses), 200, ANY_ORIGIN);
    } catch (error) {
      // A page must be able to read what was wrong, too.
      throw error instanceof ApiError ? new ApiError(error.code, error.detail, ANY_ORIGIN) : error;
    }
  },
};

export const preflightInstances: RouteDefinition = {
  on: ["front", "api", "instance"],
  handle: () => preflight(PUBLISHABLE_KEY_HEADER),
};

function find(request: AppRequest, deps: RouteDeps): InstanceRecord {
  const wanted = /(?:^|\s)publishable_key:(\S+)/.exec(request.query.get("query") ?? "")?.[1];
  const own = requireEitherKey(request, deps, wanted);
  if (!wanted) throw new ApiError("publishable_key_required");
  // A key speaks for its own instance; the others do not exist for it.
  if (wanted !== own.publishable_key) throw new ApiError("instance_not_found");
  return own;
}
