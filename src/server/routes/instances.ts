import { PUBLISHABLE_KEY_HEADER } from "../../wire/names.ts";
import { ApiError } from "../errors.ts";
import { json } from "../reply.ts";
import { toInstance } from "../resources.ts";
import { requireEitherKey } from "./access.ts";
import { ANY_ORIGIN, preflight } from "./cors.ts";
import type { RouteDefinition } from "./route.ts";

export const searchInstances: RouteDefinition = {
  on: ["front", "api"],
  handle(request, deps) {
    const own = requireEitherKey(request, deps);
    const wanted = /(?:^|\s)publishable_key:(\S+)/.exec(request.query.get("query") ?? "")?.[1];
    if (!wanted) throw new ApiError("publishable_key_required");
    // A key speaks for its own instance; the others do not exist for it.
    if (wanted !== own.publishable_key) throw new ApiError("instance_not_found");
    return json(toInstance(own, deps.addresses), 200, ANY_ORIGIN);
  },
};

export const preflightInstances: RouteDefinition = {
  on: ["front", "api"],
  handle: () => preflight(PUBLISHABLE_KEY_HEADER),
};
