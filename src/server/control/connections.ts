import { isProvider, PROVIDERS, type Provider } from "../../wire/names.ts";
import { ApiError } from "../errors.ts";
import { checkEndpoints } from "../providers/endpoints.ts";
import { globalCredentials } from "../providers/connections.ts";
import { DEFINITIONS } from "../providers/index.ts";
import type { ConnectionRecord, InstanceRecord } from "../store/records.ts";
import { testConnection } from "./connection-test.ts";
import type { ControlDeps } from "./deps.ts";
import { requireInstance } from "./find.ts";
import type { HandlersOf } from "./handler.ts";
import { changeInstance, refuse, requireCredentials } from "./instances.ts";

export const connectionRoutes: HandlersOf<"/instances/:id/connections"> = {
  "GET /instances/:id/connections": ({ param }, deps) => {
    const instance = requireInstance(deps, param("id"));
    return PROVIDERS.map((provider) => connectionResource(deps, instance, provider));
  },

  "PUT /instances/:id/connections/:provider": async ({ param, body }, deps) => {
    const instance = requireInstance(deps, param("id"));
    const provider = requireProvider(param("provider"));
    refuse(checkEndpoints(provider, body.endpoints, "endpoints"));
    const { client_id, client_secret, endpoints } = body;
    const own: ConnectionRecord = { client_id, client_secret, ...(endpoints && { endpoints }) };
    const changed = await changeInstance(deps, instance.id, (before) => ({
      ...before,
      connections: { ...before.connections, [provider]: own },
    }));
    return connectionResource(deps, changed, provider);
  },

  "DELETE /instances/:id/connections/:provider": async ({ param }, deps) => {
    const instance = requireInstance(deps, param("id"));
    const provider = requireProvider(param("provider"));
    if (!instance.connections[provider])
      throw new ApiError("not_found", `the instance has no connection of its own to ${provider}`);
    requireCredentials(deps, without(instance, provider));
    await changeInstance(deps, instance.id, (before) => without(before, provider));
    return { deleted: true, id: provider };
  },

  "POST /instances/:id/connections/:provider/test": async ({ param }, deps) => {
    const instance = requireInstance(deps, param("id"));
    return testConnection(await deps.connect(instance, requireProvider(param("provider"))), deps);
  },
};

function connectionResource(
  { mode, credentials, simulator, addresses }: ControlDeps,
  instance: InstanceRecord,
  provider: Provider,
) {
  const own = instance.connections[provider];
  const global = globalCredentials(provider, credentials);
  const record = own ?? global;
  const isReal = record !== undefined && mode !== "simulated";
  const replaced = isReal ? record.endpoints : simulator.endpoints(provider);
  const why = !isReal
    ? record
      ? "--providers simulated: credentials are not used"
      : "neither the instance nor the server has credentials"
    : own
      ? "the instance has credentials of its own"
      : "the server's credentials are used, because the instance has none";
  return {
    id: provider,
    resource: "connection" as const,
    data: {
      provider,
      in_force: isReal ? (own ? ("own" as const) : ("global" as const)) : ("simulated" as const),
      why,
      client_id: (record ?? simulator.client).client_id,
      endpoints: { ...DEFINITIONS[provider].endpoints, ...replaced },
      callback_url: addresses.callbackUrl(provider),
    },
  };
}

function without(instance: InstanceRecord, provider: Provider): InstanceRecord {
  const { [provider]: _, ...connections } = instance.connections;
  return { ...instance, connections };
}

/** @throws {ApiError} `unknown_provider` */
function requireProvider(name: string): Provider {
  if (!isProvider(name)) throw new ApiError("unknown_provider", `use one of ${PROVIDERS.join(", ")}`);
  return name;
}
