import type { TokenClaims } from "../../wire/claims.ts";
import type { Instance, Resource, Session, User, VerifiedToken } from "../../wire/resources.ts";
import type { Addresses } from "../instances/addresses.ts";
import type { InstanceRecord, SessionRecord } from "../store/records.ts";
import type { UserView } from "../store/store.ts";

/** A record as an API shows it. A field that the result has not does not compile. */
export function resource<Shown extends Resource<string, object>>(
  name: Shown["resource"],
  id: string,
  data: Shown["data"],
): Shown {
  return { id, resource: name, data } as Resource<string, object> as Shown;
}

export function toUser({ user, providers }: UserView): User {
  return resource("user", user.id, {
    email: user.email,
    name: user.name,
    avatar_url: user.avatar_url,
    email_verified: user.email_verified_at !== null,
    providers,
    created_at: user.created_at,
  });
}

export function toSession(session: SessionRecord): Session {
  return resource("session", session.id, {
    session_id: session.session_id,
    user_id: session.user_id,
    provider: session.provider,
    name: session.name,
    email: session.email,
    ip_address: session.ip_address,
    geo_data: session.geo_data,
    logged_in_at: session.logged_in_at,
    last_signin_at: session.last_signin_at,
    revoked_at: session.revoked_at,
    active: session.revoked_at === null,
  });
}

export function toInstance(instance: InstanceRecord, addresses: Addresses): Instance {
  return resource("instance", instance.id, {
    publishable_key: instance.publishable_key,
    url: instance.active ? addresses.instanceUrl(instance) : null,
    subdomain: instance.active ? instance.subdomain : null,
  });
}

/** A token that another program signed may not name a provider: then it is one of the user's. */
export function toVerifiedToken({ provider }: TokenClaims, { user, providers }: UserView): VerifiedToken {
  return resource("token", user.id, {
    valid: true,
    email: user.email,
    name: user.name,
    avatar_url: user.avatar_url ?? "",
    provider: provider ?? providers[0] ?? "email",
  });
}
