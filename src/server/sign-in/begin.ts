import type { Caller } from "../../http/headers.ts";
import { STATE_LIFETIME_SECONDS, addressIn } from "../../wire/redirect-uri.ts";
import type { Provider } from "../../wire/providers.ts";
import type { Cookie, Cookies } from "../cookies.ts";
import { Refusal, SignInRefused } from "../errors.ts";
import { flowIdOf } from "../history/flows.ts";
import { redactUrl, withoutQuery } from "../history/redact.ts";
import type { Scope } from "../instances/addresses.ts";
import { wayBackTo, withParameters } from "../instances/redirect-uri.ts";
import type { Connection } from "../providers/connections.ts";
import { authorizationRequest, generateCodeVerifier } from "../providers/oauth2.ts";
import { randomBytes } from "../random.ts";
import { newRecord, type InstanceRecord, type StateRecord } from "../store/records.ts";
import { createBinding, surplusBindings } from "./binding.ts";
import type { SignInDeps } from "./deps.ts";
import { destinationOf, redirectRule } from "./redirect-rule.ts";

export interface BeginRequest {
  /** What was asked: whose host it is. */
  readonly at: Scope;
  /** The instance that the query names: by subdomain or id, or by its publishable key. */
  readonly named: { readonly instance?: string | undefined; readonly publishable_key?: string | undefined };
  /** Undefined for the instance's default. */
  readonly wanted: Provider | undefined;
  readonly redirect_uri: string;
  readonly login_hint: string | undefined;
  readonly ip_address: string;
  readonly caller: Caller;
  readonly cookies: Cookies;
  /** `redirect_uri` is the service's own page, which needs no permission. */
  readonly isOwnPage?: true;
}

/** A sign-in that began: where to send the browser. */
export interface Begun {
  readonly instance: InstanceRecord;
  readonly location: string;
  readonly cookies?: readonly Cookie[];
  /** What the provider is asked, and the sign-in's name in the history. Undefined if the browser begins at another host. */
  readonly asked?: { readonly flow_id: string; readonly parameters: Readonly<Record<string, string>> };
}

/** A request that may begin, at an instance and its connection to the provider. */
export interface PermittedStart extends BeginRequest {
  readonly instance: InstanceRecord;
  readonly connection: Connection;
}

/** At an instance's own address no other can be named; at the front door the first is meant if none is. */
export function findInstance({ instances }: SignInDeps, { at, named }: BeginRequest): InstanceRecord {
  const { instance: name, publishable_key: key } = named;
  const here = instances.at(at);
  if (name === undefined && key === undefined) return requireActive(here);
  const instance = name === undefined ? instances.byPublishableKey(key!) : instances.byName(name);
  const how = name === undefined ? "publishable_key" : "subdomain or id";
  if (!instance) throw notFound(`No instance has the ${how} in the query.`);
  if (at.kind === "instance" && instance !== here)
    throw notFound(`The query names ${instance.subdomain} at the address of another instance.`);
  return requireActive(instance);
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

/** Whether the sign-in may begin with the provider, and with the application's address. @throws {Refusal} */
export async function permitStart(
  deps: SignInDeps,
  instance: InstanceRecord,
  request: BeginRequest,
): Promise<PermittedStart> {
  try {
    const connection = await deps.connect(instance, request.wanted ?? instance.default_provider);
    checkRedirectUri(deps, instance, request);
    return { ...request, instance, connection };
  } catch (error) {
    throw error instanceof Refusal ? refusal(deps, instance, request, error) : error;
  }
}

function checkRedirectUri(
  deps: SignInDeps,
  instance: InstanceRecord,
  { redirect_uri, caller, isOwnPage }: BeginRequest,
) {
  const destination = isOwnPage
    ? destinationOf(redirect_uri)
    : redirectRule(redirect_uri, instance, caller, deps.allowsUnlisted);
  if (destination.isUnlisted) deps.onUnlisted(instance, destination.origin);
}

/**
 * A browser begins at the host that it comes back to, because there it must have its cookie. A program has none.
 * @returns where a browser at another host begins; undefined if it may begin here
 */
export function addressAtCallbackHost(
  { addresses }: SignInDeps,
  { at, caller, redirect_uri, login_hint, instance, connection }: PermittedStart,
): string | undefined {
  if (!caller.isBrowser || (at.kind === "front" && at.isCallback)) return undefined;
  const provider = connection.provider.name;
  const query = new URLSearchParams({ instance: instance.subdomain, provider, redirect_uri });
  if (login_hint !== undefined) query.set("login_hint", login_hint);
  return `${addresses.front}/__svc/begin?${query.toString()}`;
}

/** A state, with a verifier for a provider that takes one, and a cookie that ties it to a browser. */
export function newState(
  { addresses, now }: SignInDeps,
  { caller, redirect_uri, instance, connection: { provider } }: PermittedStart,
) {
  // Of 64 hexadecimal characters (spec, "Limits").
  const state = randomBytes(32).toString("hex");
  const begun = now();
  const binding = caller.isBrowser ? createBinding(state, begun, addresses.isHttps) : undefined;
  const record = newRecord("states", {
    state,
    instance_id: instance.id,
    provider: provider.name,
    redirect_uri,
    code_verifier: provider.pkce ? generateCodeVerifier() : null,
    binding: binding?.hash ?? null,
    created_at: begun.toISOString(),
    expires_at: new Date(begun.getTime() + STATE_LIFETIME_SECONDS * 1000).toISOString(),
  });
  return { record, cookie: binding?.cookie };
}

/** A client that has begun too many gives up its oldest. @throws {Refusal} `too_many_sign_ins` */
export async function limitStarts(
  { startLimit, store }: SignInDeps,
  { ip_address }: BeginRequest,
  { state }: StateRecord,
): Promise<void> {
  const replaced = startLimit.add(ip_address, state);
  if (replaced !== undefined) await (await store.claimState(replaced))?.end();
}

export async function saveState({ startLimit, store }: SignInDeps, record: StateRecord): Promise<void> {
  try {
    await store.saveState(record);
  } catch (error) {
    startLimit.forget(record.state);
    throw error;
  }
}

/** @param cookie of a browser, of whose unfinished sign-ins the latest five count */
export function sendToProvider(
  { addresses, flows }: SignInDeps,
  { login_hint, instance, connection, cookies: sentCookies }: PermittedStart,
  { state, provider, redirect_uri, code_verifier }: StateRecord,
  cookie: Cookie | undefined,
): Begun {
  const cookies = cookie ? [cookie, ...surplusBindings(sentCookies, addresses.isHttps)] : [];
  const callback = addresses.callbackUrl(provider);
  const parameters = authorizationRequest(connection, { redirect_uri: callback, state, code_verifier, login_hint });
  const location = withParameters(connection.endpoints.authorize, parameters);
  const sent = { provider, instance: instance.subdomain, redirect_uri: withoutQuery(redirect_uri), login_hint };
  const answered = { status: 302, location: withoutQuery(location) };
  const flow_id = flowIdOf(state);
  flows.of(flow_id)({ instance: instance.id, provider, redirect_uri }, { name: "begin", sent, answered });
  return { instance, location, cookies, asked: { flow_id, parameters } };
}

/** Notes why a sign-in of this instance may not begin. @returns what tells the browser the way back */
function refusal(
  { flows }: SignInDeps,
  instance: InstanceRecord,
  { wanted, redirect_uri }: BeginRequest,
  { code, sentence, detail }: Refusal,
): SignInRefused {
  const provider = wanted ?? instance.default_provider;
  // It was not checked yet, and may be anything.
  const shown = withoutQuery(redirect_uri);
  const isAddress = code === "invalid_redirect_uri";
  const reason = isAddress ? `The redirect_uri was refused: ${sentence}` : sentence;
  const registered = isAddress && { registered: instance.redirect_uris.map((entry) => redactUrl(entry)).join(", ") };
  const flow_id = flows.refused(
    { instance: instance.id, provider, redirect_uri: shown || null, result: "error", error: code, reason },
    {
      name: "begin",
      sent: { provider, instance: instance.subdomain, redirect_uri: shown },
      answered: { status: 400, error: code, ...registered },
      reason,
    },
  );
  const [wayBack] = instance.redirect_uris.flatMap((entry) => wayBackTo(instance, addressIn(entry) ?? "") ?? []);
  return new SignInRefused(code, detail, { wayBack, instance_id: instance.id, flow_id });
}
