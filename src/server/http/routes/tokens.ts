import { ApiError } from "../../errors.ts";
import { json } from "../reply.ts";
import type { AppRequest } from "../request.ts";
import { toVerifiedToken } from "../resources.ts";
import { requireSecretKey } from "./access.ts";
import type { RouteDefinition } from "./route.ts";
import { parseJson, requireJson } from "./json-body.ts";

export const verifyToken: RouteDefinition = {
  on: ["front", "instance"],
  async handle(request, deps) {
    const instance = requireSecretKey(request, deps, "missing_secret_key");
    const token = tokenIn(await request.text(), request);
    const claims = await deps.tokens.verify(instance, token, deps.now());
    const found = await deps.store.findUser(instance.id, claims.sub);
    if (!found) throw new ApiError("user_not_found");
    return json(toVerifiedToken(claims, found.user));
  },
};

function tokenIn(text: string, request: AppRequest): string {
  // An empty body needs no type.
  if (text === "") throw new ApiError("missing_token");
  requireJson(request);
  const token = ownToken(parseJson(text));
  if (typeof token !== "string" || token === "") throw new ApiError("missing_token");
  return token;
}

function ownToken(body: unknown): unknown {
  return typeof body === "object" && body !== null && Object.hasOwn(body, "token")
    ? (body as { token: unknown }).token
    : undefined;
}
