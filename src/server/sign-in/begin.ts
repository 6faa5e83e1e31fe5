import { STATE_LIFETIME_SECONDS, addressIn } from "../../wire/redirect-uri.ts";
import type { Provider } from "../../wire/providers.ts";
import type { Cookie, Cookies } from "../cookies.ts";
import { ApiError, SignInRefused } from "../errors.ts";
import { flowIdOf } from "../history/flows.ts";
import { redactUrl, withoutQuery } from "../history/redact.ts";
import type { Scope } from "../instances/addresses.ts";
import type { Connection } from "../providers/connections.ts";
import { newRecord, type InstanceRecord } from "../store/records.ts";
import { createBinding, surplusBindings } from "./binding.ts";
import type { Caller } from "./caller.ts";
import type { SignInDeps } from "./deps.ts";
import { authorizationUrl, generateCodeVerifier, generateState } from "./oauth2.ts";
import { listed, redirectRule, type Destination } from "./redirect-rule.ts";
import { wayBackTo } from "./redirect-uri.ts";

export interface BeginRequest {
  /** What was asked: whose host it is. */
  readonly at: Scope;
  /** The instance that the query names: by subdomain or id, or by its publishable key. */
  readonly named: { readonly instance?: string | undefined; readonly publishable_key?: string | undefined };
  /** Undefined for the instance's default. */
  readonly wanted: Provider | undefined;
  /** The application's address that the user returns to. */
  readonly redirect_uri: string;
  readonly login_hint: string | undefined;
  readonly ip_address: string;
  readonly caller: Caller;
  readonly cookies: Cookies;
  /** `redirect_uri` is the service's own page, which needs no permission. */
  readonly isOwnPage?: true;
}

/** What is known of a sign-in that begins: the request, and what each step has added. */
export interface Begin extends BeginRequest {
  readonly instance: InstanceRecord;
  readonly provider: Provider;
  readonly connection: Connection;
  readonly destination: Destination;
  readonly state: string;
  /** The hash of the secret in the browser's cookie; null for a program. */
  readonly binding: string | null;
  readonly set?: readonly Cookie[];
  /** For PKCE, where the provider requires it. */
  readonly code_verifier: string | null;
  readonly flow_id?: string;
  readonly location?: string;
}

/** At an instance's own address no other can be named; at the front door the first is meant if none is. */
export function findInstance({ instances }: SignInDeps, { at, named }: Begin) {
  const { instance: name, publishable_key: key } = named;
  const here = instances.at(at);
  if (name === undefined && key === undefined) return { instance: requireActive(here) };
  const instance = name === undefined ? instances.byPublishableKey(key!) : instances.byName(name);
  const how = name === undefined ? "publishable_key" : "subdomain or id";
  if (!instance) throw notFound(`No instance has the ${how} in the query.`);
  if (at.kind === "instance" && instance !== here)
    throw notFound(`The query names ${instance.subdomain} at the address of another instance.`);
  return { instance: requireActive(instance) };
}

/** @throws {SignInRefused} `instance_not_found` */
export function requireActive(instance: InstanceRecord | undefined): InstanceRecord {
  if (instance?.active) return instance;
  throw notFound(instance ? `${instance.subdomain} is not active.` : "No instance has this address.", instance);
}

/** @param reason for the log: browsers must not learn which instances exist */
function notFound(reason: string, instance?: InstanceRecord): SignInRefused {
  return new SignInRefused("instance_not_found", undefined, { reason, instance_id: instance?.id });
}

/** The instance's own credentials at the provider, the server's, or the simulated provider. */
export async function chooseConnection({ connect }: SignInDeps, { instance, wanted }: Begin) {
  const provider = wanted ?? instance.default_provider;
  return { provider, connection: await connect(instance, provider) };
}

export function checkRedirectUri(deps: SignInDeps, { instance, redirect_uri, caller, isOwnPage }: Begin) {
  const destination = isOwnPage
    ? listed(redirect_uri)
    : redirectRule(redirect_uri, instance, caller, deps.allowsUnlisted);
  if (destination.isUnlisted) deps.onUnlisted(instance, destination.origin);
  return { destination };
}

/** A browser begins at the host that it comes back to, because there it must have its cookie. A program has none. */
export function sendToCallbackHost({ addresses }: SignInDeps, known: Begin) {
  const { at, caller, instance, provider, redirect_uri, login_hint } = known;
  if (!caller.isBrowser || (at.kind === "front" && at.isCallback)) return undefined;
  const query = new URLSearchParams({ instance: instance.subdomain, provider, redirect_uri });
  if (login_hint !== undefined) query.set("login_hint", login_hint);
  return { location: `${addresses.front}/__svc/begin?${query.toString()}` };
}

export function limitStarts({ startLimit }: SignInDeps, { ip_address }: Begin): void {
  startLimit.begun(ip_address);
}

/** Ties the state to the browser by a cookie. Of a browser's unfinished sign-ins the latest five count. */
export function bindBrowser({ addresses, now }: SignInDeps, { caller, cookies }: Begin) {
  const state = generateState();
  if (!caller.isBrowser) return { state, binding: null };
  const { hash, cookie } = createBinding(state, now(), addresses.isHttps);
  return { state, binding: hash, set: [cookie, ...surplusBindings(cookies, addresses.isHttps)] };
}

/** From here on a callback with the state is taken, once, for ten minutes. */
export async function saveState({ store, now }: SignInDeps, known: Begin) {
  const { state, binding, instance, provider, connection, redirect_uri } = known;
  const code_verifier = connection.provider.pkce ? generateCodeVerifier() : null;
  const begun = now();
  const expires = new Date(begun.getTime() + STATE_LIFETIME_SECONDS * 1000);
  const dates = { created_at: begun.toISOString(), expires_at: expires.toISOString() };
  const instance_id = instance.id;
  await store.saveState(
    newRecord("states", { state, instance_id, provider, redirect_uri, code_verifier, binding, ...dates }),
  );
  return { code_verifier };
}

export function sendToProvider({ addresses, flows }: SignInDeps, known: Begin) {
  const { state, code_verifier, instance, provider, connection, redirect_uri, login_hint } = known;
  const callback = addresses.callbackUrl(provider);
  const location = authorizationUrl(connection, { redirect_uri: callback, state, code_verifier, login_hint });
  const sent = { provider, instance: instance.subdomain, redirect_uri: withoutQuery(redirect_uri), login_hint };
  const answered = { status: 302, location: withoutQuery(location) };
  const flow_id = flowIdOf(state);
  flows.of(flow_id)({ instance: instance.id, provider, redirect_uri }, { name: "begin", sent, answered });
  return { location, flow_id };
}

/** Notes why a sign-in may not begin, once its instance is known, and tells the browser the way back. */
export function refuse({ flows }: SignInDeps, known: Partial<Begin> & BeginRequest, error: unknown): never {
  const { instance, wanted, destination, redirect_uri } = known;
  if (!(error instanceof ApiError) || !instance || destination) throw error;
  const { code, sentence, detail } = error;
  const provider = wanted ?? instance.default_provider;
  // It was not checked yet, and may be anything.
  const shown = withoutQuery(redirect_uri);
  const isAddress = code === "invalid_redirect_uri";
  const reason = isAddress ? `The redirect_uri was refused: ${sentence}` : sentence;
  const registered = isAddress && { registered: instance.redirect_uris.map((entry) => redactUrl(entry)).join(", ") };
  flows.refused(
    { instance: instance.id, provider, redirect_uri: shown || null, result: "error", error: code, reason },
    {
      name: "begin",
      sent: { provider, instance: instance.subdomain, redirect_uri: shown },
      answered: { status: 400, error: code, ...registered },
      reason,
    },
  );
  const own = instance.redirect_uris.map(addressIn).find((address) => address && /^https?:/.test(address));
  const wayBack = own === undefined ? undefined : wayBackTo(instance, own);
  throw new SignInRefused(code, detail, { wayBack, instance_id: instance.id });
}
