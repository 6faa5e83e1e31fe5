import { isUuid } from "../../../wire/ids.ts";
import type { VerifiedToken } from "../../../wire/resources.ts";
import { ApiError } from "../../errors.ts";
import type { InstanceRecord } from "../../store/records.ts";
import { toVerifiedToken } from "../resources.ts";
import type { ApiDeps } from "./deps.ts";
import type { ProductHandlers } from "./product-rows.ts";

export function tokenRoutes(deps: ApiDeps): ProductHandlers<"/api/v1/tokens"> {
  return {
    "POST /api/v1/tokens/verify": ({ owner, body: { token } }) => verifiedToken(deps, owner, token),
  };
}

/** Whose token it is. @throws {ApiError} one of the `token_…` codes, or `user_not_found` */
export async function verifiedToken(
  { store, tokens, now }: Pick<ApiDeps, "store" | "tokens" | "now">,
  instance: InstanceRecord,
  token: string,
): Promise<VerifiedToken> {
  const claims = await tokens.verify(instance, token, now());
  const found = isUuid(claims.sub) ? await store.findUser(instance.id, claims.sub) : undefined;
  if (!found) throw new ApiError("user_not_found");
  return toVerifiedToken(claims, found);
}
