import { requireActiveInstance } from "./access.ts";
import type { ApiDeps } from "./deps.ts";
import type { ProductHandlers } from "./product-rows.ts";

export function discoveryRoutes(deps: ApiDeps): ProductHandlers<"/.well-known"> {
  const { addresses } = deps;
  return {
    "GET /.well-known/openid-configuration": ({ request }) => {
      const instance = requireActiveInstance(request, deps);
      // The address that was asked: a strict client compares the issuer with it (OpenID Connect Discovery, 4.3).
      const base = request.scope.kind === "front" ? addresses.front : addresses.instanceUrl(instance);
      return {
        issuer: base,
        authorization_endpoint: `${base}/oauth/authorize`,
        token_endpoint: `${base}/api/v1/tokens/verify`,
        userinfo_endpoint: `${base}/api/v1/users`,
        response_types_supported: ["code"],
        subject_types_supported: ["public"],
        id_token_signing_alg_values_supported: ["HS256"],
      };
    },
  };
}
