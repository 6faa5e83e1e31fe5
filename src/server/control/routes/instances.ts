import { Refusal, SignInFailure } from "../../errors.ts";
import type { NoteStep } from "../../history/flows.ts";
import { defaultFault, type InForce } from "../../providers/offers.ts";
import { addressFaults, crossFaults, suffixFaults } from "../../seed/faults.ts";
import { recordsOf } from "../../seed/parse.ts";
import type { InstanceRecord, ConnectionRecord } from "../../store/records.ts";
import type { BodyOf, AnswerOf } from "../../../wire/control/types.ts";
import { resource } from "../../http/resources.ts";
import type { ControlDeps, HandlersOf } from "../deps.ts";
import { changeInstance, requireInstance, patched } from "../look-up.ts";
import { clientRoutes } from "./clients.ts";
import { listInMemory } from "../lists.ts";
import { refuseFaults, parseDuration } from "../check.ts";
import { instanceResource, oldKeysOf } from "../resources.ts";
import { createPublishableKey, withNewSecretKey } from "../../instances/instances.ts";
import { PROVIDERS, type Provider } from "../../../wire/providers.ts";
import { requireProvider } from "../../http/routes/access.ts";
import { checkEndpoints } from "../../providers/index.ts";
import { DEFINITIONS } from "../../providers/index.ts";
import type { Connection } from "../../providers/connections.ts";
import { askProvider, requestTokens } from "../../providers/exchange.ts";
import { generateCodeVerifier } from "../../providers/oauth2.ts";
import { BAD_CREDENTIALS } from "../../providers/replies.ts";

export const instanceRoutes = (deps: ControlDeps): HandlersOf<"/instances"> => ({
  "GET /instances": (call) => {
    const present = (instance: InstanceRecord) => instanceResource(instance, deps);
    return listInMemory(call, deps, { name: "instances", all: deps.instances.all.toReversed(), present });
  },

  "POST /instances": async ({ body }) => {
    const seed = { instances: [body], personas: [] };
    refuseFaults(ofOne(crossFaults(seed)));
    refuseFaults(ofOne(await suffixFaults(seed.instances)));
    const records = recordsOf(seed, deps.now());
    const [instance] = records.instances;
    requireDefault(deps, instance!);
    await deps.store.add(records);
    await deps.shared.refresh();
    return instanceResource(instance!, deps);
  },

  "GET /instances/:id": ({ params }) => instanceResource(requireInstance(deps, params.id), deps),

  "PATCH /instances/:id": async ({ params, body }) => {
    const known = requireInstance(deps, params.id);
    refuseAddresses(body, patched(known, body));
    const { redirect_uris = known.redirect_uris } = body;
    if (changesEntries(body)) refuseFaults(ofOne(await suffixFaults([{ redirect_uris }])));
    const changed = await changeInstance(deps, known.id, (before) => {
      const after = patched(before, body);
      refuseAddresses(body, after);
      if (body.default_provider !== undefined || body.active !== undefined) requireDefault(deps, after);
      return after;
    });
    return instanceResource(changed, deps);
  },

  "DELETE /instances/:id": async ({ event, params }) => {
    const { id } = requireInstance(deps, params.id);
    await deps.store.removeInstance(id);
    deps.audit(event, { action: "instance_deleted", instance_id: id, id });
    await deps.shared.refreshEverywhere();
    return { deleted: true, id };
  },

  "POST /instances/:id/reveal": ({ params }) => keysOf(requireInstance(deps, params.id), deps),

  "POST /instances/:id/keys/rotate": async ({ event, params, body }) => {
    const { id } = requireInstance(deps, params.id);
    const keepMs = body.keep_old === undefined ? 0 : parseDuration(body.keep_old, "keep_old");
    if (keepMs > MOST_KEPT_MS) throw new Refusal("bad_request", "keep_old: 30d is the longest time");
    if (keepMs > 0 && !body.secret_key)
      throw new Refusal("bad_request", "keep_old: only an old secret key can be kept, and secret_key is false");
    const audited = (): void => deps.audit(event, { action: "keys_replaced", instance_id: id });
    return replaceKeys(deps, id, audited, (before) => ({
      ...(body.secret_key ? withNewSecretKey(before, keepMs, deps.now()) : before),
      ...(body.publishable_key && { publishable_key: createPublishableKey() }),
    }));
  },

  "DELETE /instances/:id/keys/old": ({ event, params }) => {
    const { id } = requireInstance(deps, params.id);
    const audited = (): void => deps.audit(event, { action: "old_keys_revoked", instance_id: id });
    return replaceKeys(deps, id, audited, (before) => ({ ...before, old_keys: [] }));
  },

  "GET /instances/:id/connections": ({ params }) => {
    const instance = requireInstance(deps, params.id);
    return PROVIDERS.map((provider) => connectionResource(deps, instance, provider));
  },

  "PUT /instances/:id/connections/:provider": async ({ event, params, body }) => {
    const instance = requireInstance(deps, params.id);
    const provider = requireProvider(params.provider);
    refuseFaults(checkEndpoints(provider, body.endpoints, "endpoints"));
    const { client_id, client_secret, endpoints } = body;
    const own: ConnectionRecord = { client_id, client_secret, ...(endpoints && { endpoints }) };
    const changed = await changeInstance(deps, instance.id, (before) => ({
      ...before,
      connections: { ...before.connections, [provider]: own },
    }));
    deps.audit(event, { action: "connection_changed", instance_id: instance.id, id: provider });
    return connectionResource(deps, changed, provider);
  },

  "DELETE /instances/:id/connections/:provider": async ({ event, params }) => {
    const instance = requireInstance(deps, params.id);
    const provider = requireProvider(params.provider);
    if (!instance.connections[provider])
      throw new Refusal("not_found", `the instance has no connection of its own to ${provider}`);
    await changeInstance(deps, instance.id, (before) => {
      const { [provider]: _, ...connections } = before.connections;
      const after = { ...before, connections };
      requireDefault(deps, after);
      return after;
    });
    deps.audit(event, { action: "connection_deleted", instance_id: instance.id, id: provider });
    return { deleted: true, id: provider };
  },

  "POST /instances/:id/connections/:provider/test": async ({ params }) => {
    const instance = requireInstance(deps, params.id);
    return testConnection(await deps.connect(instance, requireProvider(params.provider)), deps);
  },

  ...clientRoutes(deps),
});

type Patch = BodyOf<"PATCH /instances/:id">;

function changesEntries({ redirect_uris, preview }: Patch): boolean {
  return redirect_uris !== undefined || preview !== undefined;
}

/** Refuses what a patch says or allows. What was stored before it stays. @throws {Refusal} `bad_request` */
function refuseAddresses(patch: Patch, after: InstanceRecord): void {
  refuseFaults(addressFaults(changesEntries(patch) ? after : patch, ""));
}

/** Faults of a seed's only instance, as those of the instance itself. */
function ofOne(faults: readonly string[]): string[] {
  return faults.map((fault) => fault.replaceAll("instances[0].", ""));
}

/** @throws {Refusal} `bad_request` if an active instance's default provider would be off */
export function requireDefault({ offers }: ControlDeps, instance: InstanceRecord): void {
  const fault = defaultFault([instance], offers);
  if (fault !== undefined) throw new Refusal("bad_request", `default_provider: ${fault}`);
}

const MOST_KEPT_MS = 30 * 86_400_000;

/** Every process rejects a key that was taken away before this resolves. */
async function replaceKeys(
  deps: ControlDeps,
  id: string,
  audited: () => void,
  change: (before: InstanceRecord) => InstanceRecord,
): Promise<AnswerOf<"POST /instances/:id/reveal">> {
  const changed = await changeInstance(deps, id, change);
  audited();
  await deps.shared.refreshEverywhere();
  return keysOf(changed, deps);
}

function keysOf(instance: InstanceRecord, { now }: ControlDeps): AnswerOf<"POST /instances/:id/reveal"> {
  const { secret_key, publishable_key } = instance;
  return { secret_key, publishable_key, old_keys: oldKeysOf(instance, now()) };
}

const WHY: Readonly<Record<InForce, string>> = {
  own: "the instance has credentials of its own",
  global: "the server's credentials are used, because the instance has none",
  simulated: "svc has no credentials for it, so it plays the provider",
  off: "neither the instance nor the server has credentials, and no provider is simulated here",
};

function connectionResource(
  { offers, simulator, addresses }: ControlDeps,
  instance: InstanceRecord,
  provider: Provider,
): AnswerOf<"GET /instances/:id/connections">[number] {
  const { in_force, credentials } = offers.of(instance, provider);
  const isSimulated = in_force === "simulated";
  const replaced = isSimulated ? simulator.endpoints(provider) : credentials?.endpoints;
  const client = credentials ?? (isSimulated ? simulator.client : undefined);
  return resource("connection", provider, {
    provider,
    in_force,
    why:
      isSimulated && credentials
        ? "--providers simulated: the credentials are used at the simulated provider"
        : WHY[in_force],
    client_id: client?.client_id ?? null,
    endpoints: { ...DEFINITIONS[provider].endpoints, ...replaced },
    callback_url: addresses.callbackUrl(provider),
  });
}

/** Exchanges an invalid code. A provider that accepts the client rejects the code, otherwise it rejects the client. */
export async function testConnection(
  connection: Connection,
  { addresses }: ControlDeps,
): Promise<{ ok: boolean; message: string }> {
  const { name, pkce } = connection.provider;
  let refusal: string | undefined;
  const note: NoteStep = (_, step) => {
    const error = step?.answered?.["error"];
    refusal = typeof error === "string" ? error.slice(0, 100) : undefined;
  };
  try {
    const request = {
      code: "svc-connection-test",
      redirect_uri: addresses.callbackUrl(name),
      code_verifier: pkce ? generateCodeVerifier() : null,
    };
    await askProvider({ connection, note }, (exchange) => requestTokens(exchange, request));
    return { ok: false, message: `${name} accepted a made-up code; it is not checking codes` };
  } catch (error) {
    if (!(error instanceof SignInFailure)) throw error;
    // A provider that is down may answer with an error, too, and says nothing of the client.
    const isDown = error.code === "temporarily_unavailable";
    if (isDown || refusal === undefined || BAD_CREDENTIALS.has(refusal)) return { ok: false, message: error.message };
    return { ok: true, message: `${name} knows the client; it refused a made-up code, as it should (${refusal})` };
  }
}
