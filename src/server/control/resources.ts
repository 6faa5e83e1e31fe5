import type * as z from "zod/mini";
import type * as answers from "../../wire/control/answers.ts";
import { resultOf } from "../../wire/control/flows.ts";
import { PROVIDERS, type Provider } from "../../wire/providers.ts";
import type { Flow as FlowRecord } from "../history/flows.ts";
import { redactUrl } from "../history/redact.ts";
import { keptKeys } from "../instances/instances.ts";
import type { LoggedRequest } from "../history/request-log.ts";
import {
  withoutSecrets,
  type IdentityRecord,
  type InstanceRecord,
  type PersonaRecord,
  type SessionRecord,
} from "../store/records.ts";
import { resource, toUser } from "../http/resources.ts";
import type { UserView } from "../store/store.ts";
import type { ControlDeps } from "./deps.ts";

type Answer<Name extends keyof typeof answers> = z.output<(typeof answers)[Name]>;

/** Of the form that a seed gives them. */
type Accounts = Pick<Answer<"Persona">["data"], Provider>;

/** Without its secrets. */
export function instanceResource(
  instance: InstanceRecord,
  { addresses, offers, now }: Pick<ControlDeps, "addresses" | "offers" | "now">,
): Answer<"Instance"> {
  const { id, ...data } = withoutSecrets("instances", instance);
  const shown = PROVIDERS.flatMap((name) => {
    const own = instance.connections[name];
    return own ? [[name, { client_id: own.client_id, ...(own.endpoints && { endpoints: own.endpoints }) }]] : [];
  });
  return resource("instance", id, {
    ...data,
    url: addresses.instanceUrl(instance),
    providers: offers.providersOf(instance),
    connections: Object.fromEntries(shown),
    old_keys: oldKeysOf(instance, now()),
  });
}

export function oldKeysOf(instance: InstanceRecord, now: Date): Answer<"Keys">["old_keys"] {
  return keptKeys(instance, now).map(({ expires_at }) => ({ expires_at }));
}

/** @param identities undefined in lists */
export function userResource(view: UserView, identities?: readonly IdentityRecord[]): Answer<"User"> {
  const { user } = view;
  return resource("user", user.id, {
    instance: user.instance_id,
    ...toUser(view).data,
    providers: [...view.providers],
    email_verified_at: user.email_verified_at,
    has_password: user.password_digest !== null,
    ...(identities && {
      identities: identities.map(({ id, provider, uid, email, email_verified }) => ({
        id,
        provider,
        uid,
        email,
        email_verified,
      })),
    }),
    updated_at: user.updated_at,
  });
}

export function sessionResource(session: SessionRecord): Answer<"Session"> {
  const { id, instance_id, created_at: _, ...data } = withoutSecrets("sessions", session);
  return resource("session", id, { instance: instance_id, ...data, active: session.revoked_at === null });
}

export function personaResource(persona: PersonaRecord): Answer<"Persona"> {
  const { id, accounts, ...data } = withoutSecrets("personas", persona);
  return resource("persona", id, { ...data, ...(accounts as Accounts) });
}

/** Without the values of the application's query, which may be anything: a replay needs them, and people pass a flow on. */
export function flowResource(flow: FlowRecord, { process, now }: Pick<ControlDeps, "process" | "now">): Answer<"Flow"> {
  const { id, changes: _, chosen: __, ...data } = flow;
  const redirect_uri = data.redirect_uri && redactUrl(data.redirect_uri);
  return resource("flow", id, { ...data, result: resultOf(flow, now().getTime()), redirect_uri, process });
}

export function requestResource({ id, ...data }: LoggedRequest, process: string): Answer<"Request"> {
  return resource("request", id, { ...data, process });
}
