import { isProvider, type Provider } from "../../../wire/names.ts";
import { ApiError } from "../../errors.ts";
import { avatarSvg } from "../pages/avatar.ts";
import { accountList, pickerPage } from "../pages/picker.ts";
import { fragment, page, redirect, svg } from "../reply.ts";
import { browserIdCookie, newBrowserId, readBrowserId } from "../../simulator/browser.ts";
import { answerAuthorize } from "../../simulator/answer.ts";
import { readLabelledBrowser } from "../../simulator/labelled-browser.ts";
import { requireNavigation } from "./access.ts";
import type { AppRequest } from "../request.ts";
import type { RouteDefinition, RouteDeps } from "./route.ts";
import { attributeToFlow } from "./attribute.ts";

/** The authorize page of a simulated provider: the account picker, or a redirect to the callback. */
export const simulatedAuthorize: RouteDefinition = {
  on: ["front"],
  hasEffect: true,
  async handle(request, deps) {
    requireNavigation(request);
    const { addresses } = deps;
    const provider = simulated(request, deps);
    const cookie = request.header("cookie");
    const isBrowser = request.caller().isBrowser;
    const known = isBrowser ? readBrowserId(cookie, addresses.isHttps) : undefined;
    const browser = isBrowser ? (known ?? newBrowserId()) : undefined;
    const { reply, flow_id } = await answerAuthorize(deps, {
      provider,
      query: request.query,
      browser,
      labelledBrowser: readLabelledBrowser(cookie),
    });
    if (flow_id !== undefined) attributeToFlow(request, deps, flow_id);
    if ("location" in reply) return redirect(reply.location);
    const isNew = browser !== undefined && known === undefined;
    return page(pickerPage(reply), 200, isNew ? [browserIdCookie(browser, addresses.isHttps)] : []);
  },
};

/** The picker's list of accounts, for its script. */
export const simulatedAccounts: RouteDefinition = {
  on: ["front"],
  handle(request, deps) {
    const { query, header, caller } = request;
    const { simulator, addresses } = deps;
    const provider = simulated(request, deps);
    const browser = caller().isBrowser
      ? (readBrowserId(header("cookie"), addresses.isHttps) ?? newBrowserId())
      : undefined;
    return fragment(accountList(simulator.accounts(provider, query, browser)));
  },
};

export const avatar: RouteDefinition = {
  on: ["front"],
  handle(request, { simulator }) {
    const id = /^(.+)\.svg$/.exec(request.params["file"] ?? "")?.[1];
    const persona = simulator.personas.find(id ?? "");
    if (!persona || persona.id !== id) throw new ApiError("not_found");
    return svg(avatarSvg(persona.id, persona.name ?? persona.email));
  },
};

/** The simulated provider in the path. @throws {ApiError} `not_found`, also if this server simulates none */
function simulated({ params }: AppRequest, { offers }: RouteDeps): Provider {
  const provider = params["provider"];
  if (!isProvider(provider) || !offers.canSimulate) throw new ApiError("not_found");
  return provider;
}
