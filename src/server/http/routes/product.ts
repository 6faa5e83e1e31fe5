import type { H3 } from "h3";
import type * as z from "zod/mini";
import { errorOf } from "../../../wire/product/inputs.ts";
import { PRODUCT_API } from "../../../wire/product/routes.ts";
import { ApiError } from "../../errors.ts";
import type { InstanceRecord } from "../../store/records.ts";
import { callerIn } from "../context.ts";
import { addRoutes, type HandlersOf, type Service } from "../dispatch.ts";
import { ANY_ORIGIN, setHeaders } from "../respond.ts";
import { requireEitherKey, requireNavigation, requireSecretKey } from "./access.ts";
import type { ApiDeps, SignInRouteDeps } from "./deps.ts";
import { discoveryRoutes } from "./discovery.ts";
import { instanceRoutes } from "./instances.ts";
import { oauthRoutes } from "./oauth.ts";
import { PRODUCT_ROWS } from "./product-rows.ts";
import { sessionRoutes } from "./sessions.ts";
import { tokenRoutes } from "./tokens.ts";
import { userRoutes } from "./users.ts";

export function addProductRoutes(app: H3, deps: ApiDeps, signIn: SignInRouteDeps): void {
  const { base, on } = PRODUCT_API;
  const handlers: HandlersOf<typeof PRODUCT_ROWS, InstanceRecord> = {
    ...oauthRoutes(signIn),
    ...discoveryRoutes(deps),
    ...tokenRoutes(deps),
    ...instanceRoutes(deps),
    ...sessionRoutes(deps),
    ...userRoutes(deps),
  };
  addRoutes(app, { base, on, routes: PRODUCT_ROWS }, handlers, productService(deps));
}

function productService(deps: ApiDeps): Service<InstanceRecord> {
  return {
    admit(event, row) {
      if (row === undefined) return undefined;
      if (row.isPublic) setHeaders(event, ANY_ORIGIN);
      if (row.isNavigation) requireNavigation(callerIn(event, deps.addresses.isHttps));
      if (row.key === "none") return undefined;
      if (row.key === "either") return requireEitherKey(event, deps);
      return requireSecretKey(event, deps, row.missingKey ?? "unauthorized");
    },
    check(schema, input) {
      const result = schema?.safeParse(input);
      if (result?.error) throw apiErrorOf(result.error);
      return result?.data;
    },
  };
}

function apiErrorOf(error: z.core.$ZodError): ApiError {
  const { code, detail } = errorOf(error);
  return new ApiError(code, detail);
}
