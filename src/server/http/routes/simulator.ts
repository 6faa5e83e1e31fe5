import { isProvider, type Provider } from "../../../wire/names.ts";
import { ApiError } from "../../errors.ts";
import { avatarSvg } from "../pages/avatar.ts";
import { accountList, pickerPage } from "../pages/picker.ts";
import { fragment, page, redirect, svg } from "../reply.ts";
import { browserCookie, newBrowser, shownBrowser } from "../../simulator/browser.ts";
import { answerAuthorize } from "../../simulator/answer.ts";
import { browserOf } from "../../simulator/labelled-browser.ts";
import { requireNavigation } from "./access.ts";
import type { AppRequest } from "../request.ts";
import type { RouteDefinition, RouteDeps } from "./route.ts";
import { belongToSignIn } from "./sign-in-of.ts";

/** The browser's side of a simulated provider: the account picker, and the way back from it. */
export const simulatedAuthorize: RouteDefinition = {
  on: ["front"],
  async handle(request, deps) {
    requireNavigation(request);
    const { addresses } = deps;
    const provider = simulated(request, deps);
    const isBrowser = request.caller().isBrowser;
    const shown = isBrowser ? shownBrowser(request.header("cookie"), addresses.isHttps) : undefined;
    const browser = isBrowser ? (shown ?? newBrowser()) : undefined;
    const { outcome, flow_id } = await answerAuthorize(deps, {
      provider,
      query: request.query,
      browser,
      label: browserOf(request.header("cookie")),
    });
    if (flow_id !== undefined) belongToSignIn(request, deps, flow_id);
    if ("location" in outcome) return redirect(outcome.location);
    const isNew = browser !== undefined && shown === undefined;
    return page(pickerPage(outcome), 200, isNew ? [browserCookie(browser, addresses.isHttps)] : []);
  },
};

/** The picker's accounts again, for its own script: nothing can be chosen here. */
export const simulatedAccounts: RouteDefinition = {
  on: ["front"],
  handle(request, deps) {
    const { query, header, caller } = request;
    const { simulator, addresses } = deps;
    const provider = simulated(request, deps);
    const browser = caller().isBrowser
      ? (shownBrowser(header("cookie"), addresses.isHttps) ?? newBrowser())
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

/** The simulated provider asked for. @throws {ApiError} `not_found`, also where a server simulates none */
function simulated({ params }: AppRequest, { offers }: RouteDeps): Provider {
  const provider = params["provider"];
  if (!isProvider(provider) || !offers.canSimulate) throw new ApiError("not_found");
  return provider;
}
