import type { AnswerOf } from "../../../wire/control/types.ts";
import { Refusal } from "../../errors.ts";
import { resource } from "../../http/resources.ts";
import { clientFaults } from "../../seed/faults.ts";
import type { ClientRecord, InstanceRecord } from "../../store/records.ts";
import { refuseFaults } from "../check.ts";
import type { ControlDeps, ControlHandlers } from "../deps.ts";
import { changeInstance, requireFound, requireInstance } from "../look-up.ts";

/** The clients that applications have of their own at the simulated providers. */
export const clientRoutes = (deps: ControlDeps): ControlHandlers<"/instances/:id/clients"> => ({
  "GET /instances/:id/clients": ({ params }) =>
    deps.clients.of(requireInstance(deps, params.id)).map((client) => clientResource(client, deps)),

  "POST /instances/:id/clients": async ({ params, body }) => {
    const { id } = requireInstance(deps, params.id);
    refuseFaults(clientFaults({ clients: [body] }, "").map((fault) => fault.replace("clients[0].", "")));
    const isTaken = deps.instances.all.some((one) =>
      deps.clients.of(one).some((own) => own.client_id === body.client_id),
    );
    if (isTaken) throw new Refusal("conflict", `a client has the client_id "${body.client_id}" already`);
    await changeInstance(deps, id, (before) => ({ ...before, clients: [...before.clients, body] }));
    return clientResource(body, deps);
  },

  "PATCH /instances/:id/clients/:client_id": async ({ params, body }) => {
    const instance = requireInstance(deps, params.id);
    const own = requireClient(instance, params.client_id);
    const { client_secret = own.client_secret, redirect_uris = own.redirect_uris } = body;
    const changed = { ...own, client_secret, redirect_uris };
    refuseFaults(clientFaults({ clients: [changed] }, "").map((fault) => fault.replace("clients[0].", "")));
    await changeInstance(deps, instance.id, (before) => ({
      ...before,
      clients: before.clients.map((client) => (client.client_id === changed.client_id ? changed : client)),
    }));
    await deps.shared.refreshEverywhere();
    return clientResource(changed, deps);
  },

  "DELETE /instances/:id/clients/:client_id": async ({ params }) => {
    const instance = requireInstance(deps, params.id);
    const { client_id } = requireClient(instance, params.client_id);
    const isIts = (client: ClientRecord): boolean => client.client_id === client_id;
    await changeInstance(deps, instance.id, (before) => ({
      ...before,
      clients: before.clients.filter((client) => !isIts(client)),
    }));
    await deps.shared.refreshEverywhere();
    return { deleted: true, id: client_id };
  },
});

/** One of the instance's own: those of the server's configuration are changed there. */
function requireClient({ clients }: InstanceRecord, client_id: string): ClientRecord {
  const client = clients.find((own) => own.client_id === client_id);
  return requireFound(client, "not_found", "no client of the instance's own has this client_id");
}

function clientResource(
  client: ClientRecord,
  { simulator }: ControlDeps,
): AnswerOf<"GET /instances/:id/clients">[number] {
  const { provider, client_id, client_secret, redirect_uris } = client;
  const { issuer } = simulator.at(provider);
  const endpoints = { ...simulator.endpoints(provider) };
  return resource("client", client_id, { provider, client_id, client_secret, redirect_uris, issuer, endpoints });
}
