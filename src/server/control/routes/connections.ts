import { PROVIDERS, type Provider } from "../../../wire/providers.ts";
import { ApiError } from "../../errors.ts";
import { requireProvider } from "../../http/routes/access.ts";
import { checkEndpoints } from "../../providers/endpoints.ts";
import { DEFINITIONS } from "../../providers/index.ts";
import type { InForce } from "../../providers/offers.ts";
import type { ConnectionRecord, InstanceRecord } from "../../store/records.ts";
import { testConnection } from "../connection-test.ts";
import type { ControlDeps, HandlersOf } from "../deps.ts";
import { requireInstance } from "../records.ts";
import { refuseFaults } from "../check.ts";
import { changeInstance, requireDefault } from "./instances.ts";

export const connectionRoutes: HandlersOf<"/instances/:id/connections"> = {
  "GET /instances/:id/connections": ({ params }, deps) => {
    const instance = requireInstance(deps, params.id);
    return PROVIDERS.map((provider) => connectionResource(deps, instance, provider));
  },

  "PUT /instances/:id/connections/:provider": async ({ params, body }, deps) => {
    const instance = requireInstance(deps, params.id);
    const provider = requireProvider(params.provider);
    refuseFaults(checkEndpoints(provider, body.endpoints, "endpoints"));
    const { client_id, client_secret, endpoints } = body;
    const own: ConnectionRecord = { client_id, client_secret, ...(endpoints && { endpoints }) };
    const changed = await changeInstance(deps, instance.id, (before) => ({
      ...before,
      connections: { ...before.connections, [provider]: own },
    }));
    return connectionResource(deps, changed, provider);
  },

  "DELETE /instances/:id/connections/:provider": async ({ params }, deps) => {
    const instance = requireInstance(deps, params.id);
    const provider = requireProvider(params.provider);
    if (!instance.connections[provider])
      throw new ApiError("not_found", `the instance has no connection of its own to ${provider}`);
    await changeInstance(deps, instance.id, (before) => {
      const after = without(before, provider);
      requireDefault(deps, after);
      return after;
    });
    return { deleted: true, id: provider };
  },

  "POST /instances/:id/connections/:provider/test": async ({ params }, deps) => {
    const instance = requireInstance(deps, params.id);
    return testConnection(await deps.connect(instance, requireProvider(params.provider)), deps);
  },
};

const WHY: Readonly<Record<InForce, string>> = {
  own: "the instance has credentials of its own",
  global: "the server's credentials are used, because the instance has none",
  simulated: "neither the instance nor the server has credentials",
  off: "neither the instance nor the server has credentials, and no provider is simulated here",
};

function connectionResource(
  { offers, simulator, addresses }: ControlDeps,
  instance: InstanceRecord,
  provider: Provider,
) {
  const { in_force, credentials } = offers.of(instance, provider);
  const isSimulated = in_force === "simulated";
  const replaced = isSimulated ? simulator.endpoints(provider) : credentials?.endpoints;
  const client = credentials ?? (isSimulated ? simulator.client : undefined);
  return {
    id: provider,
    resource: "connection" as const,
    data: {
      provider,
      in_force,
      why: isSimulated && credentials ? "--providers simulated: credentials are not used" : WHY[in_force],
      client_id: client?.client_id ?? null,
      endpoints: { ...DEFINITIONS[provider].endpoints, ...replaced },
      callback_url: addresses.callbackUrl(provider),
    },
  };
}

function without(instance: InstanceRecord, provider: Provider): InstanceRecord {
  const { [provider]: _, ...connections } = instance.connections;
  return { ...instance, connections };
}
