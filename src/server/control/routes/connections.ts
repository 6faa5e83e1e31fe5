import { Refusal, SignInFailure } from "../../errors.ts";
import type { NoteStep } from "../../history/flows.ts";
import type { InForce } from "../../providers/offers.ts";
import type { InstanceRecord, ConnectionRecord } from "../../store/records.ts";
import type { AnswerOf } from "../../../wire/control/types.ts";
import { resource } from "../../http/resources.ts";
import type { ControlDeps, ControlHandlers } from "../deps.ts";
import { changeInstance, requireInstance } from "../look-up.ts";
import { refuseFaults } from "../check.ts";
import { PROVIDERS, type Provider } from "../../../wire/providers.ts";
import { requireProvider } from "../../http/routes/access.ts";
import { checkEndpoints, DEFINITIONS } from "../../providers/index.ts";
import type { Connection } from "../../providers/connections.ts";
import { answerDeadline, requestTokens } from "../../providers/exchange.ts";
import { generateCodeVerifier } from "../../providers/oauth2.ts";
import { BAD_CREDENTIALS } from "../../providers/replies.ts";

import { requireDefault } from "./instances.ts";

export const connectionRoutes = (deps: ControlDeps): ControlHandlers<"/instances/:id/connections"> => ({
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
});

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
async function testConnection(
  connection: Connection,
  { addresses }: ControlDeps,
): Promise<{ ok: boolean; message: string }> {
  const { name, pkce } = connection.provider;
  let refusal: string | undefined;
  const note: NoteStep = (_, step) => {
    const error = step?.answered?.["error"];
    refusal = typeof error === "string" ? error.slice(0, 100) : undefined;
  };
  const deadline = answerDeadline();
  try {
    const request = {
      code: "svc-connection-test",
      redirect_uri: addresses.callbackUrl(name),
      code_verifier: pkce ? generateCodeVerifier() : null,
    };
    await requestTokens({ connection, note, signal: deadline.signal }, request);
    return { ok: false, message: `${name} accepted a made-up code; it is not checking codes` };
  } catch (error) {
    if (!(error instanceof SignInFailure)) throw error;
    // A provider that is down may answer with an error, too, and says nothing of the client.
    const isDown = error.code === "temporarily_unavailable";
    if (isDown || refusal === undefined || BAD_CREDENTIALS.has(refusal)) return { ok: false, message: error.message };
    return { ok: true, message: `${name} knows the client; it refused a made-up code, as it should (${refusal})` };
  } finally {
    deadline.end();
  }
}
