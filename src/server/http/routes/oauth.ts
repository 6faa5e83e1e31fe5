import type { Provider } from "../../../wire/names.ts";
import { ApiError, type SignInError } from "../../errors.ts";
import { redirect, type Reply } from "../reply.ts";
import type { AppRequest } from "../request.ts";
import { beginSignIn, checkBegin, type BeginRequest } from "../../sign-in/begin.ts";
import { flowIdOf } from "../../flows/flow-id.ts";
import { endBinding } from "../../sign-in/binding.ts";
import type { InstanceRecord } from "../../store/records.ts";
import type { finishSignIn as FinishSignIn } from "../../simulator/finish.ts";
import { requireNavigation, requireProvider, requireSignInInstance } from "./access.ts";
import type { RouteDefinition, RouteDeps } from "./route.ts";
import { attributeToFlow } from "./attribute.ts";

/** Signs in with the instance's default provider, unless the query names another. */
export const signIn: RouteDefinition = {
  on: ["front", "instance"],
  hasEffect: true,
  handle(request, deps) {
    requireNavigation(request);
    const instance = requireSignInInstance(request, deps);
    const provider = request.query.get("provider");
    return begin(
      request,
      deps,
      instance,
      provider === undefined ? instance.default_provider : requireProvider(provider),
    );
  },
};

export const authorize: RouteDefinition = {
  on: ["front", "instance"],
  hasEffect: true,
  handle(request, deps) {
    requireNavigation(request);
    const instance = requireSignInInstance(request, deps);
    return begin(request, deps, instance, requireProvider(request.query.get("provider") ?? ""));
  },
};

/** The second hop of a browser that asked another host: the binding cookie must be set by the callback's host. */
export const beginAtFront: RouteDefinition = {
  on: ["front"],
  hasEffect: true,
  handle(request, deps) {
    requireNavigation(request);
    const instance = requireSignInInstance(request, deps);
    return beginHere(request, deps, instance, requireProvider(request.query.get("provider") ?? ""));
  },
};

/** Loaded with the first callback: most of the sign-in code is not needed before. */
let finishing: Promise<{ finishSignIn: typeof FinishSignIn }> | undefined;

export const callback: RouteDefinition = {
  on: ["front"],
  hasEffect: true,
  async handle(request, deps) {
    requireNavigation(request);
    const { query, ip_address } = request;
    const caller = request.caller();
    const provider = requireProvider(request.params["provider"] ?? "");
    const state = query.get("state") ?? "";
    if (query.has("code") && query.has("error"))
      throw new ApiError("bad_request", "a callback carries a code or an error, not both");
    const { finishSignIn } = await (finishing ??= import("../../simulator/finish.ts"));
    let failure: SignInError | undefined;
    const onFailure = (failed: Provider, error: SignInError): void => {
      failure = error;
      deps.onFailure(failed, error);
    };
    const flow_id = flowIdOf(state);
    const location = await finishSignIn(
      { ...deps, onFailure },
      {
        provider,
        state,
        code: query.get("code"),
        error: query.get("error"),
        iss: query.get("iss"),
        ip_address,
        cookie: request.header("cookie"),
        caller,
        flow_id,
      },
    ).finally(() => attributeToFlow(request, deps, flow_id));
    const reason = failure ? `${failure.code}: ${failure.message}` : null;
    request.signIn = { provider, outcome: failure?.code ?? "success", reason };
    return redirect(location, caller.isBrowser ? [endBinding(state, deps.addresses.isHttps)] : []);
  },
};

async function begin(
  request: AppRequest,
  deps: RouteDeps,
  instance: InstanceRecord,
  provider: Provider,
): Promise<Reply> {
  const { scope, caller } = request;
  if (!caller().isBrowser || (scope.kind === "front" && scope.isCallback))
    return beginHere(request, deps, instance, provider);
  const asked = beginRequest(request, instance, provider);
  await checkBegin(deps, asked);
  const onward = new URLSearchParams({
    instance: instance.subdomain,
    provider,
    redirect_uri: asked.redirect_uri,
    ...(asked.login_hint !== undefined && { login_hint: asked.login_hint }),
  });
  return redirect(`${deps.addresses.front}/__svc/begin?${onward.toString()}`);
}

async function beginHere(
  request: AppRequest,
  deps: RouteDeps,
  instance: InstanceRecord,
  provider: Provider,
): Promise<Reply> {
  const { location, cookie, flow_id } = await beginSignIn(deps, beginRequest(request, instance, provider));
  request.flow_id = flow_id;
  return redirect(location, cookie === undefined ? [] : [cookie]);
}

function beginRequest(
  { query, caller, ip_address }: AppRequest,
  instance: InstanceRecord,
  provider: Provider,
): BeginRequest {
  const redirect_uri = query.get("redirect_uri") ?? "";
  return { instance, provider, redirect_uri, login_hint: query.get("login_hint"), caller: caller(), ip_address };
}
