import { isProvider, PROVIDERS, type Provider } from "../../../wire/names.ts";
import { ApiError } from "../../errors.ts";
import { redirect, type Reply } from "../reply.ts";
import type { AppRequest } from "../request.ts";
import { beginSignIn } from "../../sign-in/begin.ts";
import { endBinding } from "../../sign-in/binding.ts";
import { checkRedirectUri } from "../../sign-in/redirect-uri.ts";
import type { InstanceRecord } from "../../store/records.ts";
import { requireSignInInstance } from "./access.ts";
import type { RouteDefinition, RouteDeps } from "./route.ts";

/** Names no provider of its own accord: the instance's default one. */
export const signIn: RouteDefinition = {
  on: ["front", "instance"],
  handle(request, deps) {
    const instance = requireSignInInstance(request, deps);
    const provider = request.query.get("provider");
    return begin(request, deps, instance, provider === undefined ? instance.default_provider : known(provider));
  },
};

export const authorize: RouteDefinition = {
  on: ["front", "instance"],
  handle(request, deps) {
    const instance = requireSignInInstance(request, deps);
    return begin(request, deps, instance, known(request.query.get("provider") ?? ""));
  },
};

/** Where a browser that asked at another name goes on: a cookie for that one would not reach the callback's. */
export const beginAtFront: RouteDefinition = {
  on: ["front"],
  handle(request, deps) {
    const instance = requireSignInInstance(request, deps);
    return beginHere(request, deps, instance, known(request.query.get("provider") ?? ""));
  },
};

export const callback: RouteDefinition = {
  on: ["front"],
  isSpent: true,
  async handle(request, deps) {
    const { query, ip_address, isBrowser } = request;
    const provider = known(request.params["provider"] ?? "");
    const state = query.get("state") ?? "";
    if (query.has("code") && query.has("error"))
      throw new ApiError("bad_request", "a callback carries a code or an error, not both");
    const { completeSignIn } = await import("../../sign-in/complete.ts");
    const location = await completeSignIn(deps, {
      provider,
      state,
      code: query.get("code"),
      error: query.get("error"),
      ip_address,
      cookie: request.header("cookie"),
      isBrowser,
    });
    return redirect(location, isBrowser ? [endBinding(state, deps.addresses.isHttps)] : []);
  },
};

async function begin(
  request: AppRequest,
  deps: RouteDeps,
  instance: InstanceRecord,
  provider: Provider,
): Promise<Reply> {
  const { scope, isBrowser } = request;
  if (!isBrowser || (scope.kind === "front" && scope.isCallback)) return beginHere(request, deps, instance, provider);
  const { redirect_uri, login_hint } = parametersOf(request);
  checkRedirectUri(redirect_uri, instance.redirect_uris, deps.anyRedirectUri);
  const onward = new URLSearchParams({
    instance: instance.subdomain,
    provider,
    redirect_uri,
    ...(login_hint !== undefined && { login_hint }),
  });
  return redirect(`${deps.addresses.front}/__svc/begin?${onward.toString()}`);
}

async function beginHere(
  request: AppRequest,
  deps: RouteDeps,
  instance: InstanceRecord,
  provider: Provider,
): Promise<Reply> {
  const { isBrowser, ip_address } = request;
  const begun = { instance, provider, ...parametersOf(request), isBrowser, ip_address };
  const { location, cookie } = await beginSignIn(deps, begun);
  return redirect(location, cookie === undefined ? [] : [cookie]);
}

function parametersOf({ query }: AppRequest): { redirect_uri: string; login_hint: string | undefined } {
  return { redirect_uri: query.get("redirect_uri") ?? "", login_hint: query.get("login_hint") };
}

function known(provider: string): Provider {
  if (!isProvider(provider)) throw new ApiError("unknown_provider", `use one of ${PROVIDERS.join(", ")}`);
  return provider;
}
