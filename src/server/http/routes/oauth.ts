import type { PRODUCT_ROUTES } from "../../../wire/product/routes.ts";
import { flowIdOf, type Flows } from "../../history/flows.ts";
import type { Addresses } from "../../instances/addresses.ts";
import type { Instances } from "../../instances/instances.ts";
import { endBinding } from "../../sign-in/binding.ts";
import type { SignIns } from "../../sign-in/sign-in.ts";
import { callerIn, cookiesOf } from "../context.ts";
import type { RouteCall, HandlersOf } from "../dispatch.ts";
import { Failed } from "../failure.ts";
import { redirect, type Noted, type Reply } from "../respond.ts";

export interface SignInRouteDeps {
  readonly instances: Instances;
  readonly addresses: Addresses;
  readonly signIns: SignIns;
  readonly flows: Flows;
}

type Rows = Pick<typeof PRODUCT_ROUTES, "GET /sign-in" | "GET /oauth/authorize" | "GET /oauth/:provider/callback">;

/** The browser's side of a sign-in. */
export function oauthRoutes(deps: SignInRouteDeps): HandlersOf<Rows> {
  const { addresses, signIns, flows } = deps;

  async function begin({
    event,
    request,
    query,
  }: RouteCall<Rows["GET /sign-in"] | Rows["GET /oauth/authorize"]>): Promise<Reply> {
    const { provider: wanted, redirect_uri, login_hint, instance: name, publishable_key } = query;
    const { scope, ip_address } = request;
    const named = { instance: name, publishable_key };
    const browser = { caller: callerIn(event, addresses.isHttps), cookies: cookiesOf(event), ip_address };
    const begun = await signIns.begin({ at: scope, named, wanted, redirect_uri, login_hint, ...browser });
    const { location, cookies = [], instance, asked } = begun;
    return redirect(location, { cookies, noted: { instance, ...(asked && { flow_id: asked.flow_id }) } });
  }

  return {
    "GET /sign-in": begin,

    "GET /oauth/authorize": begin,

    "GET /oauth/:provider/callback": async ({ event, request, params: { provider }, query }) => {
      const { ip_address } = request;
      const caller = callerIn(event, addresses.isHttps);
      const { state, code, error, iss } = query;
      const asked = { provider, state, code, error, iss, ip_address, cookies: cookiesOf(event), caller };
      const flow_id = flowIdOf(state);
      const ended = await signIns.complete(asked).catch((refused: unknown) => {
        throw new Failed(refused, notedOf(deps, flow_id));
      });
      const { location, instance } = ended;
      const noted = { flow_id, instance };
      const cookies = caller.isBrowser ? [endBinding(state, addresses.isHttps)] : [];
      if (ended.result === "token")
        return redirect(location, { cookies, noted: { ...noted, signIn: { provider, outcome: "success" } } });
      const { failure } = ended;
      const reason = `${failure.code}: ${flows.get(flow_id)?.reason ?? failure.message}`;
      return redirect(location, { cookies, noted: { ...noted, signIn: { provider, outcome: failure.code }, reason } });
    },
  };
}

/** The sign-in that a request belongs to, and the instance of that, if this process knows it. */
export function notedOf({ flows, instances }: Pick<SignInRouteDeps, "flows" | "instances">, flow_id: string): Noted {
  return { flow_id, instance: instances.byId(flows.get(flow_id)?.instance ?? "") };
}
