import type { PRODUCT_ROUTES } from "../../../wire/product/routes.ts";
import { flowIdOf, type Flows } from "../../history/flows.ts";
import type { Addresses } from "../../instances/addresses.ts";
import type { Instances } from "../../instances/instances.ts";
import type { SignIns } from "../../sign-in/begin.ts";
import { endBinding } from "../../sign-in/binding.ts";
import { attributeToFlow, callerIn, cookieOf } from "../context.ts";
import type { Call, HandlersOf } from "../dispatch.ts";
import { redirect, type Sent } from "../respond.ts";
import { requireProvider, requireSignInInstance } from "./access.ts";

export interface SignInRouteDeps {
  readonly instances: Instances;
  readonly addresses: Addresses;
  readonly signIns: SignIns;
  readonly flows: Flows;
}

type Rows = Pick<typeof PRODUCT_ROUTES, "GET /sign-in" | "GET /oauth/authorize" | "GET /oauth/:provider/callback">;

/** The browser's side of a sign-in. */
export function oauthRoutes(deps: SignInRouteDeps): HandlersOf<Rows> {
  const { addresses, signIns } = deps;

  async function begin({
    event,
    request,
    query,
  }: Call<Rows["GET /sign-in"] | Rows["GET /oauth/authorize"]>): Promise<Sent> {
    const instance = requireSignInInstance(request, deps, query);
    const { scope, ip_address } = request;
    const { location, cookie, flow_id } = await signIns.begin({
      instance,
      provider: query.provider === undefined ? instance.default_provider : requireProvider(query.provider),
      redirect_uri: query.redirect_uri,
      login_hint: query.login_hint,
      caller: callerIn(event, addresses.isHttps),
      isAtCallback: scope.kind === "front" && scope.isCallback,
      ip_address,
    });
    if (flow_id !== undefined) request.flow_id = flow_id;
    return redirect(event, location, ...(cookie ? [cookie] : []));
  }

  return {
    "GET /sign-in": begin,

    "GET /oauth/authorize": begin,

    "GET /oauth/:provider/callback": async ({ event, request, params: { provider }, query }) => {
      const { ip_address } = request;
      const caller = callerIn(event, addresses.isHttps);
      const { state, code, error, iss } = query;
      const cookie = (name: string): string | undefined => cookieOf(event, name);
      const flow_id = flowIdOf(state);
      const { location, failure } = await signIns
        .complete({ provider, state, code, error, iss, ip_address, cookie, caller, flow_id })
        .finally(() => attributeToFlow(request, deps, flow_id));
      request.signIn = { provider, outcome: failure?.code ?? "success" };
      if (failure) request.reason = `${failure.code}: ${deps.flows.get(flow_id)?.reason ?? failure.message}`;
      return redirect(event, location, ...(caller.isBrowser ? [endBinding(state, addresses.isHttps)] : []));
    },
  };
}
