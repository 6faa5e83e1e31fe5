import { PUBLISHABLE_KEY_HEADER } from "../../../wire/ids.ts";
import { ApiError } from "../../errors.ts";
import { json, setHeaders } from "../respond.ts";
import { toInstance } from "../resources.ts";
import type { ApiDeps } from "./deps.ts";
import type { ProductHandlers } from "./product-rows.ts";

export function instanceRoutes({ addresses }: ApiDeps): ProductHandlers<"/api/v1/instances"> {
  return {
    "GET /api/v1/instances/search": ({ owner, query: { query: wanted } }) => {
      // For a key, instances other than its own do not exist.
      if (wanted !== owner.publishable_key) throw new ApiError("instance_not_found");
      return toInstance(owner, addresses);
    },

    "OPTIONS /api/v1/instances/search": ({ event }) => {
      setHeaders(event, {
        "access-control-allow-methods": "GET",
        "access-control-allow-headers": PUBLISHABLE_KEY_HEADER,
        "access-control-max-age": "600",
      });
      return json(event, {});
    },
  };
}
