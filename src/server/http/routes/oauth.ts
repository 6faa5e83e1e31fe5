import type { PRODUCT_ROUTES } from "../../../wire/product/routes.ts";
import { flowIdOf, type Flows } from "../../history/flows.ts";
import { SignInRefused } from "../../errors.ts";
import type { Addresses } from "../../instances/addresses.ts";
import type { Instances } from "../../instances/instances.ts";
import { endBinding } from "../../sign-in/binding.ts";
import type { SignIns } from "../../sign-in/sign-in.ts";
import { attributeToFlow, callerIn, cookiesOf } from "../context.ts";
import type { Call, HandlersOf } from "../dispatch.ts";
import { redirect, type Sent } from "../respond.ts";
import { requireProvider } from "./access.ts";

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
    const { provider, redirect_uri, login_hint, instance, publishable_key } = query;
    const { scope, ip_address } = request;
    const wanted = provider === undefined ? undefined : requireProvider(provider);
    const { caller, cookies } = { caller: callerIn(event, addresses.isHttps), cookies: cookiesOf(event) };
    const asked = { at: scope, named: { instance, publishable_key }, wanted, redirect_uri, login_hint };
    const begun = await signIns.begin({ ...asked, caller, cookies, ip_address }).catch((error: unknown) => {
      if (error instanceof SignInRefused) request.instance ??= deps.instances.byId(error.instance_id ?? "");
      throw error;
    });
    request.instance = begun.instance;
    if (begun.flow_id !== undefined) request.flow_id = begun.flow_id;
    return redirect(event, begun.location, ...(begun.set ?? []));
  }

  return {
    "GET /sign-in": begin,

    "GET /oauth/authorize": begin,

    "GET /oauth/:provider/callback": async ({ event, request, params: { provider }, query }) => {
      const { ip_address } = request;
      const caller = callerIn(event, addresses.isHttps);
      const { state, code, error, iss } = query;
      const { location, failure } = await signIns
        .complete({ provider, state, code, error, iss, ip_address, cookies: cookiesOf(event), caller })
        .finally(() => attributeToFlow(request, deps, flowIdOf(state)));
      request.signIn = { provider, outcome: failure?.code ?? "success" };
      if (failure) request.reason = `${failure.code}: ${deps.flows.get(flowIdOf(state))?.reason ?? failure.message}`;
      return redirect(event, location, ...(caller.isBrowser ? [endBinding(state, addresses.isHttps)] : []));
    },
  };
}
