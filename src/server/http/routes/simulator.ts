import type { H3, H3Event } from "h3";
import { setTimeout as delay } from "node:timers/promises";
import { isProvider, PROVIDER_TITLES, type Provider } from "../../../wire/providers.ts";
import { Refusal, SignInRefused } from "../../errors.ts";
import type { Addresses } from "../../instances/addresses.ts";
import type { Instances } from "../../instances/instances.ts";
import { answerApplication } from "../../simulator/application.ts";
import { answerAuthorize, type AuthorizeDeps } from "../../simulator/authorize.ts";
import { browserIdCookie, newBrowserId, readBrowserId, readLabelledBrowser } from "../../simulator/browser.ts";
import type { ApplicationClients } from "../../simulator/clients.ts";
import type { Picture } from "../../simulator/personas.ts";
import { readBodyText } from "../body.ts";
import { callerIn, cookiesOf, headerIn, nodeOf } from "../context.ts";
import { addRoutes, type RouteCall, type HandlersOf } from "../dispatch.ts";
import { escapeHtml } from "../pages/layout.ts";
import { accountChoices, pickerPage } from "../pages/picker.ts";
import { json, page, redirect, Reply, type Noted } from "../respond.ts";
import { requireNavigation } from "./access.ts";
import { notedOf } from "./oauth.ts";

interface SimulatorRouteDeps extends AuthorizeDeps {
  readonly addresses: Addresses;
  readonly instances: Instances;
  readonly clients: ApplicationClients;
}

const ROWS = {
  "GET /__svc/simulator/:provider/authorize": { hasEffect: true },
  // As GitHub Enterprise has it, below which its libraries expect the rest.
  "GET /__svc/simulator/:provider/login/oauth/authorize": { hasEffect: true },
  "GET /__svc/simulator/avatars/:file": {},
  // What an application asks by itself: for tokens, a profile, or the documents of OpenID Connect.
  "GET /__svc/simulator/:provider/**": {},
  "POST /__svc/simulator/:provider/**": {},
} as const;

export function addSimulatorRoutes(app: H3, deps: SimulatorRouteDeps): void {
  const { simulator, addresses, clients } = deps;
  const answerClient = async ({ event, request, params }: RouteCall<unknown, unknown, "/:provider">) => {
    const provider = requireSimulated(params.provider);
    if (clients.at(provider).length === 0)
      throw new SignInRefused("not_found", undefined, {
        reason: `No application has a client at the simulated ${PROVIDER_TITLES[provider]}. Add one to an instance.`,
      });
    const path = request.path.slice(`/__svc/simulator/${provider}`.length);
    const { method, headers, signal } = event.req;
    const body = method === "POST" ? await readBodyText(event) : "";
    const init = { method, headers: Object.fromEntries(headers), body, signal };
    const asked = { provider, path, query: new URLSearchParams([...request.query]), init };
    const { response, error, granted, why } = await answerApplication(deps, asked);
    const noted = { ...(granted?.flow_id !== undefined && notedOf(deps, granted.flow_id)), reason: why };
    if (!response) return failConnection(event, error, noted);
    const { status, headers: own, text } = response;
    return new Reply(text, { status, headers: Object.fromEntries(own), noted });
  };
  /** The account picker, its accounts for a program, or a redirect to the callback. */
  const authorize = async (provider: Provider, { event, request }: Pick<RouteCall, "event" | "request">) => {
    const { isBrowser, isNavigation } = callerIn(event, addresses.isHttps);
    requireNavigation({ isNavigation });
    const cookies = cookiesOf(event);
    const browser = isBrowser ? (readBrowserId(cookies, addresses.isHttps) ?? newBrowserId()) : undefined;
    const isCrossSite = headerIn(event, "sec-fetch-site") === "cross-site";
    const labelledBrowser = readLabelledBrowser(cookies);
    const asked = { provider, query: request.query, browser, labelledBrowser, isCrossSite };
    const { reply, flow_id } = await answerAuthorize(deps, asked);
    const noted = flow_id === undefined ? {} : notedOf(deps, flow_id);
    if ("location" in reply) return redirect(reply.location, { noted });
    const isJson = /\bapplication\/json\b/i.test(headerIn(event, "accept") ?? "");
    if (browser === undefined && isJson)
      return json(accountChoices(reply, addresses.front, request.query.get("login_hint")), { noted });
    const set = browser === undefined ? [] : [browserIdCookie(browser, addresses.isHttps)];
    return page(pickerPage(reply), { cookies: set, noted });
  };
  const handlers: HandlersOf<typeof ROWS> = {
    "GET /__svc/simulator/:provider/authorize": (call) => authorize(requireSimulated(call.params.provider), call),
    "GET /__svc/simulator/:provider/login/oauth/authorize": (call) => {
      const provider = requireSimulated(call.params.provider);
      const { aliases, endpoints } = simulator.at(provider).provider;
      if (aliases?.["/login/oauth/authorize"] !== endpoints.authorize) throw new Refusal("not_found");
      return authorize(provider, call);
    },
    "GET /__svc/simulator/:provider/**": answerClient,
    "POST /__svc/simulator/:provider/**": answerClient,

    /** A picture that any page may embed: applications show it. */
    "GET /__svc/simulator/avatars/:file": ({ params }) => {
      const picture = simulator.personas.picture(/^(.+)\.svg$/.exec(params.file)?.[1] ?? "");
      if (!picture) throw new Refusal("not_found");
      const headers = {
        "content-type": "image/svg+xml",
        "cross-origin-resource-policy": "cross-origin",
        "cache-control": "public, max-age=3600",
      };
      return new Reply(avatarSvg(picture), { headers });
    },
  };
  addRoutes(app, { base: "", on: ["front"], routes: ROWS }, handlers);
}

/** @throws {Refusal} `not_found` */
function requireSimulated(provider: string): Provider {
  if (!isProvider(provider)) throw new Refusal("not_found");
  return provider;
}

const NO_ANSWER_MS = 30_000;

/** Ends the connection without an answer: at once, or when the client has waited long enough to give up by itself. */
async function failConnection(event: H3Event, error: unknown, noted: Noted): Promise<Reply> {
  const isLate = error instanceof Error && error.name === "TimeoutError";
  if (isLate) await delay(NO_ANSWER_MS, undefined, { signal: event.req.signal, ref: false }).catch(() => undefined);
  nodeOf(event)?.req.socket.destroy();
  return new Reply(null, { status: 502, noted });
}

function avatarSvg({ hue, initials }: Picture): string {
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 80 80" width="80" height="80"><rect width="80" height="80" fill="oklch(.5 .12 ${hue})"/><text x="40" y="42" fill="#fff" font-family="system-ui,sans-serif" font-size="30" font-weight="600" text-anchor="middle" dominant-baseline="central">${escapeHtml(initials)}</text></svg>\n`;
}
