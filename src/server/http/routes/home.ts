import { ApiError } from "../../errors.ts";
import { SIGN_IN_ERRORS, type SignInErrorCode } from "../../../wire/errors.ts";
import { homePage } from "../pages/home.ts";
import { noTokenPage, notSignedInPage, signedInPage } from "../pages/signed-in.ts";
import { page, redirect } from "../reply.ts";
import { claimedInstance } from "../../token.ts";
import type { RouteDefinition, RouteDeps } from "./route.ts";

/** Only on a server that no other machine can reach: it names every instance. */
export const home: RouteDefinition = {
  on: ["front", "api", "instance"],
  handle({ scope }, { instances, addresses, offers, isLocal, decide }) {
    requireLocal(isLocal);
    if (scope.kind !== "front") return redirect(`${addresses.front}/`);
    // Only a server with a control API has scenarios.
    return page(homePage(instances.all, addresses, offers.providersOf, decide !== undefined));
  },
};

/** Stands in for an application's callback. */
export const signedIn: RouteDefinition = {
  on: ["front"],
  async handle(request, deps) {
    requireLocal(deps.isLocal);
    const error = request.query.get("error");
    if (error !== undefined) return page(notSignedInPage(error, SIGN_IN_ERRORS[error as SignInErrorCode] ?? ""));
    const token = request.query.get("token");
    if (token === undefined) return page(noTokenPage());
    const instance = deps.instances.byId(claimedInstance(token) ?? "");
    if (!instance) throw new ApiError("token_invalid");
    const claims = await deps.tokens.verify(instance, token, deps.now());
    return page(signedInPage(token, claims, deps.addresses.instanceUrl(instance)));
  },
};

function requireLocal(isLocal: RouteDeps["isLocal"]): void {
  if (!isLocal) throw new ApiError("not_found");
}
